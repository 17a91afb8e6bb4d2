//! A store with a row that it cannot return, for unit tests.

use async_trait::async_trait;

use super::{
    Commit, CommitError, Found, Key, Locked, Read, State, Storage, StorageError,
    memory::MemoryStorage,
};

/// A store in memory. What would return the row under the key fails.
pub(crate) struct Torn {
    pub(crate) storage: MemoryStorage,
    pub(crate) key: Key,
}

#[async_trait]
impl Storage for Torn {
    async fn read(&self, reads: &[Read<'_>]) -> Result<State, StorageError> {
        let found: Vec<Found> = self.storage.read(reads).await?.collect();
        let is_met = |(read, found): (&Read<'_>, &Found)| match (read, found) {
            (Read::Get(key), Found::Value(Some(_))) => **key == *self.key,
            (_, Found::Entries(entries)) => entries.iter().any(|(key, _)| *key == self.key),
            _ => false,
        };
        if reads.iter().zip(&found).any(is_met) {
            return Err(StorageError::new("a damaged row"));
        }
        Ok(State::new(found))
    }

    async fn commit(&self, commit: Commit) -> Result<(), CommitError> {
        self.storage.commit(commit).await
    }

    async fn lock(&self, guard: &[u8]) -> Result<Box<dyn Locked>, StorageError> {
        self.storage.lock(guard).await
    }
}
