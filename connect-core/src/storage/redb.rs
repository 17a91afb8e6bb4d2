//! The embedded store on redb: one file, copy-on-write B-trees, snapshots for readers.

use super::{disk::redb::Redb, embedded::embedded_store};

pub use super::{
    disk::{OpenError, SpaceOptions},
    embedded::EmbeddedOptions as RedbOptions,
};

embedded_store! {
    /// A [`Storage`](super::Storage) on redb 4 in a local directory, for one process at a time.
    ///
    /// Reads run on the calling thread, from memory or from the file. Dropping it finishes the
    /// queued commits, closes the database and releases its locks, so it can be opened again at
    /// once.
    ///
    /// A scan delays the next group of commits until it is done, and later readers with it: read in
    /// pages, not everything at once.
    ///
    /// [`verify`](Self::verify) does without redb's own check: to repair a file, it may go back to
    /// the commit before the last one.
    RedbStorage on Redb
}
