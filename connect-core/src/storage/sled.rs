//! The embedded store on sled 0.34, with its known faults kept in check.
//!
//! Before relying on it, know this:
//!
//! - Killing the process loses nothing that was acknowledged or seen; tests kill it. Against loss
//!   of power the database file is synced (`fdatasync`) before a commit is acknowledged; sled
//!   0.34 alone does not do that. sled reuses parts of its file on the word of its own, weaker
//!   flush, which only a drive that reorders writes across a power cut could turn into damage.
//! - sled has one lock for all batches and reads of the process: a read of a key that lies
//!   outside the commits under way still waits while sled applies a batch in memory
//!   (milliseconds for thousands of writes), though never for a flush.
//! - A scan holds the next group back until it is done, and with it later readers: ask for pages,
//!   not for everything.

use super::{disk::sled::Sled, embedded::embedded_store};

pub use super::{
    disk::{OpenError, SpaceOptions},
    embedded::EmbeddedOptions as SledOptions,
};

embedded_store! {
    /// A [`Storage`](super::Storage) on sled in a directory on the local disk, for one process at a
    /// time.
    ///
    /// Reads run on the calling thread, from memory or from the disk. Opening it takes
    /// seconds for a million products, as all rows are counted. Dropping it finishes what is
    /// queued, closes the database and waits until its lock is free, so that it can be opened again
    /// at once.
    SledStorage on Sled
}
