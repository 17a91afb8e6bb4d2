//! A store as a process reaches it: some way off, and the process may die at one of its commits.

use std::{
    future::pending,
    sync::{Arc, Mutex},
    time::Duration,
};

use async_trait::async_trait;
use connect_core::storage::{Commit, CommitError, Locked, Read, State, Storage, StorageError};
use rand::{RngExt as _, SeedableRng as _, rngs::StdRng};
use tokio::{sync::Notify, time::sleep};

/// The death of a process at a commit.
#[derive(Clone, Copy, Debug)]
pub(super) struct Death {
    /// The commits that come before.
    pub(super) commits: usize,
    /// The last commit is made all the same.
    pub(super) is_applied: bool,
}

/// Cheap to clone; all clones are of the same process.
#[derive(Clone)]
pub(super) struct Mortal {
    storage: Arc<dyn Storage>,
    rng: Arc<Mutex<StdRng>>,
    death: Arc<Mutex<Option<Death>>>,
    died: Arc<Notify>,
}

impl Mortal {
    pub(super) fn new(storage: Arc<dyn Storage>, seed: u64, death: Option<Death>) -> Arc<Self> {
        Arc::new(Self {
            storage,
            rng: Arc::new(Mutex::new(StdRng::seed_from_u64(seed))),
            death: Arc::new(Mutex::new(death)),
            died: Arc::default(),
        })
    }

    /// Waits for the death of the process.
    pub(super) async fn died(&self) {
        self.died.notified().await;
    }

    async fn distance(&self) {
        let micros = self.rng.lock().unwrap().random_range(0..3000);
        // Mostly nothing: others come in between all the same.
        match micros {
            0..2000 => tokio::task::yield_now().await,
            _ => sleep(Duration::from_micros(micros)).await,
        }
    }

    /// `None` while the process lives; the commit that comes now is the last one otherwise.
    fn fate(&self) -> Option<Death> {
        let mut death = self.death.lock().unwrap();
        let next = death.as_mut()?;
        if next.commits > 0 {
            next.commits -= 1;
            return None;
        }
        let fate = *next;
        // What is dead makes no other commit.
        next.is_applied = false;
        Some(fate)
    }

    async fn die<T>(&self) -> T {
        self.died.notify_one();
        pending().await
    }
}

#[async_trait]
impl Storage for Mortal {
    async fn read(&self, reads: &[Read<'_>]) -> Result<State, StorageError> {
        self.distance().await;
        let found = self.storage.read(reads).await;
        self.distance().await;
        found
    }

    async fn commit(&self, commit: Commit) -> Result<(), CommitError> {
        self.distance().await;
        let fate = self.fate();
        let mut done = Ok(());
        if fate.is_none_or(|death| death.is_applied) {
            done = self.storage.commit(commit).await;
        }
        if fate.is_some() {
            return self.die().await;
        }
        self.distance().await;
        done
    }

    async fn lock(&self, guard: &[u8]) -> Result<Box<dyn Locked>, StorageError> {
        self.distance().await;
        let lock = self.storage.lock(guard).await?;
        let process = self.clone();
        Ok(Box::new(MortalLock { lock, process }))
    }
}

struct MortalLock {
    lock: Box<dyn Locked>,
    process: Mortal,
}

#[async_trait]
impl Locked for MortalLock {
    async fn read(&self, reads: &[Read<'_>]) -> Result<State, StorageError> {
        self.process.distance().await;
        self.lock.read(reads).await
    }

    async fn commit(self: Box<Self>, commit: Commit) -> Result<(), CommitError> {
        self.process.distance().await;
        let fate = self.process.fate();
        let Self { lock, process } = *self;
        let done = if fate.is_none_or(|death| death.is_applied) {
            lock.commit(commit).await
        } else {
            drop(lock);
            Ok(())
        };
        if fate.is_some() {
            return process.die().await;
        }
        done
    }
}
