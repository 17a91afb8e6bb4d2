//! The public form of the embedded stores, which differ in their engine only.

use std::time::Duration;

use super::{Entry, disk::SpaceOptions, in_process::LEASE};

/// Settings of an embedded store.
#[derive(Clone, Debug)]
pub struct EmbeddedOptions {
    /// The bytes that the store keeps in memory: one half of rows and index entries, ready to be
    /// returned, and the other half of the engine's pages, in its own reckoning. Reads of what does
    /// not fit go to the disk.
    pub cache_bytes: u64,
    /// The room on the disk that is left alone.
    pub space: SpaceOptions,
    /// The rows that a store has from its first write on, if it is made now. A store that is there is left as
    /// it is.
    pub first_rows: Vec<Entry>,
    /// The longest time for which a lock is held. Another time than [`LEASE`] is for tests.
    pub lease: Duration,
}

impl Default for EmbeddedOptions {
    /// 256 MiB of cache.
    fn default() -> Self {
        Self {
            cache_bytes: 256 * 1024 * 1024,
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
            /// Opens the store in the directory `path`, which is created when it does not exist.
            /// Blocks, also for up to two seconds while another process that has it open ends.
            ///
            /// # Errors
            /// See [`OpenError`]. A directory that another process holds, or that holds something
            /// else, is left as it was.
            pub fn open(
                path: impl AsRef<Path>,
                options: EmbeddedOptions,
            ) -> Result<Self, OpenError> {
                let rows = options.cache_bytes / 2;
                let pages = options.cache_bytes - rows;
                let (space, first) = (options.space, &options.first_rows);
                let store = DiskStore::open(path.as_ref(), pages, rows, space, first)?;
                Ok(Self(InProcess::new(store).with_lease(options.lease)))
            }

            /// The condition of the store, for as long as anybody wants to know.
            pub fn health(&self) -> HealthProbe {
                self.0.local().health()
            }

            /// Keeps all rows as they are now, to be read while commits go on. All that was
            /// acknowledged by now is among them. Blocks until the commits under way are done.
            ///
            /// # Errors
            /// The store has failed, or is being opened again.
            pub fn freeze(&self) -> Result<FrozenRows, StorageError> {
                self.0.local().freeze()
            }

            /// Checks every row, and that a look-up finds it. Commits go on between the steps.
            /// `progress` is called every 2000 entries. Blocks.
            ///
            /// # Errors
            /// The store cannot be read at all. Damaged rows are no error; the report has them.
            pub fn verify(
                &self,
                progress: &mut dyn FnMut(Progress),
            ) -> Result<Report, StorageError> {
                self.0.local().verify(progress)
            }
        }

        delegates_to_in_process!($name);

        /// Closes the store even when a commit that nobody waits for any more still has a part in
        /// it.
        impl Drop for $name {
            fn drop(&mut self) {
                self.0.local().close();
            }
        }
    };
}
pub(super) use embedded_store;
