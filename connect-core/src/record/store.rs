//! The storage with what every unit of work needs besides: time, ids, and numbers that tell
//! commits apart.

use std::{
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
    time::Duration,
};

use uuid::Uuid;

use super::{Fault, Unit};
use crate::{
    environment::{Clock as _, Drift, Environment, SteadyClock},
    storage::{Key, Locked, Read, State, Storage, Value},
    wire::Timestamp,
};

/// All records, wherever they are stored.
pub(crate) struct Store {
    storage: Arc<dyn Storage>,
    environment: Environment,
    clock: SteadyClock,
    started: Duration,
    next_nonce: AtomicU64,
}

impl Store {
    pub(crate) fn new(storage: Arc<dyn Storage>, environment: Environment) -> Self {
        // A random start keeps the numbers of several processes apart.
        let mut start = [0; 8];
        environment.randomness.fill(&mut start);
        Self {
            storage,
            clock: SteadyClock::new(environment.clock.clone()),
            started: environment.clock.elapsed(),
            environment,
            next_nonce: AtomicU64::new(u64::from_ne_bytes(start)),
        }
    }

    pub(crate) fn storage(&self) -> &dyn Storage {
        &*self.storage
    }

    pub(crate) fn environment(&self) -> &Environment {
        &self.environment
    }

    /// The time now. Steps of the machine's clock do not move it.
    pub(crate) fn now(&self) -> Timestamp {
        self.clock.now()
    }

    /// The distance of the machine's clock from the time that is used, when it is not believed.
    pub(crate) fn drift(&self) -> Option<Drift> {
        self.clock.drift()
    }

    /// The time that has passed since some fixed point.
    pub(crate) fn elapsed(&self) -> Duration {
        self.clock.elapsed()
    }

    /// For how long this process has had the store.
    pub(crate) fn uptime(&self) -> Duration {
        self.clock.elapsed().saturating_sub(self.started)
    }

    pub(super) fn nonce(&self) -> u64 {
        self.next_nonce.fetch_add(1, Ordering::Relaxed)
    }

    /// Answers all reads from one state, in one round trip.
    pub(crate) async fn read(&self, reads: &[Read<'_>]) -> Result<State, Fault> {
        Ok(self.storage.read(reads).await?)
    }

    /// The value of one key.
    pub(crate) async fn get(&self, key: &Key) -> Result<Option<Value>, Fault> {
        Ok(self.read(&[Read::Get(key)]).await?.value()?)
    }

    /// Attempts at a unit of work on `partition`.
    pub(crate) fn attempts(&self, partition: Uuid) -> Attempts<'_> {
        Attempts {
            store: self,
            partition,
            lock: None,
            left: MOST_ATTEMPTS - 1,
        }
    }
}

/// The most times that a unit of work is run. Once without a lock, and once with it: no more are
/// needed unless rows outside the partition change meanwhile (a token that is revoked), or a lock
/// is lost.
const MOST_ATTEMPTS: usize = 16;

/// One unit of work after another, until one is committed: the first without a lock, and after a
/// conflict the others under a lock, beside which nobody else commits in the partition.
pub(crate) struct Attempts<'s> {
    store: &'s Store,
    partition: Uuid,
    lock: Option<Box<dyn Locked>>,
    /// The attempts that are left after the one under way.
    left: usize,
}

/// The end of an attempt.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Attempt {
    /// It was committed, or had nothing to commit.
    Done,
    /// Others were faster: run it again.
    Again,
}

impl<'s> Attempts<'s> {
    /// A new unit of work, on the state as it is when it first reads.
    pub(crate) fn begin(&mut self) -> Unit<'s> {
        Unit::new(self.store, self.partition, self.lock.take())
    }

    /// Commits a unit of work. After a conflict, locks the partition for the next attempt.
    pub(crate) async fn commit(&mut self, unit: Unit<'s>) -> Result<Attempt, Fault> {
        if unit.commit().await? == Attempt::Done {
            return Ok(Attempt::Done);
        }
        self.left = self.left.checked_sub(1).ok_or(Fault::Busy)?;
        // Also after a conflict under a lock, which was lost then, or a row outside the partition
        // has changed: the next in line come first.
        let guard = super::unit::clock_key(self.partition);
        self.lock = Some(self.store.storage.lock(&guard).await?);
        Ok(Attempt::Again)
    }
}
