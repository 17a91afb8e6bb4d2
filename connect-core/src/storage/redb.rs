//! The embedded store on redb: one file, copy-on-write B-trees, snapshots for readers.

use std::{path::Path, time::Duration};

use super::{
    StorageError,
    disk::{HealthProbe, Progress, Report, redb::Redb, store::DiskStore},
    in_process::{InProcess, LEASE, delegates_to_in_process},
};

pub use super::disk::{OpenError, SpaceOptions};

/// Settings of a [`RedbStorage`].
#[derive(Clone, Debug)]
pub struct RedbOptions {
    /// The bytes that the store keeps in memory: one half of rows, ready to be returned, and the
    /// other half of the engine's pages, in its own reckoning. Reads of what does not fit go to
    /// the disk.
    pub cache_bytes: u64,
    /// The room on the disk that is left alone.
    pub space: SpaceOptions,
    /// The longest time for which a lock is held. Another time than [`LEASE`] is for tests.
    pub lease: Duration,
}

impl Default for RedbOptions {
    /// 256 MiB of cache.
    fn default() -> Self {
        Self {
            cache_bytes: 256 * 1024 * 1024,
            space: SpaceOptions::default(),
            lease: LEASE,
        }
    }
}

/// A [`Storage`](super::Storage) on redb 4 in a directory on the local disk, for one process at a time.
///
/// Reads run on the calling thread, from memory or from the file. Dropping it finishes what is
/// queued, closes the database and gives up its locks, so that it can be opened again at once.
///
/// A scan holds the next group of commits back until it is done, and with it later readers: ask
/// for pages, not for everything.
pub struct RedbStorage(InProcess<DiskStore<Redb>>);

impl RedbStorage {
    /// Opens the store in the directory `path`, which is created when it does not exist.
    ///
    /// # Errors
    /// See [`OpenError`]. A directory that another process holds, or that holds something else,
    /// is left as it was.
    pub fn open(path: impl AsRef<Path>, options: RedbOptions) -> Result<Self, OpenError> {
        let RedbOptions {
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
    /// is called every 2000 entries. Blocks. redb's own check is not used: it may go back to the
    /// commit before the last one to cure a file.
    ///
    /// # Errors
    /// The store cannot be read at all. Damaged rows are no error; the report has them.
    pub fn verify(&self, progress: &mut dyn FnMut(Progress)) -> Result<Report, StorageError> {
        self.0.local().verify(progress)
    }
}

delegates_to_in_process!(RedbStorage);

/// Closes the store even when a commit that nobody waits for any more still has a part in it.
impl Drop for RedbStorage {
    fn drop(&mut self) {
        self.0.local().close();
    }
}
