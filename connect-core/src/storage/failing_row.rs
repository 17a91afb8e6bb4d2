//! A store with an unreadable row, for unit tests.

use std::sync::atomic::{AtomicUsize, Ordering};

use async_trait::async_trait;

use super::{
    Commit, CommitError, Found, Key, Locked, Range, Read, State, Storage, StorageError,
    UnreadableKeys, memory::MemoryStorage,
};

/// A store in memory. Reads of the row under the key fail.
pub(crate) struct FailingRow {
    pub(crate) storage: MemoryStorage,
    pub(crate) key: Key,
}

#[async_trait]
impl Storage for FailingRow {
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

/// A store in memory with unreadable keys, as on a damaged page.
/// Reads for the mere existence of a row fail too.
pub(crate) struct TornArea {
    pub(crate) storage: MemoryStorage,
    pub(crate) from: Key,
    pub(crate) to: Key,
    /// Whether the error names the unreadable keys.
    pub(crate) names_keys: bool,
    /// The number of reads so far.
    pub(crate) reads: AtomicUsize,
}

#[async_trait]
impl Storage for TornArea {
    async fn read(&self, reads: &[Read<'_>]) -> Result<State, StorageError> {
        self.reads.fetch_add(1, Ordering::Relaxed);
        for read in reads {
            let is_met = match read {
                Read::Get(key) => *self.from <= **key && **key < *self.to,
                Read::Scan { range, limit, .. } => {
                    // Rows before the area may be enough.
                    let before = Range {
                        from: range.from,
                        to: Some(&self.from),
                    };
                    let before = Read::Scan {
                        range: before,
                        limit: *limit,
                        newest_first: false,
                    };
                    let found = self.storage.read(&[before]).await?.entries()?.len();
                    let ends_before = range.to.is_some_and(|to| *to <= *self.from);
                    found < *limit && !ends_before && *range.from < *self.to
                }
                _ => false,
            };
            if is_met {
                let error = StorageError::new("a damaged page");
                return Err(if self.names_keys {
                    error.about(UnreadableKeys {
                        from: self.from.clone(),
                        to: Some(self.to.clone()),
                    })
                } else {
                    error
                });
            }
        }
        self.storage.read(reads).await
    }

    async fn commit(&self, commit: Commit) -> Result<(), CommitError> {
        self.storage.commit(commit).await
    }

    async fn lock(&self, guard: &[u8]) -> Result<Box<dyn Locked>, StorageError> {
        self.storage.lock(guard).await
    }
}
