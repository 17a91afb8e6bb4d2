//! A store that notes which rows were there that a commit without a lock took for new.

use std::sync::{Arc, Mutex};

use async_trait::async_trait;
use connect_core::storage::{Commit, CommitError, Key, Locked, Read, State, Storage, StorageError};

use super::Shop;

/// The rows that commits without a lock took for new, and those of them that were there.
#[derive(Default)]
pub(crate) struct NewRows {
    pub(crate) taken_for_new: usize,
    pub(crate) were_there: Vec<Key>,
}

struct Noting {
    storage: Arc<dyn Storage>,
    rows: Arc<Mutex<NewRows>>,
}

#[async_trait]
impl Storage for Noting {
    async fn read(&self, reads: &[Read<'_>]) -> Result<State, StorageError> {
        self.storage.read(reads).await
    }

    async fn commit(&self, commit: Commit) -> Result<(), CommitError> {
        let new = commit.writes.iter().filter(|(_, write)| write.is_new());
        let new: Vec<Key> = new.map(|(key, _)| key.clone()).collect();
        let reads: Vec<_> = new.iter().map(|key| Read::Get(key)).collect();
        let mut before = self.storage.read(&reads).await.unwrap();
        // A commit that found another state is refused.
        self.storage.commit(commit).await?;
        let mut rows = self.rows.lock().unwrap();
        rows.taken_for_new += new.len();
        for key in new {
            let is_there = before.value().unwrap().is_some();
            rows.were_there.extend(is_there.then_some(key));
        }
        Ok(())
    }

    async fn lock(&self, guard: &[u8]) -> Result<Box<dyn Locked>, StorageError> {
        self.storage.lock(guard).await
    }
}

impl Shop {
    /// From now on what this process takes for new is noted.
    pub(crate) fn note_new_rows(&mut self) -> Arc<Mutex<NewRows>> {
        let rows = Arc::default();
        self.storage = Arc::new(Noting {
            storage: self.storage.clone(),
            rows: Arc::clone(&rows),
        });
        self.connect = self.connect_on(self.storage.clone());
        rows
    }
}
