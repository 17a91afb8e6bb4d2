//! The embedded store on sled 0.34, with workarounds for its known faults.
//!
//! Limits:
//!
//! - Killing the process loses no write acknowledged or seen; tests cover this. Against loss of
//!   power the database file is synced (`fdatasync`) before a commit is acknowledged; sled 0.34
//!   alone does not do this. sled reuses parts of its file after its own, weaker flush. Only a
//!   drive reordering writes across a power cut could turn this into damage.
//! - sled has one lock for all batches and reads of the process. While sled applies a batch in
//!   memory, reads of keys outside the commits under way wait too: milliseconds for thousands of
//!   writes, half a second and more for 50 000, as when a category of 10 000 products is deleted.
//!   They never wait for a flush.
//! - A scan delays the next group until it is done, and later readers with it: read in pages, not
//!   everything at once.

use super::{disk::sled::Sled, embedded::embedded_store};

pub use super::{
    disk::{OpenError, SpaceOptions},
    embedded::EmbeddedOptions as SledOptions,
};

embedded_store! {
    /// A [`Storage`](super::Storage) on sled in a local directory, for one process at a time.
    ///
    /// Reads run on the calling thread, from memory or from the disk. Opening counts all rows:
    /// seconds for a million products. Dropping it finishes the queued commits, closes the database
    /// and waits until its lock is free, so it can be opened again at once.
    SledStorage on Sled
}
