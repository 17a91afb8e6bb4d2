//! A store that is used through two handles in turn.

use std::sync::{
    Arc,
    atomic::{AtomicUsize, Ordering},
};

use async_trait::async_trait;

use crate::storage::{Commit, CommitError, Locked, Read, State, Storage, StorageError};

/// A [`Storage`] whose calls go to two handles of one store in turn, as if two processes used it.
/// A state that only one handle knows of comes to light that way.
///
/// A lock stays with the handle that it was asked of.
pub struct Alternating {
    handles: [Arc<dyn Storage>; 2],
    calls: AtomicUsize,
}

impl Alternating {
    /// A store that is used through `handles`, which have to be of one and the same store.
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
}
