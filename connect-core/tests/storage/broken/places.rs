//! Places for broken backends, and places that are broken themselves.

use std::{
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    time::Duration,
};

use async_trait::async_trait;
use connect_core::storage::{
    Commit, CommitError, Locked, Read, State, Storage, StorageError,
    conformance::{Place, SmallDisk},
    memory::MemoryStorage,
};

use super::faults;
use crate::storage::room::WithRoom;

/// Short, for some checks wait for it more than once before they give a backend up.
pub(super) const LEASE: Duration = Duration::from_millis(300);

/// A place for new stores, broken in one way.
pub(super) struct BrokenPlace<F>(pub(super) F);

#[async_trait]
impl<F: Fn() -> S + Send + Sync, S: Storage> Place for BrokenPlace<F> {
    async fn open(&self) -> Result<Arc<dyn Storage>, StorageError> {
        Ok(Arc::new((self.0)()))
    }

    fn persists(&self) -> bool {
        false
    }

    fn lease(&self) -> Duration {
        LEASE
    }
}

faults! {
    ForgetsOnClose: "reopening::keeps_everything";
    SaysUnknownWhenFull: "full::refuses";
    WritesWhenFull: "full::refuses";
    CannotReadWhenFull: "full::refuses";
    CannotOpenWhenFull: "full::opens";
    StaysFull: "full::goes_on";
}

#[async_trait]
impl Place for Broken {
    async fn open(&self) -> Result<Arc<dyn Storage>, StorageError> {
        Ok(Arc::new(MemoryStorage::with_lease(LEASE)))
    }

    fn lease(&self) -> Duration {
        LEASE
    }

    async fn small_disk(&self) -> Result<Option<Box<dyn SmallDisk>>, StorageError> {
        Ok(Some(Box::new(BrokenRoom(Store {
            broken: *self,
            room: WithRoom::new(MemoryStorage::with_lease(LEASE)),
            is_full: Arc::default(),
        }))))
    }
}

struct BrokenRoom(Store);

#[async_trait]
impl SmallDisk for BrokenRoom {
    async fn open(&self) -> Result<Arc<dyn Storage>, StorageError> {
        let Self(store) = self;
        if store.broken == Broken::CannotOpenWhenFull && store.is_full.load(Ordering::Relaxed) {
            return Err(StorageError::new("no room to open"));
        }
        Ok(Arc::new(store.clone()))
    }

    async fn make_room(&self) -> Result<(), StorageError> {
        if self.0.broken != Broken::StaysFull {
            self.0.room.make_room();
        }
        Ok(())
    }
}

#[derive(Clone)]
struct Store {
    broken: Broken,
    room: WithRoom,
    is_full: Arc<AtomicBool>,
}

#[async_trait]
impl Storage for Store {
    async fn read(&self, reads: &[Read<'_>]) -> Result<State, StorageError> {
        if self.broken == Broken::CannotReadWhenFull && self.is_full.load(Ordering::Relaxed) {
            return Err(StorageError::new("no room to read"));
        }
        self.room.read(reads).await
    }

    async fn commit(&self, commit: Commit) -> Result<(), CommitError> {
        let refused = match self.room.commit(commit.clone()).await {
            Err(CommitError::NotApplied(refused)) => refused,
            result => return result,
        };
        self.is_full.store(true, Ordering::Relaxed);
        match self.broken {
            Broken::SaysUnknownWhenFull => Err(CommitError::Unknown(refused)),
            Broken::WritesWhenFull => {
                self.room.write_anyway(commit).await?;
                Err(CommitError::NotApplied(refused))
            }
            _ => Err(CommitError::NotApplied(refused)),
        }
    }

    async fn lock(&self, guard: &[u8]) -> Result<Box<dyn Locked>, StorageError> {
        self.room.lock(guard).await
    }
}
