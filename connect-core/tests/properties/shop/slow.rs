//! Slow reading, and a store that is far away.

use std::{sync::Arc, time::Duration};

use async_trait::async_trait;
use connect_core::{
    Connect,
    storage::{
        Commit, CommitError, Locked, Read, State, Storage, StorageError, conformance::Distant,
    },
};

use super::Shop;

/// A storage that gives writers the time to get ahead of whoever scans.
struct Slow(Arc<dyn Storage>);

#[async_trait]
impl Storage for Slow {
    async fn read(&self, reads: &[Read<'_>]) -> Result<State, StorageError> {
        let found = self.0.read(reads).await;
        for _ in 0..50 {
            tokio::task::yield_now().await;
        }
        found
    }

    async fn commit(&self, commit: Commit) -> Result<(), CommitError> {
        self.0.commit(commit).await
    }

    async fn lock(&self, guard: &[u8]) -> Result<Box<dyn Locked>, StorageError> {
        self.0.lock(guard).await
    }
}

impl Shop {
    /// From now on whoever scans in this process is overtaken by those who write.
    pub(crate) fn slow_down(&mut self) {
        let storage = Arc::new(Slow(self.storage.clone()));
        self.connect = self.connect_on(storage);
    }

    /// From now on the storage is a millisecond away. Returns the core of another process there.
    pub(crate) fn move_away(&mut self) -> Connect {
        let connect = || {
            let storage = Distant::new(self.storage.clone(), Duration::from_millis(1));
            self.connect_on(Arc::new(storage))
        };
        let other = connect();
        self.connect = connect();
        other
    }
}
