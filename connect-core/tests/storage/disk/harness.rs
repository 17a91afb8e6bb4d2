//! Both engines behind one trait, and short forms of reads and commits.

use std::{fs, path::Path, sync::Arc, time::Duration};

use connect_core::storage::{
    Commit, CommitError, Entry, Range, Read, Storage, StorageError, Value, Write,
    disk::{FrozenRows, HealthProbe, OpenError, Report},
    redb::{RedbOptions, RedbStorage},
    sled::{SledOptions, SledStorage},
};

/// A store on the disk, by its engine.
pub(super) trait Engine: Send + Sync + 'static {
    type Store: Storage;

    fn open(path: &Path) -> Result<Self::Store, OpenError>;
    fn open_with(path: &Path, cache_bytes: u64, lease: Duration) -> Result<Self::Store, OpenError>;
    fn health(store: &Self::Store) -> HealthProbe;
    fn verify(store: &Self::Store) -> Report;
    fn freeze(store: &Self::Store) -> FrozenRows;

    /// Everything in the engine of a store that is closed.
    fn raw(path: &Path) -> Vec<(Vec<u8>, Vec<u8>)>;
    /// Changes an entry in the engine of a store that is closed.
    fn set_raw(path: &Path, key: &[u8], value: Option<&[u8]>);
}

pub(super) struct Sled;

impl Engine for Sled {
    type Store = SledStorage;

    fn open(path: &Path) -> Result<SledStorage, OpenError> {
        SledStorage::open(path, SledOptions::default())
    }

    fn open_with(path: &Path, cache_bytes: u64, lease: Duration) -> Result<SledStorage, OpenError> {
        let options = SledOptions {
            cache_bytes,
            lease,
            ..SledOptions::default()
        };
        SledStorage::open(path, options)
    }

    fn health(store: &SledStorage) -> HealthProbe {
        store.health()
    }

    fn verify(store: &SledStorage) -> Report {
        store.verify(&mut |_| {}).unwrap()
    }

    fn freeze(store: &SledStorage) -> FrozenRows {
        store.freeze().unwrap()
    }

    fn raw(path: &Path) -> Vec<(Vec<u8>, Vec<u8>)> {
        let db = sled::open(path.join("sled")).unwrap();
        let entries = db.iter().map(Result::unwrap);
        entries
            .map(|(key, value)| (key.to_vec(), value.to_vec()))
            .collect()
    }

    fn set_raw(path: &Path, key: &[u8], value: Option<&[u8]>) {
        let db = sled::open(path.join("sled")).unwrap();
        match value {
            Some(value) => db.insert(key, value).unwrap(),
            None => db.remove(key).unwrap(),
        };
        db.flush().unwrap();
        drop(db);
        tampered(path);
    }
}

pub(super) struct Redb;

const ENTRIES: redb::TableDefinition<'_, &[u8], &[u8]> = redb::TableDefinition::new("entries");

impl Engine for Redb {
    type Store = RedbStorage;

    fn open(path: &Path) -> Result<RedbStorage, OpenError> {
        RedbStorage::open(path, RedbOptions::default())
    }

    fn open_with(path: &Path, cache_bytes: u64, lease: Duration) -> Result<RedbStorage, OpenError> {
        let options = RedbOptions {
            cache_bytes,
            lease,
            ..RedbOptions::default()
        };
        RedbStorage::open(path, options)
    }

    fn health(store: &RedbStorage) -> HealthProbe {
        store.health()
    }

    fn verify(store: &RedbStorage) -> Report {
        store.verify(&mut |_| {}).unwrap()
    }

    fn freeze(store: &RedbStorage) -> FrozenRows {
        store.freeze().unwrap()
    }

    fn raw(path: &Path) -> Vec<(Vec<u8>, Vec<u8>)> {
        use redb::{ReadableDatabase, ReadableTable};

        let db = redb::Database::open(path.join("store.redb")).unwrap();
        let table = db.begin_read().unwrap().open_table(ENTRIES).unwrap();
        let entries = table.iter().unwrap().map(Result::unwrap);
        entries
            .map(|(key, value)| (key.value().to_vec(), value.value().to_vec()))
            .collect()
    }

    fn set_raw(path: &Path, key: &[u8], value: Option<&[u8]>) {
        let db = redb::Database::open(path.join("store.redb")).unwrap();
        let transaction = db.begin_write().unwrap();
        {
            let mut table = transaction.open_table(ENTRIES).unwrap();
            match value {
                Some(value) => table.insert(key, value).unwrap(),
                None => table.remove(key).unwrap(),
            };
        }
        transaction.commit().unwrap();
        drop(db);
        tampered(path);
    }
}

/// The list of files says how long they were; whoever changes rows behind the store's back, as a
/// failing disk does, leaves that as it is.
fn tampered(path: &Path) {
    let _ = fs::remove_file(path.join("connect.closed"));
}

pub(super) async fn get(store: &impl Storage, key: &[u8]) -> Result<Option<Value>, StorageError> {
    store.read(&[Read::Get(key)]).await?.value()
}

pub(super) async fn scan(store: &impl Storage) -> Result<Vec<Entry>, StorageError> {
    let everything = Read::Scan {
        range: Range {
            from: b"",
            to: None,
        },
        limit: usize::MAX,
        newest_first: false,
    };
    store.read(&[everything]).await?.entries()
}

pub(super) fn write(key: &[u8], value: &[u8]) -> (Box<[u8]>, Write) {
    (key.into(), Write::Put(value.into()))
}

pub(super) async fn commit(
    store: &impl Storage,
    writes: Vec<(Box<[u8]>, Write)>,
) -> Result<(), CommitError> {
    let commit = Commit {
        writes,
        ..Commit::default()
    };
    store.commit(commit).await
}

pub(super) async fn put(store: &impl Storage, key: &[u8], value: &[u8]) -> Result<(), CommitError> {
    commit(store, vec![write(key, value)]).await
}

pub(super) fn value(bytes: &[u8]) -> Option<Value> {
    Some(Arc::from(bytes))
}
