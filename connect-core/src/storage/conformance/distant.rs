//! A store some milliseconds away.

use std::{
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
    time::Duration,
};

use async_trait::async_trait;
use tokio::time::sleep;

use crate::storage::{Commit, CommitError, Locked, Read, State, Storage, StorageError};

/// A [`Storage`] at a distance, as over a network.
/// Every call takes its time on the way there and on the way back. Calls do not wait for one
/// another.
///
/// It counts the calls, for tests of the number of trips of an operation.
pub struct Distant {
    store: Arc<dyn Storage>,
    way: Way,
}

impl Distant {
    /// A store at `distance` from its callers, one way.
    /// Timers of tokio have a resolution of a millisecond.
    pub fn new(store: Arc<dyn Storage>, distance: Duration) -> Self {
        let way = Way {
            distance,
            trips: Arc::default(),
            reads: Arc::default(),
        };
        Self { store, way }
    }

    /// The number of calls so far, successful or not.
    /// Counts `read`, `commit` and `lock`, and `read` and `commit` on a lock.
    pub fn trips(&self) -> u64 {
        self.way.trips.load(Ordering::Relaxed)
    }

    /// The number of single reads in these calls of `read`.
    pub fn reads(&self) -> u64 {
        self.way.reads.load(Ordering::Relaxed)
    }
}

#[derive(Clone)]
struct Way {
    distance: Duration,
    trips: Arc<AtomicU64>,
    reads: Arc<AtomicU64>,
}

impl Way {
    async fn trip<T>(&self, call: impl Future<Output = T>) -> T {
        self.trips.fetch_add(1, Ordering::Relaxed);
        sleep(self.distance).await;
        let answer = call.await;
        sleep(self.distance).await;
        answer
    }

    fn asks_for(&self, reads: &[Read<'_>]) {
        self.reads.fetch_add(reads.len() as u64, Ordering::Relaxed);
    }
}

#[async_trait]
impl Storage for Distant {
    async fn read(&self, reads: &[Read<'_>]) -> Result<State, StorageError> {
        self.way.asks_for(reads);
        self.way.trip(self.store.read(reads)).await
    }

    async fn commit(&self, commit: Commit) -> Result<(), CommitError> {
        self.way.trip(self.store.commit(commit)).await
    }

    async fn lock(&self, guard: &[u8]) -> Result<Box<dyn Locked>, StorageError> {
        let lock = self.way.trip(self.store.lock(guard)).await?;
        let way = self.way.clone();
        Ok(Box::new(DistantLock { lock, way }))
    }

    fn is_shared(&self) -> bool {
        self.store.is_shared()
    }
}

struct DistantLock {
    lock: Box<dyn Locked>,
    way: Way,
}

#[async_trait]
impl Locked for DistantLock {
    async fn read(&self, reads: &[Read<'_>]) -> Result<State, StorageError> {
        self.way.asks_for(reads);
        self.way.trip(self.lock.read(reads)).await
    }

    async fn commit(self: Box<Self>, commit: Commit) -> Result<(), CommitError> {
        let Self { lock, way } = *self;
        way.trip(lock.commit(commit)).await
    }
}
