//! Both embedded stores behind one face, and short forms of reads and commits.

use std::{fs, ops::Deref, path::Path, sync::Arc};

use connect_core::storage::{
    Commit, CommitError, Expectation, Key, Read, Storage, StorageError, Value, Write,
    disk::{FrozenRows, Health, HealthProbe, OpenError, Report, SpaceOptions},
    redb::{RedbOptions, RedbStorage},
    sled::SledStorage,
};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Engine {
    Sled,
    Redb,
}

/// The options of both stores.
pub(super) type Options = RedbOptions;

const ENTRIES: redb::TableDefinition<'_, &[u8], &[u8]> = redb::TableDefinition::new("entries");

impl Engine {
    pub(super) const ALL: [Self; 2] = [Self::Sled, Self::Redb];

    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Sled => "sled",
            Self::Redb => "redb",
        }
    }

    pub(super) fn from_name(name: &str) -> Self {
        let mut all = Self::ALL.into_iter();
        all.find(|engine| engine.name() == name).unwrap()
    }

    /// The engine's data file, in the folder of a store.
    pub(super) fn data_file(self) -> &'static str {
        match self {
            Self::Sled => "sled/db",
            Self::Redb => "store.redb",
        }
    }

    /// Opens a store without reserved disk room.
    pub(super) fn open(self, path: &Path) -> Result<Store, OpenError> {
        let space = SpaceOptions {
            reserve_bytes: 0,
            ballast_bytes: 0,
        };
        self.open_with(path, |options| options.space = space)
    }

    pub(super) fn open_with<T>(
        self,
        path: &Path,
        change: impl FnOnce(&mut Options) -> T,
    ) -> Result<Store, OpenError> {
        let mut options = Options {
            cache_bytes: 1 << 26,
            ..Options::default()
        };
        change(&mut options);
        Ok(Store(match self {
            Self::Sled => Arc::new(SledStorage::open(path, options)?),
            Self::Redb => Arc::new(RedbStorage::open(path, options)?),
        }))
    }

    /// A new store in a new folder.
    pub(super) fn fresh(self) -> (tempfile::TempDir, Store) {
        let folder = tempfile::tempdir().unwrap();
        let store = self.open(folder.path()).unwrap();
        (folder, store)
    }

    /// Everything in the engine of a closed store.
    pub(super) fn raw(self, path: &Path) -> Vec<(Vec<u8>, Vec<u8>)> {
        use redb::{ReadableDatabase as _, ReadableTable as _};

        match self {
            Self::Sled => {
                // Its threads hold the lock for a moment after it is closed.
                let mut tries = 0;
                let db = loop {
                    match sled::open(path.join("sled")) {
                        Err(sled::Error::Io(_)) if tries < 500 => tries += 1,
                        opened => break opened.unwrap(),
                    }
                    std::thread::sleep(std::time::Duration::from_millis(10));
                };
                let entries = db.iter().map(Result::unwrap);
                entries
                    .map(|(key, value)| (key.to_vec(), value.to_vec()))
                    .collect()
            }
            Self::Redb => {
                let db = redb::Database::open(path.join("store.redb")).unwrap();
                let table = db.begin_read().unwrap().open_table(ENTRIES).unwrap();
                let entries = table.iter().unwrap().map(Result::unwrap);
                entries
                    .map(|(key, value)| (key.value().to_vec(), value.value().to_vec()))
                    .collect()
            }
        }
    }

    /// Changes an entry in the engine of a closed store, as a failing disk does.
    pub(super) fn set_raw(self, path: &Path, key: &[u8], value: &[u8]) {
        match self {
            Self::Sled => {
                let db = sled::open(path.join("sled")).unwrap();
                db.insert(key, value).unwrap();
                db.flush().unwrap();
            }
            Self::Redb => {
                let db = redb::Database::open(path.join("store.redb")).unwrap();
                let write = db.begin_write().unwrap();
                write
                    .open_table(ENTRIES)
                    .unwrap()
                    .insert(key, value)
                    .unwrap();
                write.commit().unwrap();
            }
        }
        // The list of files says how long they were.
        let _ = fs::remove_file(path.join("connect.closed"));
    }
}

