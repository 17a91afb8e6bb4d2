//! The retry loop of transactions.
//!
//! It is the only one: outside of `transaction`, no unit of work can be begun or committed
//! ([`UnitOfWork::new`] and [`UnitOfWork::commit`] are not visible there).

use uuid::Uuid;

use super::{Fault, Store, clock::clock_key, unit::UnitOfWork};
use crate::storage::Locked;

/// The most runs of a transaction.
/// One without a lock and one with it are enough, unless rows outside the partition change
/// meanwhile (a token is revoked), or a lock is lost.
const MOST_ATTEMPTS: usize = 16;

/// The end of one run of a transaction.
pub(crate) struct End<'s, T> {
    /// The unit of work to be committed, if any.
    unit: Option<UnitOfWork<'s>>,
    result: T,
}

impl<'s, T> End<'s, T> {
    /// Commits the unit of work. After a conflict, the transaction runs again.
    pub(crate) fn commit(unit: UnitOfWork<'s>, result: T) -> Self {
        let unit = Some(unit);
        Self { unit, result }
    }

    /// Ends the transaction without a commit.
    pub(crate) fn rollback(result: T) -> Self {
        let unit = None;
        Self { unit, result }
    }
}

impl Store {
    /// Runs a transaction on `partition` until it is committed.
    ///
    /// `work` gets a unit of work, and returns an [`End`] with or without a commit. The first
    /// run takes no lock. After a conflict, the next run holds a lock, so no other writer commits in
    /// the partition. An error ends the transaction without a commit.
    pub(crate) async fn transact<'s, T, E, F, Fut>(
        &'s self,
        partition: impl Into<Uuid>,
        work: F,
    ) -> Result<T, E>
    where
        F: FnMut(UnitOfWork<'s>) -> Fut,
        Fut: Future<Output = Result<End<'s, T>, E>>,
        E: From<Fault>,
    {
        self.transact_with(partition.into(), false, work).await
    }

    /// Runs a transaction. With `locks`, already the first run holds the lock.
    pub(crate) async fn transact_with<'s, T, E, F, Fut>(
        &'s self,
        partition: Uuid,
        mut locks: bool,
        mut work: F,
    ) -> Result<T, E>
    where
        F: FnMut(UnitOfWork<'s>) -> Fut,
        Fut: Future<Output = Result<End<'s, T>, E>>,
        E: From<Fault>,
    {
        for _ in 0..MOST_ATTEMPTS {
            let lock = match locks {
                true => Some(self.lock(partition).await?),
                false => None,
            };
            let End { unit, result } = work(UnitOfWork::new(self, partition, lock)).await?;
            let Some(unit) = unit else { return Ok(result) };
            if self.end(unit).await? {
                return Ok(result);
            }
            // Also after a conflict under a lock: then the lock was lost, or a row outside the
            // partition has changed. The next run takes a new lock, behind the waiting callers.
            locks = true;
        }
        Err(Fault::Busy.into())
    }

    /// Returns whether a partition lately had conflicts.
    /// There a lock from the start is cheaper: it costs one round trip, a failed run two.
    pub(crate) fn is_contended(&self, partition: Uuid) -> bool {
        self.contended().has(partition, self.elapsed())
    }

    async fn lock(&self, partition: Uuid) -> Result<Box<dyn Locked>, Fault> {
        Ok(self.storage().lock(&clock_key(partition)).await?)
    }

    /// Commits a unit of work; `false` on a conflict.
    async fn end(&self, unit: UnitOfWork<'_>) -> Result<bool, Fault> {
        let (partition, wakes_workers) = (unit.partition(), unit.wakes_workers());
        if !unit.commit().await? {
            self.contended().note(partition, self.elapsed());
            return Ok(false);
        }
        if wakes_workers {
            self.wake();
        }
        Ok(true)
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use futures_util::FutureExt as _;

    use super::*;
    use crate::{
        storage::{Key, Value, memory::MemoryStorage},
        transaction::{
            Reads,
            environment::Environment,
            keys::{Family, KeyPart, key},
        },
    };

    const PLACE: Uuid = Uuid::from_u128(1);

    fn store() -> Store {
        Store::new(Arc::new(MemoryStorage::new()), Environment::default())
    }

    fn row(number: u64) -> Key {
        key(PLACE, Family::Transaction, &[KeyPart::Number(number)])
    }

    /// Writes a row in a unit of work.
    async fn put(unit: &mut UnitOfWork<'_>) -> Result<(), Fault> {
        unit.load(Reads::of(PLACE)).await?;
        unit.put(row(1), Value::default());
        Ok(())
    }

    #[tokio::test]
    async fn a_transaction_runs_until_its_commit_or_too_many_conflicts() {
        for conflicts in [0, 1, MOST_ATTEMPTS - 1, MOST_ATTEMPTS] {
            let (store, mut runs) = (store(), 0);
            let result = store.transact(PLACE, |mut unit| {
                runs += 1;
                let has_conflict = runs <= conflicts;
                async move {
                    put(&mut unit).await?;
                    if has_conflict {
                        // There is no such row.
                        unit.expect(&row(2), &Value::default());
                    }
                    Ok(End::commit(unit, "committed"))
                }
            });
            let (result, is_contended) =
                (result.await, store.contended().has(PLACE, store.elapsed()));
            let is_committed = conflicts < MOST_ATTEMPTS;
            match result {
                Ok(result) => assert_eq!((result, is_committed), ("committed", true)),
                Err(fault) => assert!(matches!(fault, Fault::Busy) && !is_committed, "{fault}"),
            }
            assert_eq!(runs, MOST_ATTEMPTS.min(conflicts + 1));
            assert_eq!(is_contended, conflicts > 0);
            let written = store.get(&row(1)).await.unwrap();
            assert_eq!(written.is_some(), is_committed);
        }
    }

    #[tokio::test]
    async fn a_rollback_and_an_error_write_nothing() {
        let store = store();
        let result = store.transact(PLACE, |mut unit| async move {
            put(&mut unit).await?;
            Ok::<_, Fault>(End::rollback(7))
        });
        assert_eq!(result.await.unwrap(), 7);
        let result = store.transact(PLACE, |mut unit| async move {
            put(&mut unit).await?;
            Err::<End<'_, ()>, _>(Fault::Panicked)
        });
        assert!(matches!(result.await, Err(Fault::Panicked)));
        assert_eq!(store.get(&row(1)).await.unwrap(), None);
    }

    /// Another writer waits for the lock, without a conflict.
    #[tokio::test]
    async fn a_contended_partition_is_locked_from_the_start() {
        for is_contended in [false, true] {
            let store = store();
            if is_contended {
                store.contended().note(PLACE, store.elapsed());
            }
            let lock = store.storage().lock(&clock_key(PLACE)).await.unwrap();
            let transaction =
                store.transact_with(PLACE, store.is_contended(PLACE), |mut unit| async move {
                    put(&mut unit).await?;
                    Ok::<_, Fault>(End::rollback(()))
                });
            let waits = transaction.now_or_never().is_none();
            assert_eq!(waits, is_contended);
            drop(lock);
        }
    }

    #[tokio::test]
    async fn workers_are_woken_when_there_is_work() {
        for has_work in [false, true] {
            let store = store();
            let committed = store.transact(PLACE, |mut unit| async move {
                put(&mut unit).await?;
                if has_work {
                    unit.wake_workers();
                }
                Ok::<_, Fault>(End::commit(unit, ()))
            });
            committed.await.unwrap();
            let is_woken = store.woken().now_or_never().is_some();
            assert_eq!(is_woken, has_work);
        }
    }
}
