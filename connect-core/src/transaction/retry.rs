//! Running a unit of work until it is committed.

use uuid::Uuid;

use super::{
    Fault, Store,
    clock::clock_key,
    unit::{Attempt, Unit},
};
use crate::storage::Locked;

/// The most runs of a unit of work.
/// One without a lock and one with it are enough, unless rows outside the partition change
/// meanwhile (a token is revoked), or a lock is lost.
const MOST_ATTEMPTS: usize = 16;

/// Runs of a unit of work, up to the first commit.
/// The first run takes no lock, unless the partition is contended. After a conflict, the next run
/// holds a lock, so no other writer commits in the partition.
pub(crate) struct Attempts<'s> {
    store: &'s Store,
    partition: Uuid,
    lock: Option<Box<dyn Locked>>,
    /// The attempts left after the current one.
    left: usize,
}

impl Store {
    /// Starts attempts at a unit of work on `partition`.
    pub(crate) fn attempts(&self, partition: Uuid) -> Attempts<'_> {
        Attempts {
            store: self,
            partition,
            lock: None,
            left: MOST_ATTEMPTS - 1,
        }
    }
}

impl<'s> Attempts<'s> {
    /// Locks a contended partition before the first attempt.
    /// A lock costs one round trip, a failed attempt two.
    pub(crate) async fn lock_if_contended(&mut self) -> Result<(), Fault> {
        let now = self.store.elapsed();
        if self.store.contended().has(self.partition, now) {
            self.lock().await?;
        }
        Ok(())
    }

    async fn lock(&mut self) -> Result<(), Fault> {
        let guard = clock_key(self.partition);
        self.lock = Some(self.store.storage().lock(&guard).await?);
        Ok(())
    }

    /// Begins a unit of work, on the state at its first read.
    pub(crate) fn begin(&mut self) -> Unit<'s> {
        Unit::new(self.store, self.partition, self.lock.take())
    }

    /// Commits a unit of work. After a conflict, locks the partition for the next attempt.
    pub(crate) async fn commit(&mut self, unit: Unit<'s>) -> Result<Attempt, Fault> {
        let wakes_workers = unit.wakes_workers();
        if unit.commit().await? == Attempt::Done {
            if wakes_workers {
                self.store.wake();
            }
            return Ok(Attempt::Done);
        }
        let now = self.store.elapsed();
        self.store.contended().note(self.partition, now);
        self.left = self.left.checked_sub(1).ok_or(Fault::Busy)?;
        // Also after a conflict under a lock, which was lost then, or a row outside the partition
        // has changed: the next in line come first.
        self.lock().await?;
        Ok(Attempt::Again)
    }
}
