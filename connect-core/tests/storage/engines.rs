//! Both embedded stores behind one face, for tests that go over both.

use std::{ops::Deref, path::Path, sync::Arc};

use connect_core::storage::{
    Commit, CommitError, Read, Storage, StorageError, Value, Write,
    disk::{HealthProbe, OpenError, Report, SpaceOptions},
    redb::{RedbOptions, RedbStorage},
    sled::{SledOptions, SledStorage},
};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Engine {
    Sled,
    Redb,
}

impl Engine {
    pub(super) const ALL: [Self; 2] = [Self::Sled, Self::Redb];

    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Sled => "sled",
            Self::Redb => "redb",
        }
    }

    pub(super) fn from_name(name: &str) -> Self {
        Self::ALL
            .into_iter()
            .find(|engine| engine.name() == name)
            .unwrap()
    }

    /// The engine's data file, in the folder of a store.
    pub(super) fn data_file(self) -> &'static str {
        match self {
            Self::Sled => "sled/db",
            Self::Redb => "store.redb",
        }
    }

    pub(super) fn open(self, path: &Path) -> Result<Store, OpenError> {
        self.open_with(path, SpaceOptions::default())
    }

    pub(super) fn open_with(self, path: &Path, space: SpaceOptions) -> Result<Store, OpenError> {
        let cache_bytes = 4 * 1024 * 1024;
        match self {
            Self::Sled => {
                let options = SledOptions {
                    cache_bytes,
                    space,
                    ..Default::default()
                };
                let store = Arc::new(SledStorage::open(path, options)?);
                Ok(Store {
                    health: store.health(),
                    storage: store.clone(),
                    verify: Box::new(move || store.verify(&mut |_| {})),
                })
            }
            Self::Redb => {
                let options = RedbOptions {
                    cache_bytes,
                    space,
                    ..Default::default()
                };
                let store = Arc::new(RedbStorage::open(path, options)?);
                Ok(Store {
                    health: store.health(),
                    storage: store.clone(),
                    verify: Box::new(move || store.verify(&mut |_| {})),
                })
            }
        }
    }
}

/// An open store.
pub(super) struct Store {
    pub(super) storage: Arc<dyn Storage>,
    pub(super) health: HealthProbe,
    pub(super) verify: Box<dyn Fn() -> Result<Report, StorageError> + Send + Sync>,
}

impl Deref for Store {
    type Target = dyn Storage;

    fn deref(&self) -> &Self::Target {
        &*self.storage
    }
}

impl Store {
    pub(super) async fn put(&self, key: &[u8], value: &[u8]) -> Result<(), CommitError> {
        self.put_all([(key.to_vec(), value.to_vec())]).await
    }

    pub(super) async fn put_all(
        &self,
        rows: impl IntoIterator<Item = (Vec<u8>, Vec<u8>)>,
    ) -> Result<(), CommitError> {
        let put = |(key, value): (Vec<u8>, Vec<u8>)| (key.into(), Write::Put(value.into()));
        let writes = rows.into_iter().map(put).collect();
        self.commit(Commit {
            writes,
            ..Commit::default()
        })
        .await
    }

    pub(super) async fn get(&self, key: &[u8]) -> Result<Option<Value>, StorageError> {
        self.read(&[Read::Get(key)]).await?.value()
    }
}
