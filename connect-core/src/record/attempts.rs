//! Running a unit of work until it is committed.

use uuid::Uuid;

use super::{
    Fault, Store,
    clock::clock_key,
    unit::{Attempt, Unit},
};
use crate::storage::Locked;

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

impl Store {
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

impl<'s> Attempts<'s> {
    /// A new unit of work, on the state as it is when it first reads.
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
        self.left = self.left.checked_sub(1).ok_or(Fault::Busy)?;
        // Also after a conflict under a lock, which was lost then, or a row outside the partition
        // has changed: the next in line come first.
        let guard = clock_key(self.partition);
        self.lock = Some(self.store.storage().lock(&guard).await?);
        Ok(Attempt::Again)
    }
}
