//! Locks on guards, for backends inside one process.
//! [`InProcess`] turns a backend with `read` and `apply` into a [`Storage`].
//!
//! Commits with the same guard run concurrently until a caller asks for the lock. The lock then
//! waits for the commits under way, and later commits wait for the lock. Locks are granted in the
//! order of the requests.

mod finishing;

use std::{collections::HashMap, sync::Arc, time::Duration};

use async_trait::async_trait;
use parking_lot::Mutex;
use tokio::sync::{OwnedRwLockReadGuard, OwnedRwLockWriteGuard, RwLock};

pub(in crate::storage) use self::finishing::Finishing;

use super::{Commit, CommitError, Key, Locked, Read, State, Storage, StorageError, lease::Lease};

/// The longest time to hold a lock.
/// A holder without a commit by then counts as dead: the lock goes to the next caller, and the late
/// commit is refused.
pub const LEASE: Duration = Duration::from_secs(10);

/// A backend without locks: [`InProcess`] adds them.
#[async_trait]
pub trait Local: Send + Sync + 'static {
    /// As [`Storage::read`].
    ///
    /// # Errors
    /// The store cannot be read.
    async fn read(&self, reads: &[Read<'_>]) -> Result<State, StorageError>;

    /// Checks every expectation, then applies every write.
    /// Both include the guard's. Returns once all is durable. Several commits may be handed in at
    /// once, also with the same guard. [`Commit::with_guard_as_row`] turns the guard into an
    /// ordinary expectation and write.
    ///
    /// [`InProcess`] polls this to its end, even after the caller is cancelled, so a backend need
    /// not handle interruption.
    ///
    /// # Errors
    /// As [`Storage::commit`].
    async fn apply(&self, commit: Commit) -> Result<(), CommitError>;
}

/// A [`Storage`] made of a [`Local`] backend and guard locks.
/// Cheap to clone; all clones are the same store. It needs a tokio runtime with timers.
pub struct InProcess<L> {
    local: Arc<L>,
    locks: Arc<GuardLocks>,
    lease: Duration,
}

impl<L: Local> InProcess<L> {
    /// A storage over `local`. Its locks last for [`LEASE`] at most.
    pub fn new(local: L) -> Self {
        Self {
            local: Arc::new(local),
            locks: Arc::default(),
            lease: LEASE,
        }
    }

    /// The same with another lease, for tests.
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
        let entered = match &commit.guard {
            Some(guard) => Some(self.locks.enter(&guard.key).await),
            None => None,
        };
        let local = self.local.clone();
        Finishing::new(async move {
            let result = local.apply(commit).await;
            // No lock is granted until here, so the next holder sees how this commit ended.
            drop(entered);
            result
        })
        .await
    }

    async fn lock(&self, guard: &[u8]) -> Result<Box<dyn Locked>, StorageError> {
        let exclusive = self.locks.lock(guard).await;
        Ok(Box::new(InProcessLock {
            local: self.local.clone(),
            guard: guard.into(),
            lease: Lease::new(exclusive, self.lease),
        }))
    }
}

/// Implements [`Storage`] for a wrapper of an [`InProcess`].
/// The wrapper's name is part of the public API, the backend behind it is not.
macro_rules! delegates_to_in_process {
    ($storage:ty) => {
        #[async_trait::async_trait]
        impl $crate::storage::Storage for $storage {
            async fn read(
                &self,
                reads: &[$crate::storage::Read<'_>],
            ) -> Result<$crate::storage::State, $crate::storage::StorageError> {
                self.0.read(reads).await
            }

            async fn commit(
                &self,
                commit: $crate::storage::Commit,
            ) -> Result<(), $crate::storage::CommitError> {
                self.0.commit(commit).await
            }

            async fn lock(
                &self,
                guard: &[u8],
            ) -> Result<Box<dyn $crate::storage::Locked>, $crate::storage::StorageError> {
                self.0.lock(guard).await
            }
        }
    };
}
pub(crate) use delegates_to_in_process;

/// A lock for each name, such as the guards of a store.
#[derive(Default)]
pub(crate) struct GuardLocks {
    locks: Mutex<HashMap<Key, Arc<RwLock<()>>>>,
}

/// The number of guards to keep. Beyond it, unused ones are forgotten.
const MOST_IDLE: usize = 10_000;

impl GuardLocks {
    /// Waits until a guard's lock is free, and blocks later lock requests.
    pub(super) async fn enter(&self, guard: &[u8]) -> OwnedRwLockReadGuard<()> {
        self.of(guard).read_owned().await
    }

    /// Waits for the callers inside, and blocks later ones.
    pub(crate) async fn lock(&self, guard: &[u8]) -> OwnedRwLockWriteGuard<()> {
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

struct InProcessLock<L> {
    local: Arc<L>,
    guard: Key,
    lease: Lease<OwnedRwLockWriteGuard<()>>,
}

#[async_trait]
impl<L: Local> Locked for InProcessLock<L> {
    async fn read(&self, reads: &[Read<'_>]) -> Result<State, StorageError> {
        self.local.read(reads).await
    }

    async fn commit(self: Box<Self>, commit: Commit) -> Result<(), CommitError> {
        commit.check_guard(&self.guard)?;
        let Some(turn) = self.lease.held().await.take() else {
            return Err(CommitError::Conflict);
        };
        let local = self.local.clone();
        Finishing::new(async move {
            let result = local.apply(commit).await;
            drop(turn);
            result
        })
        .await
    }
}
