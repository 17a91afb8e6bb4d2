//! The engine under a store: an ordered map of bytes on the disk that applies batches.

use std::{path::Path, sync::Arc};

pub(crate) use super::fault::{Damage, Fault};

use super::{
    Kind, OpenError,
    damage::{DamagedPages, Pages},
    progress::Mark,
};
use crate::storage::StorageError;

/// Writes that are applied together.
pub(crate) type Batch = Vec<Change>;

/// One write to an engine.
#[derive(Clone, Debug)]
pub(crate) struct Change {
    pub(crate) key: Vec<u8>,
    /// The new bytes, or `None` to remove the key.
    pub(crate) value: Option<Vec<u8>>,
    /// The checksum of the entry that is replaced, if there is one. Only known for engines that
    /// are live; the others find it as they replace the entry.
    #[cfg_attr(not(feature = "sled"), allow(dead_code))]
    pub(crate) was: Option<u32>,
}

/// An open database. Only the writer thread has it; readers have its [`Snapshot`]s.
///
/// Dropping it closes the database and returns once its files are free. All snapshots have to be
/// gone by then.
pub(crate) trait Engine: Sized + Send + 'static {
    /// The kind of store, as its folder says.
    const KIND: Kind;
    /// Values longer than this are stored in parts of this length.
    const PART_LEN: usize;
    /// A snapshot shows what is written after it was taken, entry by entry.
    const IS_LIVE: bool;
    /// Opening drops what it cannot read of its files in silence, so the rows have to be counted.
    const DROPS_ROWS: bool;
    /// The work that one slice of a large commit may be, chosen so that it takes a fraction of
    /// the time for which a small commit may be held up.
    const SLICE: Slice;
    /// The room on the disk that a write may take beside its key and its value, in bytes.
    const ROOM_PER_WRITE: usize;

    /// Settings of the engine.
    type Options: Clone + Send + Sync + 'static;
    /// The state that readers see.
    type Snapshot: Snapshot;

    /// Opens the database in a directory, or makes an empty one. Everything that it shows is
    /// durable when this returns.
    fn open(path: &Path, options: &Self::Options) -> Result<Self, OpenError>;

    /// The state as of now.
    fn snapshot(&self) -> Result<Self::Snapshot, Fault>;

    /// Applies a batch as a whole, together with the mark that it leads to, and makes it durable.
    /// Returns that mark.
    fn apply(&mut self, batch: Batch, mark: Mark) -> Result<Mark, Failed>;

    /// The engine's pages as of now, where it keeps checksums of them that it does not look at.
    fn pages(&self) -> Result<Option<Box<dyn Pages>>, StorageError> {
        Ok(None)
    }

    /// Writes everything that can be read into new files in place of these: without damaged pages, and
    /// without the room of what was removed. Whatever happens meanwhile, the files are the old ones or
    /// the new ones.
    fn rewrite(self, _path: &Path, _options: &Self::Options) -> Result<Self, StorageError> {
        Ok(self)
    }

    /// The damage that its snapshots keep away from.
    fn damage(&self) -> Option<&Arc<DamagedPages>> {
        None
    }
}

/// One state of an engine, or a live view of it.
pub(crate) trait Snapshot: Send + Sync + 'static {
    /// Hands the bytes of a key to `read`.
    fn get<R>(&self, key: &[u8], read: impl FnOnce(&[u8]) -> R) -> Result<Option<R>, Fault>;

    /// Hands the entries of `from <= key < to` to `each`, in order or in the reverse order, until
    /// it returns false.
    fn visit(
        &self,
        from: &[u8],
        to: &[u8],
        newest_first: bool,
        each: impl FnMut(&[u8], &[u8]) -> Result<bool, Fault>,
    ) -> Result<(), Fault>;
}

/// Bounds of a slice of a large commit.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Slice {
    /// In writes.
    pub(crate) writes: usize,
    /// In bytes of keys and values.
    pub(crate) bytes: usize,
}

/// The failure to apply a batch and make it durable.
#[derive(Clone, Debug)]
pub(crate) enum Failed {
    /// Nothing of it is, and nothing of it will be.
    NotApplied(StorageError),
    /// All of it may be, or nothing. Opening the database again shows which.
    Unknown(StorageError),
}

impl Failed {
    pub(crate) fn error(&self) -> &StorageError {
        match self {
            Self::NotApplied(error) | Self::Unknown(error) => error,
        }
    }
}

/// Runs something of an engine. sled panics over some damaged files, and redb over others; that
/// must not take the process down.
pub(crate) fn caught<T>(work: impl FnOnce() -> T) -> Result<T, StorageError> {
    std::panic::catch_unwind(std::panic::AssertUnwindSafe(work))
        .map_err(|_| StorageError::new("the database engine panicked; see the log"))
}

impl From<Fault> for Failed {
    fn from(fault: Fault) -> Self {
        Self::NotApplied(fault.into())
    }
}

impl From<StorageError> for Failed {
    fn from(error: StorageError) -> Self {
        Self::NotApplied(error)
    }
}
