//! An erasure that is killed at each of its commits.

use std::sync::{
    Arc,
    atomic::{AtomicI64, Ordering::Relaxed},
};

use async_trait::async_trait;
use connect_core::storage::{
    Commit, CommitError, Locked, Read, State, Storage, StorageError, memory::MemoryStorage,
};

use super::{Tenant, all, is_of, is_of_store};
use crate::{
    shop::{START, connect},
    stored::family::TRAIL,
};
use connect_core::environment::ManualClock;

/// A storage whose process dies with a commit: that one is applied or not, and no later one is.
struct Mortal {
    storage: Arc<dyn Storage>,
    left: AtomicI64,
    is_last_applied: bool,
}

#[async_trait]
impl Storage for Mortal {
    async fn read(&self, reads: &[Read<'_>]) -> Result<State, StorageError> {
        self.storage.read(reads).await
    }

    async fn commit(&self, commit: Commit) -> Result<(), CommitError> {
        let left = self.left.fetch_sub(1, Relaxed);
        if left > 1 || (left == 1 && self.is_last_applied) {
            self.storage.commit(commit).await?;
        }
        match left {
            ..=1 => Err(CommitError::Unknown(StorageError::new("killed"))),
            _ => Ok(()),
        }
    }

    async fn lock(&self, guard: &[u8]) -> Result<Box<dyn Locked>, StorageError> {
        self.storage.lock(guard).await
    }
}

/// Kills every round of maintenance at its next commit, and checks the store after each.
#[tokio::test]
async fn an_erasure_killed_at_any_commit_goes_on() {
    for of_location in [false, true] {
        for is_last_applied in [false, true] {
            let storage: Arc<dyn Storage> = Arc::new(MemoryStorage::new());
            let clock = ManualClock::at(START);
            let alive = connect(storage.clone(), &clock);
            let (one, other) = (
                Tenant::open(&alive, "Korenbloem").await,
                Tenant::open(&alive, "Zonnehof").await,
            );
            for tenant in [&one, &other] {
                tenant.trade(&alive).await;
            }
            let location = of_location.then(|| one.at[0].location().id);
            alive.plan_erasure(one.account, location).await.unwrap();
            alive.accept_clock().await.unwrap();
            let ids = match location {
                None => one.ids(&alive).await,
                Some(location) => [location.uuid()].into(),
            };
            let (mut kills, mut steps) = (0, 0);
            for days in [30, 1, 1] {
                clock.advance(days * 24 * 3600);
                let mut survived = 0;
                loop {
                    // A commit that is never applied would be met for ever: one more each time.
                    survived += 1;
                    let mortal = Mortal {
                        storage: storage.clone(),
                        left: AtomicI64::new(if is_last_applied {
                            1 + steps % 2
                        } else {
                            survived
                        }),
                        is_last_applied,
                    };
                    let mortal = Arc::new(mortal);
                    alive.accept_clock().await.unwrap();
                    let killed = connect(mortal.clone(), &clock);
                    // The time of the round is known: only the purge is killed.
                    mortal.left.fetch_add(1, Relaxed);
                    let _ = killed.maintain().await;
                    steps += 1;
                    if mortal.left.load(Relaxed) > 0 {
                        break;
                    }
                    kills += 1;
                    let report = alive.check(&mut |_| {}).await.unwrap();
                    assert_eq!(
                        report.problems,
                        [],
                        "{location:?} {is_last_applied} {kills}"
                    );
                    assert!(steps < 5000);
                }
            }
            assert!(kills > 5, "{kills}");
            let rows = all(&*storage).await;
            let left = rows
                .iter()
                .filter(|row| is_of(row, &ids, "Korenbloem market"));
            let left: Vec<_> = left
                .filter(|row| !is_of_store(row) && row.0[16] != TRAIL)
                .collect();
            assert!(left.is_empty(), "{left:?}");
            other.trade(&alive).await;
        }
    }
}
