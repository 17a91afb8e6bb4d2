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

use std::{path::Path, time::Duration};

use super::{
    StorageError,
    disk::{HealthProbe, Progress, Report, sled::Sled, store::DiskStore},
    in_process::{InProcess, LEASE, delegates_to_in_process},
};

pub use super::disk::{OpenError, SpaceOptions};

/// Settings of a [`SledStorage`].
#[derive(Clone, Debug)]
pub struct SledOptions {
    /// The bytes that the store keeps in memory: one half of rows, ready to be returned, and the
    /// other half of the engine's pages, in its own reckoning. Reads of what does not fit go to
    /// the disk.
    pub cache_bytes: u64,
    /// The room on the disk that is left alone.
    pub space: SpaceOptions,
    /// The longest time for which a lock is held. Another time than [`LEASE`] is for tests.
    pub lease: Duration,
}

impl Default for SledOptions {
    /// 256 MiB of cache.
    fn default() -> Self {
        Self {
            cache_bytes: 256 * 1024 * 1024,
            space: SpaceOptions::default(),
            lease: LEASE,
        }
    }
}

/// A [`Storage`](super::Storage) on sled in a directory on the local disk, for one process at a time.
///
/// Reads run on the calling thread, from memory or from the disk. Dropping it finishes what is
/// queued, closes the database and waits until its lock is free, so that it can be opened again
/// at once.
pub struct SledStorage(InProcess<DiskStore<Sled>>);

impl SledStorage {
    /// Opens the store in the directory `path`, which is created when it does not exist.
    ///
    /// Blocks while sled recovers: about 0.2 s for a million rows, more after a crash.
    ///
    /// # Errors
    /// See [`OpenError`]. A directory that another process holds, or that holds something else,
    /// is left as it was.
    pub fn open(path: impl AsRef<Path>, options: SledOptions) -> Result<Self, OpenError> {
        let SledOptions {
            cache_bytes,
            space,
            lease,
        } = options;
        let rows = cache_bytes / 2;
        let store = DiskStore::open(path.as_ref(), cache_bytes - rows, rows, space)?;
        Ok(Self(InProcess::new(store).with_lease(lease)))
    }

    /// The condition of the store, for as long as anybody wants to know.
    pub fn health(&self) -> HealthProbe {
        self.0.local().health()
    }

    /// Checks every row, and that a look-up finds it. Commits go on between the steps. `progress`
    /// is called every 2000 entries. Blocks.
    ///
    /// # Errors
    /// The store cannot be read at all. Damaged rows are no error; the report has them.
    pub fn verify(&self, progress: &mut dyn FnMut(Progress)) -> Result<Report, StorageError> {
        self.0.local().verify(progress)
    }
}

delegates_to_in_process!(SledStorage);

/// Closes the store even when a commit that nobody waits for any more still has a part in it.
impl Drop for SledStorage {
    fn drop(&mut self) {
        self.0.local().close();
    }
}
