//! A storage with moods: what a service does when its storage fails cannot be seen otherwise.

use std::sync::Mutex;

use async_trait::async_trait;
use connect_core::storage::{
    Commit, CommitError, Entry, Range, Storage, StorageError, Value, memory::MemoryStorage,
};

/// What an [`Unsteady`] storage does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mood {
    /// Its work.
    Steady,
    /// It answers neither reads nor commits.
    Down,
    /// It reads, but commits nothing.
    ReadOnly,
    /// It reads single keys and commits, but cannot read a range of keys.
    NoScans,
    /// It commits, but says that it does not know: the connection to it broke on the way back.
    Unsure,
    /// It panics at each commit.
    Panicking,
    /// It refuses so many commits, as if another process had been faster.
    Contended(usize),
}

/// A storage in memory, in one of its moods.
pub struct Unsteady {
    storage: MemoryStorage,
    mood: Mutex<Mood>,
}

impl Default for Unsteady {
    /// Empty and steady.
    fn default() -> Self {
        Self {
            storage: MemoryStorage::new(),
            mood: Mutex::new(Mood::Steady),
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

    /// The mood for one operation.
    fn mood(&self) -> Mood {
        *self.mood.lock().unwrap()
    }

    fn down() -> StorageError {
        StorageError::new("disk 7 of db-3.internal is full")
    }
}

#[async_trait]
impl Storage for Unsteady {
    async fn get(&self, keys: &[&[u8]]) -> Result<Vec<Option<Value>>, StorageError> {
        match self.mood() {
            Mood::Down => Err(Self::down()),
            _ => self.storage.get(keys).await,
        }
    }

    async fn scan(&self, range: Range<'_>, limit: usize) -> Result<Vec<Entry>, StorageError> {
        match self.mood() {
            Mood::Down | Mood::NoScans => Err(Self::down()),
            _ => self.storage.scan(range, limit).await,
        }
    }

    async fn commit(&self, commit: Commit) -> Result<(), CommitError> {
        match self.mood() {
            Mood::Steady | Mood::NoScans => self.storage.commit(commit).await,
            Mood::Down | Mood::ReadOnly => Err(Self::down().into()),
            Mood::Unsure => {
                self.storage.commit(commit).await?;
                Err(Self::down().into())
            }
            Mood::Panicking => panic!("the storage panics, as the test wants it to"),
            Mood::Contended(0) => self.storage.commit(commit).await,
            Mood::Contended(left) => {
                self.turn(Mood::Contended(left - 1));
                Err(CommitError::Conflict)
            }
        }
    }
}
