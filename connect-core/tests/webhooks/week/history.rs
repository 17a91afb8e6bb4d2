//! A store that remembers in which order webhooks were set up and events were committed.

use std::{
    sync::{Arc, Mutex},
    time::Duration,
};

use async_trait::async_trait;
use connect_core::{
    Delivery,
    environment::Clock as _,
    storage::{
        Commit, CommitError, Key, Locked, Read, State, Storage, StorageError, Write,
        memory::MemoryStorage,
    },
};
use serde_json::Value as Json;

use super::clock::SetClock;

/// The bytes of families in keys.
const EVENT: u8 = 0x50;
const WEBHOOKS: u8 = 0xB0;
const QUEUE: u8 = 0xB3;
const WAITING_STOCK: u8 = 0xB4;

/// A deed of a commit that others may have to be told of.
#[derive(Clone, Debug)]
pub(super) enum Deed {
    /// The webhooks of the account were set up so.
    Webhooks(Vec<Json>),
    /// An event was added, with this body.
    Event(Vec<u8>),
    /// The `stock.changed` that waited came into the queue of a webhook.
    Release(Release),
}

/// The moment from which a `stock.changed` may be delivered.
#[derive(Clone, Debug)]
pub(super) struct Release {
    pub(super) delivery: Delivery,
    /// The time since the beginning.
    pub(super) passed: Duration,
    /// The clock was set around it.
    pub(super) is_near_step: bool,
}

pub(super) struct History {
    storage: MemoryStorage,
    deeds: Arc<Deeds>,
}

struct Deeds {
    clock: Arc<SetClock>,
    all: Mutex<Vec<Deed>>,
}

impl History {
    pub(super) fn new(clock: Arc<SetClock>) -> Arc<Self> {
        let all = Mutex::default();
        Arc::new(Self {
            storage: MemoryStorage::new(),
            deeds: Arc::new(Deeds { clock, all }),
        })
    }

    /// The number of deeds so far.
    pub(super) fn place(&self) -> usize {
        self.deeds.all.lock().unwrap().len()
    }

    /// All that was done, in the order of the commits.
    pub(super) fn deeds(&self) -> Vec<Deed> {
        self.deeds.all.lock().unwrap().clone()
    }
}

impl Deeds {
    /// The deeds of a commit. The runtime has one thread, and the store answers at once: whoever
    /// commits first is also the first to write it down.
    fn of(&self, commit: &Commit) -> Vec<Deed> {
        let is_release = |(key, write): &(Key, Write)| {
            key[16] == WAITING_STOCK && matches!(write, Write::Remove)
        };
        let has_releases = commit.writes.iter().any(is_release);
        let deed = |(key, write): &(Key, Write)| {
            let value = write.value()?;
            match key[16] {
                EVENT => Some(Deed::Event(value.to_vec())),
                WEBHOOKS => Some(Deed::Webhooks(serde_json::from_slice(value).unwrap())),
                QUEUE if has_releases => Some(Deed::Release(Release {
                    delivery: serde_json::from_slice(value).unwrap(),
                    passed: self.clock.elapsed(),
                    is_near_step: self.clock.was_set(),
                })),
                _ => None,
            }
        };
        commit.writes.iter().filter_map(deed).collect()
    }

    fn add(&self, done: Vec<Deed>) {
        self.all.lock().unwrap().extend(done);
    }
}

#[async_trait]
impl Storage for History {
    async fn read(&self, reads: &[Read<'_>]) -> Result<State, StorageError> {
        self.storage.read(reads).await
    }

    async fn commit(&self, commit: Commit) -> Result<(), CommitError> {
        let done = self.deeds.of(&commit);
        self.storage.commit(commit).await?;
        self.deeds.add(done);
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
    deeds: Arc<Deeds>,
}

#[async_trait]
impl Locked for HistoryLock {
    async fn read(&self, reads: &[Read<'_>]) -> Result<State, StorageError> {
        self.lock.read(reads).await
    }

    async fn commit(self: Box<Self>, commit: Commit) -> Result<(), CommitError> {
        let done = self.deeds.of(&commit);
        self.lock.commit(commit).await?;
        self.deeds.add(done);
        Ok(())
    }
}
