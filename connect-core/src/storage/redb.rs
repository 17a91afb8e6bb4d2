//! The embedded store on redb: one file, copy-on-write B-trees, snapshots for readers.

use super::{disk::redb::Redb, embedded::embedded_store};

pub use super::{
    disk::{OpenError, SpaceOptions},
    embedded::EmbeddedOptions as RedbOptions,
};

embedded_store! {
    /// A [`Storage`](super::Storage) on redb 4 in a directory on the local disk, for one process at a
    /// time.
    ///
    /// Reads run on the calling thread, from memory or from the file. Dropping it finishes what is
    /// queued, closes the database and gives up its locks, so that it can be opened again at once.
    ///
    /// A scan holds the next group of commits back until it is done, and with it later readers: ask
    /// for pages, not for everything.
    ///
    /// [`verify`](Self::verify) does without redb's own check, which may go back to the commit
    /// before the last one to cure a file.
    RedbStorage on Redb
}
