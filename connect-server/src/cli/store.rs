//! The store chosen on the command line.

use std::{
    io::{self, ErrorKind},
    os::unix::fs::MetadataExt as _,
    path::{Path, PathBuf},
    sync::Arc,
};

use connect_core::{
    storage::{
        Entry, Storage, StorageError,
        disk::{Health, HealthProbe, OpenError, Progress, Report, ScrubCounts},
        memory::MemoryStorage,
        postgres::{self, PostgresOptions, PostgresStorage},
        redb::{RedbOptions as EmbeddedOptions, RedbStorage},
        sled::SledStorage,
    },
    transfer::Pieces,
};
use rustix::process::geteuid;
use tokio::task::spawn_blocking;

use super::{StorageChoice, StoreOptions, backup::NoBackup};
use crate::net::completion::joined;

/// An open store.
#[derive(Clone)]
pub enum Store {
    /// In memory.
    Memory(Arc<MemoryStorage>),
    /// On redb, in a directory.
    Redb(Arc<RedbStorage>),
    /// On sled, in a directory.
    Sled(Arc<SledStorage>),
    /// In a database on PostgreSQL.
    Postgres(Arc<PostgresStorage>),
}

/// The reason why a store does not open.
#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    /// The error of an embedded store.
    #[error(transparent)]
    Embedded(#[from] OpenError),
    /// The error of a database.
    #[error(transparent)]
    Postgres(#[from] postgres::OpenError),
}

/// The user has no data folder, and none was given.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("this user has no folder for data: choose one with --data DIR")]
pub struct NoDataFolder;

/// There is no store to work with.
#[derive(Debug, thiserror::Error)]
pub enum NoStore {
    /// The directory is empty or missing.
    #[error("there is no store in {}; `connect-server serve` makes one", .0.display())]
    Missing(PathBuf),
    /// The directory exists, but cannot be read.
    #[error("the store in {} cannot be read: {source}", path.display())]
    Unreadable {
        /// The directory.
        path: PathBuf,
        /// The error of the operating system.
        source: io::Error,
    },
}

/// The store belongs to another user.
/// That user could not read files written by this one.
#[derive(Debug, thiserror::Error)]
#[error("the store in {} belongs to user {owner}: run connect-server as that user", path.display())]
pub struct OtherOwner {
    /// The directory.
    pub path: PathBuf,
    /// The id of its owner.
    pub owner: u32,
}

impl StoreOptions {
    /// Returns the chosen place for records.
    /// The default is redb in the data directory.
    ///
    /// # Errors
    /// [`NoDataFolder`].
    pub fn choice(&self) -> Result<StorageChoice, NoDataFolder> {
        if let Some(choice) = &self.storage {
            return Ok(choice.clone());
        }
        Ok(StorageChoice::Redb(self.data_folder()?.join("store")))
    }

    /// Returns the data directory.
    ///
    /// # Errors
    /// [`NoDataFolder`].
    pub fn data_folder(&self) -> Result<PathBuf, NoDataFolder> {
        let folder = self.data.clone();
        folder
            .or_else(|| dirs::data_dir().map(|dir| dir.join("connect")))
            .ok_or(NoDataFolder)
    }

    /// Returns the credentials file of a running server, if any.
    /// It lies beside the directory of the store, and in the data directory for a store in memory.
    pub fn credentials(&self) -> Option<PathBuf> {
        match self.choice().ok()? {
            StorageChoice::Memory => Some(self.data_folder().ok()?.join("memory.admin.json")),
            choice => choice.credentials(),
        }
    }

    /// Returns the settings of a store in a directory, with the rows of a new one.
    pub(super) fn embedded(&self, first_rows: Vec<Entry>) -> EmbeddedOptions {
        EmbeddedOptions {
            cache_bytes: self.cache.saturating_mul(1024 * 1024),
            scrub_rate: u64::from(self.scrub_rate) * 1024 * 1024,
            first_rows,
            ..EmbeddedOptions::default()
        }
    }

    /// Returns the settings of a store in a database.
    pub(super) fn postgres(&self) -> PostgresOptions {
        let half = self.database.database_connections as usize / 2;
        PostgresOptions {
            readers: half,
            writers: half,
            prepares: !self.database.database_pooler,
            ..PostgresOptions::default()
        }
    }
}

impl StorageChoice {
    /// Returns the directory of the store, if it has one.
    pub fn path(&self) -> Option<&Path> {
        let path: &PathBuf = match self {
            Self::Memory | Self::Postgres(_) => return None,
            Self::Redb(path) | Self::Sled(path) => path,
        };
        Some(path)
    }

    /// Returns whether several processes may open the store at once.
    pub fn is_shared(&self) -> bool {
        matches!(self, Self::Postgres(_))
    }

    /// Checks for files in the directory of the store, if any.
    /// Opening a missing store would make one.
    ///
    /// # Errors
    /// See [`NoStore`].
    pub fn check_exists(&self) -> Result<(), NoStore> {
        let Some(path) = self.path() else {
            return Ok(());
        };
        let path = path.to_owned();
        match path.read_dir().map(|mut files| files.next()) {
            Ok(Some(_)) => Ok(()),
            Ok(None) => Err(NoStore::Missing(path)),
            Err(error) if error.kind() == ErrorKind::NotFound => Err(NoStore::Missing(path)),
            Err(source) => Err(NoStore::Unreadable { path, source }),
        }
    }

    /// Checks the user of the store's directory against this process's.
    /// A missing directory passes.
    ///
    /// # Errors
    /// [`OtherOwner`].
    pub fn check_owner(&self) -> Result<(), OtherOwner> {
        let owner = |path: &Path| Some(path.metadata().ok()?.uid());
        match self.path().map(|path| (path, owner(path))) {
            Some((path, Some(owner))) if owner != geteuid().as_raw() => Err(OtherOwner {
                path: path.to_owned(),
                owner,
            }),
            _ => Ok(()),
        }
    }

    /// The credentials file beside the store's directory, if it has one.
    fn credentials(&self) -> Option<PathBuf> {
        self.beside(".admin.json")
    }

    /// The file beside the store's directory, with its name and this suffix.
    pub(super) fn beside(&self, end: &str) -> Option<PathBuf> {
        self.path().map(|path| {
            let mut name = path.file_name().unwrap_or_default().to_owned();
            name.push(end);
            path.with_file_name(name)
        })
    }

    /// The file of former versions with the lead of a sandbox's clock.
    /// It lies beside the store's directory, if the store has one.
    pub fn clock(&self) -> Option<PathBuf> {
        self.beside(".clock.json")
    }

    /// The file to lock while a command backs the store up.
    /// It lies beside the store's directory, if the store has one.
    pub fn backup_lock(&self) -> Option<PathBuf> {
        self.beside(".backup.lock")
    }

    /// The directory for copies of images, beside the store's, if any.
    pub fn images(&self) -> Option<PathBuf> {
        self.path().map(|path| path.with_file_name("images"))
    }
}

impl Store {
    /// Opens a store, or makes it when there is none.
    /// A store in a directory opens on a thread of its own: this may take long, and the caller may give up
    /// meanwhile.
    ///
    /// # Errors
    /// See [`StoreError`].
    pub async fn open(choice: &StorageChoice, options: &StoreOptions) -> Result<Self, StoreError> {
        Self::open_with(choice, options, Vec::new()).await
    }

    /// Like [`open`](Self::open), with first rows for a new store in a directory.
    /// The first write to the store includes them.
    ///
    /// # Errors
    /// See [`StoreError`].
    pub async fn open_with(
        choice: &StorageChoice,
        options: &StoreOptions,
        first_rows: Vec<Entry>,
    ) -> Result<Self, StoreError> {
        Ok(match choice {
            StorageChoice::Memory => Self::Memory(Arc::new(MemoryStorage::new())),
            StorageChoice::Redb(path) => {
                let (path, options) = (path.clone(), options.embedded(first_rows));
                let opened = spawn_blocking(move || RedbStorage::open(path, options));
                Self::Redb(Arc::new(joined(opened).await?))
            }
            StorageChoice::Sled(path) => {
                let (path, options) = (path.clone(), options.embedded(first_rows));
                let opened = spawn_blocking(move || SledStorage::open(path, options));
                Self::Sled(Arc::new(joined(opened).await?))
            }
            StorageChoice::Postgres(address) => {
                let storage = PostgresStorage::open_at(address, options.postgres()).await?;
                Self::Postgres(Arc::new(storage))
            }
        })
    }

    /// Returns the store for the core.
    pub fn storage(&self) -> Arc<dyn Storage> {
        match self {
            Self::Memory(storage) => storage.clone(),
            Self::Redb(storage) => storage.clone(),
            Self::Sled(storage) => storage.clone(),
            Self::Postgres(storage) => storage.clone(),
        }
    }

    /// Takes a snapshot of all rows for a backup.
    /// Blocks for a moment.
    ///
    /// # Errors
    /// The store has no backups, or does not answer.
    pub(crate) fn freeze(&self) -> Result<Pieces, NoBackup> {
        let mut rows = match self {
            Self::Memory(_) => return Err(NoBackup::InMemory),
            Self::Postgres(_) => return Err(NoBackup::Database),
            Self::Redb(storage) => storage.freeze()?,
            Self::Sled(storage) => storage.freeze()?,
        };
        Ok(Pieces::of(move || rows.next_page()))
    }

    /// Returns the condition of the store, to be read at any time.
    pub fn health(&self) -> StoreHealth {
        match self {
            Self::Memory(_) => StoreHealth::Memory,
            // Probes ask the database itself.
            Self::Postgres(storage) => StoreHealth::Postgres(storage.clone()),
            Self::Redb(storage) => StoreHealth::Embedded(storage.health()),
            Self::Sled(storage) => StoreHealth::Embedded(storage.health()),
        }
    }

    /// Checks the store's own rows and files.
    /// Blocks. Skips stores in memory or in a database.
    ///
    /// # Errors
    /// The store cannot be read at all.
    pub fn verify(&self, progress: &mut dyn FnMut(Progress)) -> Result<Report, StorageError> {
        match self {
            Self::Memory(_) => Ok(Report::default()),
            Self::Postgres(_) => Ok(Report::default()),
            Self::Redb(storage) => storage.verify(progress),
            Self::Sled(storage) => storage.verify(progress),
        }
    }
}

/// The condition of a store, for probes.
#[derive(Clone)]
pub enum StoreHealth {
    /// A store in memory always works.
    Memory,
    /// An embedded store reports its condition.
    Embedded(HealthProbe),
    /// Probes ask the database, except after a newer program wrote to it.
    Postgres(Arc<PostgresStorage>),
}

impl StoreHealth {
    /// The current condition.
    pub fn now(&self) -> Health {
        match self {
            Self::Memory => Health::Working,
            Self::Embedded(probe) => probe.health(),
            Self::Postgres(storage) => match (storage.check_version(), storage.is_full()) {
                (Err(_), _) => Health::Outdated,
                (Ok(()), true) => Health::Full,
                (Ok(()), false) => Health::Working,
            },
        }
    }

    /// The checks of the store's pages so far.
    /// Only redb has any.
    pub fn scrub(&self) -> ScrubCounts {
        match self {
            Self::Memory | Self::Postgres(_) => ScrubCounts::default(),
            Self::Embedded(probe) => probe.scrub(),
        }
    }
}

#[cfg(test)]
mod tests {
    use clap::Parser as _;
    use tokio::sync::watch;

    use super::*;
    use crate::{cli::Arguments, process::stop::unless_asked};

    /// Regression: a signal went unseen until the store was open.
    #[tokio::test]
    async fn a_stop_waits_for_no_store_that_opens() {
        let folder = tempfile::tempdir().unwrap();
        for engine in ["redb", "sled"] {
            let storage = format!("{engine}:{}", folder.path().join(engine).display());
            let words = ["connect-server", "check", "--storage", &storage];
            let arguments = Arguments::try_parse_from(words).unwrap();
            let options = arguments.store();
            let choice = options.choice().unwrap();
            // Another one waits for the lock, for a moment.
            let held = Store::open(&choice, options).await.unwrap();
            let (stop, stopped) = watch::channel(false);
            let opens = unless_asked(Store::open(&choice, options), stopped);
            let (opened, _) = tokio::join!(opens, async { stop.send(true) });
            assert!(opened.is_none(), "{engine}");
            drop(held);
        }
    }
}
