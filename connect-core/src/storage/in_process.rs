//! Locks on guards, for backends that live in one process: [`InProcess`] makes a [`Storage`] out
//! of a backend that can read and apply.
//!
//! Commits with the same guard pass side by side until somebody asks for the lock. Then those
//! under way are waited for, later ones wait, and locks are granted in the order in which they
//! were asked for.

use std::{collections::HashMap, sync::Arc, time::Duration};

use async_trait::async_trait;
use parking_lot::Mutex;
use tokio::{
    sync::{OwnedRwLockReadGuard, OwnedRwLockWriteGuard, RwLock},
    task::AbortHandle,
    time::Instant,
};

use super::{Commit, CommitError, Key, Locked, Read, State, Storage, StorageError};

/// How long a lock is held at most. Whoever has not committed by then is taken for dead: the lock
/// goes to the next, and the late commit is refused.
pub const LEASE: Duration = Duration::from_secs(10);

/// A backend without locks: [`InProcess`] adds them.
#[async_trait]
pub trait Local: Send + Sync + 'static {
    /// As [`Storage::read`].
    ///
    /// # Errors
    /// The store cannot be read.
    async fn read(&self, reads: &[Read<'_>]) -> Result<State, StorageError>;

    /// Checks every expectation (the guard's among them), then applies every write, and returns
    /// once both are durable. Several commits may be handed in at once.
    ///
    /// # Errors
    /// As [`Storage::commit`].
    async fn apply(&self, commit: Commit) -> Result<(), CommitError>;
}

/// A [`Storage`] made of a [`Local`] backend and the locks of its guards. Cheap to clone; all
/// clones are the same store.
pub struct InProcess<L> {
    local: Arc<L>,
    locks: Arc<GuardLocks>,
    lease: Duration,
}

impl<L: Local> InProcess<L> {
    /// A storage over `local`, whose locks last for [`LEASE`] at most.
    pub fn new(local: L) -> Self {
        Self {
            local: Arc::new(local),
            locks: Arc::default(),
            lease: LEASE,
        }
    }

    /// The same with locks that last for another time, for tests.
    #[must_use]
    pub fn with_lease(mut self, lease: Duration) -> Self {
        self.lease = lease;
        self
    }

    /// The backend.
    pub fn local(&self) -> &L {
        &self.local
    }
}

impl<L> Clone for InProcess<L> {
    fn clone(&self) -> Self {
        Self {
            local: self.local.clone(),
            locks: self.locks.clone(),
            lease: self.lease,
        }
    }
}

#[async_trait]
impl<L: Local> Storage for InProcess<L> {
    async fn read(&self, reads: &[Read<'_>]) -> Result<State, StorageError> {
        self.local.read(reads).await
    }

    async fn commit(&self, commit: Commit) -> Result<(), CommitError> {
        let _entered = match &commit.guard {
            Some(guard) => Some(self.locks.enter(&guard.key).await),
            None => None,
        };
        self.local.apply(commit).await
    }

    async fn lock(&self, guard: &[u8]) -> Result<Box<dyn Locked>, StorageError> {
        let exclusive = self.locks.lock(guard).await;
        let held = Arc::new(Mutex::new(Some(exclusive)));
        let until = Instant::now() + self.lease;
        let expiring = held.clone();
        let expiry = tokio::spawn(async move {
            tokio::time::sleep_until(until).await;
            drop(expiring.lock().take());
        });
        Ok(Box::new(Lock {
            local: self.local.clone(),
            guard: guard.into(),
            held,
            until,
            expiry: expiry.abort_handle(),
        }))
    }
}

/// The locks of all guards of a store.
#[derive(Default)]
struct GuardLocks {
    locks: Mutex<HashMap<Key, Arc<RwLock<()>>>>,
}

/// More guards than this, and those that nobody uses are forgotten.
const MOST_IDLE: usize = 10_000;

impl GuardLocks {
    /// Waits until nobody holds the lock of a guard, and holds off those who ask for it.
    async fn enter(&self, guard: &[u8]) -> OwnedRwLockReadGuard<()> {
        self.of(guard).read_owned().await
    }

    async fn lock(&self, guard: &[u8]) -> OwnedRwLockWriteGuard<()> {
        self.of(guard).write_owned().await
    }

    fn of(&self, guard: &[u8]) -> Arc<RwLock<()>> {
        let mut locks = self.locks.lock();
        if let Some(lock) = locks.get(guard) {
            return lock.clone();
        }
        if locks.len() >= MOST_IDLE {
            locks.retain(|_, lock| Arc::strong_count(lock) > 1);
        }
        locks.entry(guard.into()).or_default().clone()
    }
}

struct Lock<L> {
    local: Arc<L>,
    guard: Key,
    /// Empty once the lease is over, and while a commit is under way.
    held: Arc<Mutex<Option<OwnedRwLockWriteGuard<()>>>>,
    until: Instant,
    expiry: AbortHandle,
}

#[async_trait]
impl<L: Local> Locked for Lock<L> {
    async fn read(&self, reads: &[Read<'_>]) -> Result<State, StorageError> {
        self.local.read(reads).await
    }

    async fn commit(&mut self, commit: Commit) -> Result<(), CommitError> {
        if commit
            .guard
            .as_ref()
            .is_none_or(|guard| guard.key != self.guard)
        {
            let reason = "a commit under a lock has to have the guard that is locked";
            return Err(CommitError::NotApplied(StorageError::new(reason)));
        }
        // Taken out for as long as the commit is under way, so that the lease cannot end within.
        let Some(exclusive) = self.held.lock().take() else {
            return Err(CommitError::Conflict);
        };
        let (local, held, until) = (self.local.clone(), self.held.clone(), self.until);
        // In a task of its own: the caller may go away, the lock may not before the commit ends.
        let applying = tokio::spawn(async move {
            let result = local.apply(commit).await;
            if Instant::now() < until {
                *held.lock() = Some(exclusive);
            }
            result
        });
        applying.await.unwrap_or_else(|_| {
            let reason = "the store panicked while it applied a commit";
            Err(CommitError::Unknown(StorageError::new(reason)))
        })
    }
}

impl<L> Drop for Lock<L> {
    fn drop(&mut self) {
        self.expiry.abort();
    }
}
