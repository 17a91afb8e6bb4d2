//! A store with its calls spread over two handles in turn.

use std::sync::{
    Arc,
    atomic::{AtomicUsize, Ordering},
};

use async_trait::async_trait;

use crate::storage::{Commit, CommitError, Locked, Read, State, Storage, StorageError};

/// A [`Storage`] with calls to two handles in turn, like two processes.
/// This reveals state known to only one handle.
///
/// A lock stays with the handle it came from.
pub struct Alternating {
    handles: [Arc<dyn Storage>; 2],
    calls: AtomicUsize,
}

impl Alternating {
    /// A store over two `handles` of one and the same store.
    pub fn new(handles: [Arc<dyn Storage>; 2]) -> Self {
        Self {
            handles,
            calls: AtomicUsize::new(0),
        }
    }

    fn next(&self) -> &dyn Storage {
        let [first, second] = &self.handles;
        match self.calls.fetch_add(1, Ordering::Relaxed) % 2 {
            0 => &**first,
            _ => &**second,
        }
    }
}

#[async_trait]
impl Storage for Alternating {
    async fn read(&self, reads: &[Read<'_>]) -> Result<State, StorageError> {
        self.next().read(reads).await
    }

    async fn commit(&self, commit: Commit) -> Result<(), CommitError> {
        self.next().commit(commit).await
    }

    async fn lock(&self, guard: &[u8]) -> Result<Box<dyn Locked>, StorageError> {
        self.next().lock(guard).await
    }

    fn is_shared(&self) -> bool {
        self.next().is_shared()
    }
}
