//! Places in which the checks open a store.

use std::{sync::Arc, time::Duration};

use async_trait::async_trait;

use crate::storage::{Storage, StorageError, in_process::LEASE};

/// A place for one store: a directory, a database, a namespace. Whoever makes one also removes
/// what was stored there, in `Drop` for example.
#[async_trait]
pub trait Place: Send + Sync {
    /// Opens the store: empty the first time, later with all that was acknowledged before.
    ///
    /// It is opened again only after the store opened before has been dropped.
    async fn open(&self) -> Result<Arc<dyn Storage>, StorageError>;

    /// Returns `true` if what is stored outlives the store that `open` returned. A place that
    /// keeps nothing is not checked for keeping it.
    fn persists(&self) -> bool {
        true
    }

    /// The lease of a lock in this place. Some checks wait for it to end, so a shorter one
    /// ([`InProcess::with_lease`](crate::storage::in_process::InProcess::with_lease)) makes them
    /// faster. One second is enough for a store that answers within milliseconds.
    fn lease(&self) -> Duration {
        LEASE
    }

    /// Returns a second place, empty and with little room, to be filled: for example a tmpfs of
    /// 16 MB. `None`, the default, is for stores that are not limited by a disk; they are not
    /// checked for a full one.
    async fn cramped(&self) -> Result<Option<Box<dyn Cramped>>, StorageError> {
        Ok(None)
    }
}

/// A place that holds less than 64 MB, until [`make_room`](Self::make_room)
/// is called. As with [`Place`], whoever makes one removes it in `Drop`.
#[async_trait]
pub trait Cramped: Send + Sync {
    /// As [`Place::open`].
    async fn open(&self) -> Result<Arc<dyn Storage>, StorageError>;

    /// Makes room for as much again, while the store is open: by removing another file from the
    /// same disk, or by making the disk larger.
    async fn make_room(&self) -> Result<(), StorageError>;
}

/// The most that a store in a [`Cramped`] place takes before it has to be full, in bytes: 64 MB.
pub(super) const MOST_ROOM: usize = 64_000_000;