/// An open store.
#[derive(Clone)]
pub(super) struct Store(pub(super) Arc<dyn Disk>);

/// A store on a disk.
pub(super) trait Disk: Storage {
    fn probe(&self) -> HealthProbe;
    fn check(&self, steps: &mut u64) -> Result<Report, StorageError>;
    fn frozen(&self) -> FrozenRows;
}

macro_rules! disk {
    ($store:ty) => {
        impl Disk for $store {
            fn probe(&self) -> HealthProbe {
                self.health()
            }

            fn check(&self, steps: &mut u64) -> Result<Report, StorageError> {
                self.verify(&mut |_| *steps += 1)
            }

            fn frozen(&self) -> FrozenRows {
                self.freeze().unwrap()
            }
        }
    };
}

disk!(SledStorage);
disk!(RedbStorage);

impl Deref for Store {
    type Target = dyn Disk;

    fn deref(&self) -> &Self::Target {
        &*self.0
    }
}

impl Store {
    pub(super) async fn put(&self, key: &[u8], value: &[u8]) -> Result<(), CommitError> {
        self.write(vec![put(key, value)]).await
    }

    pub(super) async fn write(&self, writes: Vec<(Key, Write)>) -> Result<(), CommitError> {
        self.expecting(Vec::new(), writes).await
    }

    pub(super) async fn expecting(
        &self,
        expects: Vec<(Key, Expectation)>,
        writes: Vec<(Key, Write)>,
    ) -> Result<(), CommitError> {
        let guard = None;
        let commit = Commit {
            guard,
            expects,
            writes,
        };
        self.commit(commit).await
    }

    pub(super) async fn get(&self, key: &[u8]) -> Result<Option<Value>, StorageError> {
        self.read(&[Read::Get(key)]).await?.value()
    }

    /// The number of all rows.
    pub(super) async fn rows(&self) -> usize {
        crate::faulty::rows(&*self.0).await.len()
    }

    pub(super) fn health(&self) -> Health {
        self.probe().health()
    }

    /// Checks the store, in a number of steps that grows with its rows and its damage alone.
    pub(super) fn report(&self) -> Report {
        let mut steps = 0;
        let report = self.check(&mut steps).unwrap();
        let at_most = 10 + report.rows / 100 + 2 * (report.damaged + report.damaged_pages);
        assert!(steps <= at_most, "{steps} steps: {report:?}");
        report
    }
}

pub(super) fn put(key: &[u8], value: &[u8]) -> (Key, Write) {
    (key.into(), Write::Put(value.into()))
}

pub(super) fn value(bytes: &[u8]) -> Option<Value> {
    Some(bytes.into())
}

/// Returns whether a commit was surely refused.
pub(super) fn is_refused(result: &Result<(), CommitError>) -> bool {
    matches!(result, Err(CommitError::NotApplied(_)))
}

pub(super) fn copy(from: &Path, to: &Path) {
    fs::create_dir_all(to).unwrap();
    for entry in fs::read_dir(from).unwrap() {
        let (entry, target) = entry
            .map(|entry| (entry.path(), to.join(entry.file_name())))
            .unwrap();
        if entry.is_dir() {
            copy(&entry, &target);
        } else {
            fs::copy(entry, target).unwrap();
        }
    }
}

/// The files with content below a folder, by their paths from there.
pub(super) fn files(folder: &Path) -> Vec<std::path::PathBuf> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let name = std::path::PathBuf::from(path.file_name().unwrap());
        if path.is_dir() {
            found.extend(files(&path).into_iter().map(|below| name.join(below)));
        } else if path.metadata().unwrap().len() > 0 {
            found.push(name);
        }
    }
    found.sort();
    found
}

/// Makes a module of tests for each engine, of generic async functions.
macro_rules! on_each_engine {
    ($($test:ident),+ $(,)?) => {
        mod sled {
            $(
                #[tokio::test(flavor = "multi_thread")]
                async fn $test() {
                    super::$test(crate::storage::engines::Engine::Sled).await;
                }
            )+
        }

        mod redb {
            $(
                #[tokio::test(flavor = "multi_thread")]
                async fn $test() {
                    super::$test(crate::storage::engines::Engine::Redb).await;
                }
            )+
        }
    };
}

pub(super) use on_each_engine;
