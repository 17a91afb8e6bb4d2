//! Locks on guards, for backends that live in one process: [`InProcess`] makes a [`Storage`] out
//! of a backend that can read and apply.
//!
//! Commits with the same guard pass side by side until somebody asks for the lock. Then those
//! under way are waited for, later ones wait, and locks are granted in the order in which they
//! were asked for.

mod finishing;

use std::{collections::HashMap, sync::Arc, time::Duration};

use async_trait::async_trait;
use parking_lot::Mutex;
use tokio::sync::{OwnedRwLockReadGuard, OwnedRwLockWriteGuard, RwLock};

pub(in crate::storage) use self::finishing::Finishing;

use super::{Commit, CommitError, Key, Locked, Read, State, Storage, StorageError, lease::Lease};

/// The longest time that a lock is held. Whoever has not committed by then is taken for dead: the
/// lock goes to the next, and the late commit is refused.
pub const LEASE: Duration = Duration::from_secs(10);

/// A backend without locks: [`InProcess`] adds them.
#[async_trait]
pub trait Local: Send + Sync + 'static {
    /// As [`Storage::read`].
    ///
    /// # Errors
    /// The store cannot be read.
    async fn read(&self, reads: &[Read<'_>]) -> Result<State, StorageError>;

    /// Checks every expectation (the guard's among them), then applies every write (the guard's
    /// among them), and returns once all is durable. Several commits may be handed in at once,
    /// those of one guard included. [`Commit::with_guard_as_row`] makes the guard an expectation
    /// and a write like the others.
    ///
    /// [`InProcess`] polls this to its end, also when whoever asked for the commit goes away, so a
    /// backend need not expect to be interrupted.
    ///
    /// # Errors
    /// As [`Storage::commit`].
    async fn apply(&self, commit: Commit) -> Result<(), CommitError>;
}

/// A [`Storage`] made of a [`Local`] backend and the locks of its guards. Cheap to clone; all
/// clones are the same store. It needs a tokio runtime with timers.
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
        let entered = match &commit.guard {
            Some(guard) => Some(self.locks.enter(&guard.key).await),
            None => None,
        };
        let local = self.local.clone();
        Finishing::new(async move {
            let result = local.apply(commit).await;
            // Until here no lock is granted, so whoever gets one sees how this commit ended.
            drop(entered);
            result
        })
        .await
    }

    async fn lock(&self, guard: &[u8]) -> Result<Box<dyn Locked>, StorageError> {
        let exclusive = self.locks.lock(guard).await;
        Ok(Box::new(Lock {
            local: self.local.clone(),
            guard: guard.into(),
            lease: Lease::new(exclusive, self.lease),
        }))
    }
}

/// Makes a type around an [`InProcess`] a [`Storage`]: its name stands in the public API, the
/// backend behind it does not.
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

/// The locks of all guards of a store.
#[derive(Default)]
pub(super) struct GuardLocks {
    locks: Mutex<HashMap<Key, Arc<RwLock<()>>>>,
}

/// More guards than this, and those that nobody uses are forgotten.
const MOST_IDLE: usize = 10_000;

impl GuardLocks {
    /// Waits until nobody holds the lock of a guard, and holds off those who ask for it.
    pub(super) async fn enter(&self, guard: &[u8]) -> OwnedRwLockReadGuard<()> {
        self.of(guard).read_owned().await
    }

    /// Waits for those who have entered, and holds off those who come later.
    pub(super) async fn lock(&self, guard: &[u8]) -> OwnedRwLockWriteGuard<()> {
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
    lease: Lease<OwnedRwLockWriteGuard<()>>,
}

#[async_trait]
impl<L: Local> Locked for Lock<L> {
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
