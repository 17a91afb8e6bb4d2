//! The engine under a store: an ordered map on disk, with batches.

use std::{path::Path, sync::Arc};

pub(crate) use super::fault::{Damage, ReadFault};

use super::{
    Kind, OpenError,
    damage::{DamagedPages, Pages},
    progress::StoreMark,
};
use crate::storage::StorageError;

/// Writes to apply together.
pub(crate) type Batch = Vec<EngineWrite>;

/// One write to an engine.
#[derive(Clone, Debug)]
pub(crate) struct EngineWrite {
    pub(crate) key: Vec<u8>,
    /// The new bytes, or `None` to remove the key.
    pub(crate) value: Option<Vec<u8>>,
    /// The checksum of the replaced entry, if there is one.
    /// Known only for live engines; the others find it when replacing the entry.
    #[cfg_attr(not(feature = "sled"), allow(dead_code))]
    pub(crate) was: Option<u32>,
}

/// An open database.
/// Only the writer thread has it; readers have its [`EngineSnapshot`]s.
///
/// Dropping it closes the database and returns once its files are free. All snapshots must be
/// dropped first.
pub(crate) trait Engine: Sized + Send + 'static {
    /// The kind of store, as recorded in its folder.
    const KIND: Kind;
    /// The longest value to store whole.
    /// Longer ones are split into parts of this length.
    const PART_LEN: usize;
    /// Whether a snapshot shows later writes, entry by entry.
    const IS_LIVE: bool;
    /// Whether opening silently drops unreadable data, so the rows must be counted.
    const DROPS_ROWS: bool;

    /// Settings of the engine.
    type Options: Clone + Send + Sync + 'static;
    /// The state for readers.
    type Snapshot: EngineSnapshot;

    /// Opens the database in a directory, or creates an empty one.
    /// All its contents are durable when this returns.
    fn open(path: &Path, options: &Self::Options) -> Result<Self, OpenError>;

    /// The most bytes on the disk for a batch, by its keys and values.
    /// `content` is their length, and `file` that of the engine's data file.
    fn room_for(writes: u64, content: u64, file: u64) -> u64;

    /// The current state.
    fn snapshot(&self) -> Result<Self::Snapshot, ReadFault>;

    /// Applies a batch and its resulting mark as a whole, and makes them durable.
    /// Returns the resulting mark.
    fn apply(&mut self, batch: Batch, mark: StoreMark) -> Result<StoreMark, ApplyError>;

    /// The engine's current pages, if it keeps checksums without checking them.
    fn pages(&self) -> Result<Option<Box<dyn Pages>>, StorageError> {
        Ok(None)
    }

    /// Writes all readable data into new files to replace these.
    /// The new files have no damaged pages and no room of removed entries. After an interruption,
    /// either the old or the new files are in place.
    fn rewrite(self, _path: &Path, _options: &Self::Options) -> Result<Self, StorageError> {
        Ok(self)
    }

    /// The damage, avoided by its snapshots.
    fn damage(&self) -> Option<&Arc<DamagedPages>> {
        None
    }
}

/// One state of an engine, or a live view of it.
pub(crate) trait EngineSnapshot: Send + Sync + 'static {
    /// Passes the bytes of a key to `read`.
    fn get<R>(&self, key: &[u8], read: impl FnOnce(&[u8]) -> R) -> Result<Option<R>, ReadFault>;

    /// Passes entries of `from <= key < to` to `each`, until it returns false.
    /// In order or in reverse.
    fn visit(
        &self,
        from: &[u8],
        to: &[u8],
        newest_first: bool,
        each: impl FnMut(&[u8], &[u8]) -> Result<bool, ReadFault>,
    ) -> Result<(), ReadFault>;
}

/// The failure to apply a batch and make it durable.
#[derive(Clone, Debug)]
pub(crate) enum ApplyError {
    /// No part of the batch is applied, now or later.
    NotApplied(StorageError),
    /// The batch is applied as a whole or not at all.
    /// Reopening the database shows the outcome.
    Unknown(StorageError),
}

impl ApplyError {
    pub(crate) fn error(&self) -> &StorageError {
        match self {
            Self::NotApplied(error) | Self::Unknown(error) => error,
        }
    }
}

/// Runs code of an engine, and turns a panic into an error.
/// Both sled and redb panic on some damaged files. This must not end the process.
pub(crate) fn caught<T>(work: impl FnOnce() -> T) -> Result<T, StorageError> {
    std::panic::catch_unwind(std::panic::AssertUnwindSafe(work))
        .map_err(|_| StorageError::new("the database engine panicked; see the log"))
}

impl From<ReadFault> for ApplyError {
    fn from(fault: ReadFault) -> Self {
        Self::NotApplied(fault.into())
    }
}

impl From<StorageError> for ApplyError {
    fn from(error: StorageError) -> Self {
        Self::NotApplied(error)
    }
}
