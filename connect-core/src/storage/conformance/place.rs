//! Places for the checks to open a store in.

use std::{sync::Arc, time::Duration};

use async_trait::async_trait;

use crate::storage::{Storage, StorageError, in_process::LEASE};

/// A place for one store: a directory, a database, a namespace.
/// The implementation also removes the stored data, in `Drop` for example.
#[async_trait]
pub trait Place: Send + Sync {
    /// Opens the store: empty the first time, later with all acknowledged commits.
    ///
    /// It is opened again only after the previous store was dropped.
    async fn open(&self) -> Result<Arc<dyn Storage>, StorageError>;

    /// Returns `true` if the data outlives the store returned by `open`.
    /// A place without persistence is not checked for it.
    fn persists(&self) -> bool {
        true
    }

    /// The lease of a lock in this place.
    /// Some checks wait for it to end, so a shorter one
    /// ([`InProcess::with_lease`](crate::storage::in_process::InProcess::with_lease)) makes them
    /// faster. One second is enough for a store with answers within milliseconds.
    fn lease(&self) -> Duration {
        LEASE
    }

    /// Returns a second, empty place with little room: for example a tmpfs of 16 MB.
    /// `None`, the default, is for stores not limited by a disk; the checks of a full disk skip
    /// them.
    async fn small_disk(&self) -> Result<Option<Box<dyn SmallDisk>>, StorageError> {
        Ok(None)
    }
}

/// A place for less than 64 MB, until [`make_room`](Self::make_room) is called.
/// As with [`Place`], the implementation removes it in `Drop`.
#[async_trait]
pub trait SmallDisk: Send + Sync {
    /// As [`Place::open`].
    async fn open(&self) -> Result<Arc<dyn Storage>, StorageError>;

    /// Doubles the room, while the store is open.
    /// For example by removing another file from the same disk, or by enlarging the disk.
    async fn make_room(&self) -> Result<(), StorageError>;
}

/// The most bytes for a store in a [`SmallDisk`] place: 64 MB.
pub(super) const MOST_ROOM: usize = 64_000_000;
