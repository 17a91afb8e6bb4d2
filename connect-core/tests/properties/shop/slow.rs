//! Slow reading.

use std::sync::Arc;

use async_trait::async_trait;
use connect_core::{
    Connect, RateLimits,
    storage::{Commit, CommitError, Entry, Range, Storage, StorageError, Value},
};

use super::Shop;

/// A storage that gives writers the time to get ahead of whoever scans.
struct Slow(Arc<dyn Storage>);

#[async_trait]
impl Storage for Slow {
    async fn get(&self, keys: &[&[u8]]) -> Result<Vec<Option<Value>>, StorageError> {
        self.0.get(keys).await
    }

    async fn scan(&self, range: Range<'_>, limit: usize) -> Result<Vec<Entry>, StorageError> {
        let found = self.0.scan(range, limit).await;
        for _ in 0..50 {
            tokio::task::yield_now().await;
        }
        found
    }

    async fn commit(&self, commit: Commit) -> Result<(), CommitError> {
        self.0.commit(commit).await
    }
}

impl Shop {
    /// From now on whoever scans in this process is overtaken by those who write.
    pub(crate) fn slow_down(&mut self) {
        let storage = Arc::new(Slow(self.storage.clone()));
        let environment = self.environment.clone();
        self.connect = Connect::new(storage, environment, RateLimits::default());
    }
}
