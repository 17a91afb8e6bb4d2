//! A store in memory with little room, for the checks of a full disk.

use std::sync::{
    Arc,
    atomic::{AtomicUsize, Ordering},
};

use async_trait::async_trait;
use connect_core::storage::{
    Commit, CommitError, Locked, Read, State, Storage, StorageError, memory::MemoryStorage,
};

/// Counts what is written, as a log does that nobody shortens, and refuses what is too much.
#[derive(Clone)]
pub(super) struct WithRoom {
    store: MemoryStorage,
    left: Arc<AtomicUsize>,
}

const ROOM: usize = 500_000;

impl WithRoom {
    pub(super) fn new(store: MemoryStorage) -> Self {
        Self {
            store,
            left: Arc::new(AtomicUsize::new(ROOM)),
        }
    }

    /// Writes without looking at the room.
    pub(super) async fn write_anyway(&self, commit: Commit) -> Result<(), CommitError> {
        self.store.commit(commit).await
    }

    pub(super) fn make_room(&self) {
        self.left.fetch_add(ROOM, Ordering::Relaxed);
    }
}

#[async_trait]
impl Storage for WithRoom {
    async fn read(&self, reads: &[Read<'_>]) -> Result<State, StorageError> {
        self.store.read(reads).await
    }

    async fn commit(&self, commit: Commit) -> Result<(), CommitError> {
        let writes = commit.writes.iter();
        let size = writes.map(|(key, write)| key.len() + write.value().map_or(0, <[u8]>::len));
        let size = size.sum();
        let take = |left: usize| left.checked_sub(size);
        let taken = self
            .left
            .fetch_update(Ordering::Relaxed, Ordering::Relaxed, take);
        match taken {
            Ok(_) => self.store.commit(commit).await,
            Err(_) => Err(CommitError::NotApplied(StorageError::new("no room"))),
        }
    }

    async fn lock(&self, guard: &[u8]) -> Result<Box<dyn Locked>, StorageError> {
        self.store.lock(guard).await
    }
}
