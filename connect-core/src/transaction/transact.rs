//! The retry loop of transactions.
//!
//! It is the only one: outside of `transaction`, no unit of work can be begun or committed
//! ([`UnitOfWork::new`] and [`UnitOfWork::commit`] are not visible there).

use std::time::Duration;

use uuid::Uuid;

use super::{Fault, Store, clock::clock_key, unit::UnitOfWork};
use crate::storage::Locked;

/// The most runs of a transaction, besides tries of a small one.
/// One with a lock is enough, unless rows outside the partition change meanwhile (a token is
/// revoked), or a lock is lost.
const MOST_ATTEMPTS: usize = 16;

/// The most runs of a small transaction without a lock.
/// This is for a store shared with other processes. A lock takes a transaction of its own in the
/// database; the commits of several locations share one.
const TRIES: usize = 10;

/// The pause between these runs.
/// The commit of the other process ends meanwhile.
const PAUSE: Duration = Duration::from_millis(1);

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
    /// the partition; on a shared store, a small unit of work tries [`TRIES`] times before. An error
    /// ends the transaction without a commit.
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
        let (mut runs, mut tries) = (0, 1);
        while runs < MOST_ATTEMPTS {
            let lock = match locks {
                true => Some(self.lock(partition).await?),
                false => None,
            };
            let End { unit, result } = work(UnitOfWork::new(self, partition, lock)).await?;
            let Some(unit) = unit else { return Ok(result) };
            let may_try = self.storage().is_shared() && unit.is_small();
            if self.end(unit).await? {
                return Ok(result);
            }
            if may_try && !locks && tries < TRIES {
                tries += 1;
                tokio::time::sleep(PAUSE).await;
                continue;
            }
            // Also after a conflict under a lock: then the lock was lost, or a row outside the
            // partition has changed. The next run takes a new lock, behind the waiting callers.
            locks = true;
            runs += 1;
        }
        Err(Fault::Busy.into())
    }

    /// Returns whether to lock a partition from the start.
    /// It lately had conflicts: the lock costs one round trip, a failed run two. Small work on a
    /// shared store tries first.
    pub(crate) fn locks_first(&self, partition: Uuid, is_small: bool) -> bool {
        let tries = is_small && self.storage().is_shared();
        !tries && self.contended().has(partition, self.elapsed())
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
    use std::sync::{
        Arc,
        atomic::{AtomicUsize, Ordering::Relaxed},
    };

    use async_trait::async_trait;
    use futures_util::FutureExt as _;
    use tokio::time::Instant;

    use super::*;
    use crate::{
        storage::{
            Commit, CommitError, Key, Read, State, Storage, StorageError, Value,
            memory::MemoryStorage,
        },
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

    /// A store with writers in other processes, if any. It counts the locks.
    struct Counting {
        storage: MemoryStorage,
        is_shared: bool,
        locks: AtomicUsize,
    }

    #[async_trait]
    impl Storage for Counting {
        async fn read(&self, reads: &[Read<'_>]) -> Result<State, StorageError> {
            self.storage.read(reads).await
        }

        async fn commit(&self, commit: Commit) -> Result<(), CommitError> {
            self.storage.commit(commit).await
        }

        async fn lock(&self, guard: &[u8]) -> Result<Box<dyn Locked>, StorageError> {
            self.locks.fetch_add(1, Relaxed);
            self.storage.lock(guard).await
        }

        fn is_shared(&self) -> bool {
            self.is_shared
        }
    }

    #[tokio::test(start_paused = true)]
    async fn small_work_tries_before_it_locks_a_shared_store() {
        let most = 64;
        for (is_shared, writes, tries) in [
            (false, 1, 1),
            (true, 1, TRIES),
            (true, most, TRIES),
            (true, most + 1, 1),
        ] {
            let storage = Arc::new(Counting {
                storage: MemoryStorage::new(),
                is_shared,
                locks: AtomicUsize::new(0),
            });
            let store = Store::new(storage.clone(), Environment::default());
            let (begin, place) = (Instant::now(), row(writes + 1));
            let result = store.transact(PLACE, |mut unit| {
                let missing = &place;
                async move {
                    unit.load(Reads::of(PLACE)).await?;
                    (1..=writes).for_each(|number| unit.put(row(number), Value::default()));
                    unit.expect(missing, &Value::default());
                    Ok::<_, Fault>(End::commit(unit, ()))
                }
            });
            assert!(matches!(result.await, Err(Fault::Busy)));
            let what = format!("{is_shared} {writes}");
            assert_eq!(storage.locks.load(Relaxed), MOST_ATTEMPTS - 1, "{what}");
            let pauses = u32::try_from(tries - 1).unwrap();
            assert_eq!(begin.elapsed(), PAUSE * pauses, "{what}");
            for is_small in [false, true] {
                let locks_first = store.locks_first(PLACE, is_small);
                assert_eq!(locks_first, !(is_shared && is_small), "{what}");
            }
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
            let locks = store.locks_first(PLACE, true);
            let transaction = store.transact_with(PLACE, locks, |mut unit| async move {
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
