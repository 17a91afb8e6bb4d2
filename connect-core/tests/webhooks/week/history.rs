//! A store that remembers in which order webhooks were set up and events were committed.

use std::sync::{Arc, Mutex};

use async_trait::async_trait;
use connect_core::storage::{
    Commit, CommitError, Key, Locked, Read, State, Storage, StorageError, Write,
    memory::MemoryStorage,
};
use serde_json::Value as Json;

/// The bytes of families in keys.
const EVENT: u8 = 0x50;
const WEBHOOKS: u8 = 0xB0;

/// A deed of a commit that others may have to be told of.
#[derive(Clone, Debug)]
pub(super) enum Deed {
    /// The webhooks of the account were set up so.
    Webhooks(Vec<Json>),
    /// An event was added, with this body.
    Event(Vec<u8>),
}

pub(super) struct History {
    storage: MemoryStorage,
    deeds: Arc<Mutex<Vec<Deed>>>,
}

impl History {
    pub(super) fn new() -> Arc<Self> {
        Arc::new(Self {
            storage: MemoryStorage::new(),
            deeds: Arc::default(),
        })
    }

    /// All that was done, in the order of the commits.
    pub(super) fn deeds(&self) -> Vec<Deed> {
        self.deeds.lock().unwrap().clone()
    }
}

/// The deeds of a commit. The runtime has one thread, and the store answers at once: whoever commits
/// first is also the first to write it down.
fn deeds(commit: &Commit) -> Vec<Deed> {
    let deed = |(key, write): &(Key, Write)| {
        let value = write.value()?;
        match key[16] {
            EVENT => Some(Deed::Event(value.to_vec())),
            WEBHOOKS => Some(Deed::Webhooks(serde_json::from_slice(value).unwrap())),
            _ => None,
        }
    };
    commit.writes.iter().filter_map(deed).collect()
}

#[async_trait]
impl Storage for History {
    async fn read(&self, reads: &[Read<'_>]) -> Result<State, StorageError> {
        self.storage.read(reads).await
    }

    async fn commit(&self, commit: Commit) -> Result<(), CommitError> {
        let done = deeds(&commit);
        self.storage.commit(commit).await?;
        self.deeds.lock().unwrap().extend(done);
        Ok(())
    }

    async fn lock(&self, guard: &[u8]) -> Result<Box<dyn Locked>, StorageError> {
        let lock = self.storage.lock(guard).await?;
        let deeds = self.deeds.clone();
        Ok(Box::new(HistoryLock { lock, deeds }))
    }
}

struct HistoryLock {
    lock: Box<dyn Locked>,
    deeds: Arc<Mutex<Vec<Deed>>>,
}

#[async_trait]
impl Locked for HistoryLock {
    async fn read(&self, reads: &[Read<'_>]) -> Result<State, StorageError> {
        self.lock.read(reads).await
    }

    async fn commit(&mut self, commit: Commit) -> Result<(), CommitError> {
        let done = deeds(&commit);
        self.lock.commit(commit).await?;
        self.deeds.lock().unwrap().extend(done);
        Ok(())
    }
}
