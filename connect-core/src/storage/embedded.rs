//! The public form of the embedded stores.
//! They differ only in their engine.

use std::time::Duration;

use super::{
    Entry,
    disk::{DEFAULT_SCRUB_RATE, SpaceOptions},
    in_process::LEASE,
};

/// Settings of an embedded store.
#[derive(Clone, Debug)]
pub struct EmbeddedOptions {
    /// The bytes of the store's caches in memory.
    /// One half holds rows, ready to be returned; the other half holds the
    /// engine's pages, by the engine's own count. Other reads go to the disk.
    pub cache_bytes: u64,
    /// The rate of checks of the engine's pages, in bytes a second.
    /// 0 for none: pages are then checked at opening, and when the engine panics in a read. Only redb has such pages;
    /// sled checks its files as it reads them.
    pub scrub_rate: u64,
    /// The reserved room on the disk.
    pub space: SpaceOptions,
    /// The initial rows of a new store, from its first write on.
    /// An existing store is left unchanged.
    pub first_rows: Vec<Entry>,
    /// The longest time to hold a lock.
    /// Values other than [`LEASE`] are for tests.
    pub lease: Duration,
}

impl Default for EmbeddedOptions {
    /// A cache of 256 MiB, and checks of 1 MiB a second.
    fn default() -> Self {
        Self {
            cache_bytes: 256 * 1024 * 1024,
            scrub_rate: DEFAULT_SCRUB_RATE,
            space: SpaceOptions::default(),
            first_rows: Vec::new(),
            lease: LEASE,
        }
    }
}

/// Makes the [`Storage`](super::Storage) of an engine.
macro_rules! embedded_store {
    ($(#[$doc:meta])* $name:ident on $engine:ty) => {
        use std::path::Path;

        use $crate::storage::{
            StorageError,
            disk::{FrozenRows, HealthProbe, Progress, Report, store::DiskStore},
            embedded::EmbeddedOptions,
            in_process::{InProcess, delegates_to_in_process},
        };

        $(#[$doc])*
        pub struct $name(InProcess<DiskStore<$engine>>);

        impl $name {
            /// Opens the store in the directory `path`, creating the directory if missing.
            /// Blocks. When another process with the store open is ending, waits up to two seconds
            /// for it.
            ///
            /// # Errors
            /// See [`OpenError`]. A directory held by another process, or with other contents, is
            /// left unchanged.
            pub fn open(
                path: impl AsRef<Path>,
                options: EmbeddedOptions,
            ) -> Result<Self, OpenError> {
                let rows = options.cache_bytes / 2;
                let pages = options.cache_bytes - rows;
                let (space, first) = (options.space, &options.first_rows);
                let store = DiskStore::open(path.as_ref(), pages, rows, space, first)?;
                let store = store.with_scrub_rate(options.scrub_rate);
                Ok(Self(InProcess::new(store).with_lease(options.lease)))
            }

            /// The condition of the store, for monitoring. Outlives the store.
            pub fn health(&self) -> HealthProbe {
                self.0.local().health()
            }

            /// Keeps all current rows readable while commits go on.
            /// They include every commit acknowledged so far. Blocks until the commits under way
            /// are done.
            ///
            /// # Errors
            /// The store has failed, or is being opened again.
            pub fn freeze(&self) -> Result<FrozenRows, StorageError> {
                self.0.local().freeze()
            }

            /// Checks every row, and its look-up by key.
            /// Commits go on between the steps. `progress` is called every 2000 entries. Blocks.
            ///
            /// # Errors
            /// The store cannot be read at all. Damaged rows are no error; the report lists them.
            pub fn verify(
                &self,
                progress: &mut dyn FnMut(Progress),
            ) -> Result<Report, StorageError> {
                self.0.local().verify(progress)
            }
        }

        delegates_to_in_process!($name);

        /// Closes the store, even while a cancelled commit still uses it.
        impl Drop for $name {
            fn drop(&mut self) {
                self.0.local().close();
            }
        }
    };
}
pub(super) use embedded_store;
