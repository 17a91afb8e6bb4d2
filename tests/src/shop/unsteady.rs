//! A storage with simulated failures, to test the service's response to them.

use std::sync::{Arc, Mutex};

use async_trait::async_trait;
use connect_core::storage::{
    Commit, CommitError, Locked, Read, State, Storage, StorageError, memory::MemoryStorage,
};

/// The faults of an [`Unsteady`] storage.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mood {
    /// No fault.
    Steady,
    /// It answers neither reads nor commits.
    Down,
    /// It reads, but refuses all commits.
    ReadOnly,
    /// It commits, but cannot read a range of keys, only single keys.
    NoScans,
    /// It commits, but reports an unknown outcome: the answer was lost.
    Unsure,
    /// It commits nothing, and reports an unknown outcome: the request was lost.
    Lost,
    /// It panics at each commit.
    Panicking,
    /// It refuses so many commits, as if another process were faster.
    /// Under a lock there is no such conflict.
    Contended(usize),
}

/// A storage in memory, in one of its moods.
pub struct Unsteady {
    storage: MemoryStorage,
    mood: Arc<Mutex<Mood>>,
}

impl Default for Unsteady {
    /// Empty and steady.
    fn default() -> Self {
        Self {
            storage: MemoryStorage::new(),
            mood: Arc::new(Mutex::new(Mood::Steady)),
        }
    }
}

impl Unsteady {
    /// Changes the mood.
    ///
    /// # Panics
    /// Never.
    pub fn turn(&self, mood: Mood) {
        *self.mood.lock().unwrap() = mood;
    }
}

/// Applies the mood to a read.
fn before_read(mood: Mood, reads: &[Read<'_>]) -> Result<(), StorageError> {
    let scans = |read: &Read<'_>| matches!(read, Read::Scan { .. } | Read::ScanFollow { .. });
    match mood {
        Mood::Down => Err(failed()),
        Mood::NoScans if reads.iter().any(scans) => Err(failed()),
        _ => Ok(()),
    }
}

/// Applies the mood to a commit before it is made.
fn before_commit(mood: Mood) -> Result<(), CommitError> {
    match mood {
        Mood::Down | Mood::Lost => Err(CommitError::Unknown(failed())),
        Mood::ReadOnly => Err(CommitError::NotApplied(failed())),
        Mood::Panicking => panic!("the storage panics, as the test wants it to"),
        Mood::Steady | Mood::NoScans | Mood::Unsure | Mood::Contended(_) => Ok(()),
    }
}

/// Applies the mood to the answer of a finished commit.
fn after_commit(mood: Mood) -> Result<(), CommitError> {
    match mood {
        Mood::Unsure => Err(CommitError::Unknown(failed())),
        _ => Ok(()),
    }
}

fn failed() -> StorageError {
    StorageError::new("disk 7 of db-3.internal is full")
}

#[async_trait]
impl Storage for Unsteady {
    async fn read(&self, reads: &[Read<'_>]) -> Result<State, StorageError> {
        before_read(*self.mood.lock().unwrap(), reads)?;
        self.storage.read(reads).await
    }

    async fn commit(&self, commit: Commit) -> Result<(), CommitError> {
        let mood = *self.mood.lock().unwrap();
        before_commit(mood)?;
        if let Mood::Contended(left @ 1..) = mood {
            self.turn(Mood::Contended(left - 1));
            return Err(CommitError::Conflict);
        }
        self.storage.commit(commit).await?;
        after_commit(mood)
    }

    async fn lock(&self, guard: &[u8]) -> Result<Box<dyn Locked>, StorageError> {
        if *self.mood.lock().unwrap() == Mood::Down {
            return Err(failed());
        }
        Ok(Box::new(UnsteadyLock {
            lock: self.storage.lock(guard).await?,
            mood: self.mood.clone(),
        }))
    }
}

/// A lock on an [`Unsteady`] storage, with the same mood.
struct UnsteadyLock {
    lock: Box<dyn Locked>,
    mood: Arc<Mutex<Mood>>,
}

#[async_trait]
impl Locked for UnsteadyLock {
    async fn read(&self, reads: &[Read<'_>]) -> Result<State, StorageError> {
        before_read(*self.mood.lock().unwrap(), reads)?;
        self.lock.read(reads).await
    }

    async fn commit(self: Box<Self>, commit: Commit) -> Result<(), CommitError> {
        let mood = *self.mood.lock().unwrap();
        before_commit(mood)?;
        self.lock.commit(commit).await?;
        after_commit(mood)
    }
}
