//! A write that takes longer than its lock lasts is not lost, and not done twice.

use std::{
    future::IntoFuture as _,
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
    time::Duration,
};

use async_trait::async_trait;
use connect_core::{
    storage::{
        Commit, CommitError, Locked, Read, State, Storage, StorageError, memory::MemoryStorage,
    },
    wire::{ProductInput, query::ProductQuery},
};

use crate::shop::{self, Shop};

const LEASE: Duration = Duration::from_millis(200);

/// A storage in which the first commit is overtaken, and the next ones wait too long under their
/// locks.
struct Stalling {
    storage: Arc<dyn Storage>,
    overtaken: AtomicUsize,
    stalls: Arc<AtomicUsize>,
}

struct StallingLock {
    lock: Box<dyn Locked>,
    stalls: Arc<AtomicUsize>,
}

fn take_one(count: &AtomicUsize) -> bool {
    let less = |left: usize| left.checked_sub(1);
    count
        .fetch_update(Ordering::SeqCst, Ordering::SeqCst, less)
        .is_ok()
}

#[async_trait]
impl Storage for Stalling {
    async fn read(&self, reads: &[Read<'_>]) -> Result<State, StorageError> {
        self.storage.read(reads).await
    }

    async fn commit(&self, commit: Commit) -> Result<(), CommitError> {
        if take_one(&self.overtaken) {
            return Err(CommitError::Conflict);
        }
        self.storage.commit(commit).await
    }

    async fn lock(&self, guard: &[u8]) -> Result<Box<dyn Locked>, StorageError> {
        Ok(Box::new(StallingLock {
            lock: self.storage.lock(guard).await?,
            stalls: self.stalls.clone(),
        }))
    }
}

#[async_trait]
impl Locked for StallingLock {
    async fn read(&self, reads: &[Read<'_>]) -> Result<State, StorageError> {
        self.lock.read(reads).await
    }

    async fn commit(self: Box<Self>, commit: Commit) -> Result<(), CommitError> {
        if take_one(&self.stalls) {
            tokio::time::sleep(LEASE * 2).await;
        }
        self.lock.commit(commit).await
    }
}

#[tokio::test]
async fn a_write_that_outlasts_its_lock_is_done_once() {
    let storage: Arc<dyn Storage> = Arc::new(MemoryStorage::with_lease(LEASE));
    let shop = Shop::on(storage.clone()).await;
    let stalls = Arc::new(AtomicUsize::new(2));
    let stalling = Stalling {
        storage,
        overtaken: AtomicUsize::new(1),
        stalls: stalls.clone(),
    };
    let slow = shop::connect(Arc::new(stalling), &shop.clock);
    let products = slow.location(&shop.at).products();
    let late = products.create(ProductInput::named("Late")).into_future();
    let others = async {
        for number in 0..3 {
            let input = ProductInput::named(format!("Bread {number}"));
            shop.products().create(input).await.unwrap();
        }
    };
    let (late, ()) = tokio::join!(late, others);
    late.unwrap();
    assert_eq!(stalls.load(Ordering::SeqCst), 0, "no lock was lost");
    let all = ProductQuery::default();
    let page = shop.products().list(&all).await.unwrap();
    let products = page.data.into_iter();
    let mut names: Vec<String> = products.map(|product| product.name).collect();
    names.sort();
    assert_eq!(names, ["Bread 0", "Bread 1", "Bread 2", "Late"]);
}
