//! Moving a store into a file, and from a file into a store.

mod damage;
mod interruptions;
mod moves;
mod refusals;

use std::{
    any::Any,
    path::{Path, PathBuf},
    sync::Arc,
};

#[cfg(all(unix, feature = "postgres"))]
use connect_core::storage::postgres;
use connect_core::{
    storage::{
        Commit, Entry, Storage, Write,
        disk::SpaceOptions,
        memory::MemoryStorage,
        redb::{RedbOptions, RedbStorage},
        sled::{SledOptions, SledStorage},
    },
    transfer::{self, ExportOptions, TransferError, Transferred},
};
use tempfile::TempDir;

/// The backends there are.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Engine {
    Memory,
    Sled,
    Redb,
    #[cfg(all(unix, feature = "postgres"))]
    Postgres,
}

/// The backends that can be tried here.
fn engines() -> Vec<Engine> {
    let mut engines = vec![Engine::Memory, Engine::Sled, Engine::Redb];
    #[cfg(all(unix, feature = "postgres"))]
    if postgres::testing::is_here() {
        engines.push(Engine::Postgres);
    }
    engines
}

/// An empty store, and the place that it is in.
async fn store(engine: Engine) -> (Arc<dyn Storage>, Box<dyn Any>) {
    let folder = tempfile::tempdir().unwrap();
    let space = SpaceOptions {
        ballast_bytes: 0,
        ..SpaceOptions::default()
    };
    let storage: Arc<dyn Storage> = match engine {
        Engine::Memory => Arc::new(MemoryStorage::new()),
        Engine::Sled => {
            let options = SledOptions {
                space,
                ..SledOptions::default()
            };
            Arc::new(SledStorage::open(folder.path(), options).unwrap())
        }
        Engine::Redb => {
            let options = RedbOptions {
                space,
                ..RedbOptions::default()
            };
            Arc::new(RedbStorage::open(folder.path(), options).unwrap())
        }
        #[cfg(all(unix, feature = "postgres"))]
        Engine::Postgres => {
            let database = postgres::testing::TestDatabase::new().unwrap();
            let options = postgres::PostgresOptions::default();
            let storage = postgres::PostgresStorage::open(&database.address(), options).await;
            return (Arc::new(storage.unwrap()), Box::new(database));
        }
    };
    (storage, Box::new(folder))
}

/// A store in memory with these rows.
async fn with_rows(rows: &[Entry]) -> Arc<dyn Storage> {
    let (storage, _) = store(Engine::Memory).await;
    fill(&*storage, rows).await;
    storage
}

/// Writes rows.
async fn fill(storage: &dyn Storage, rows: &[Entry]) {
    let put = |(key, value): Entry| (key, Write::Put(value));
    let commit = Commit {
        writes: rows.iter().cloned().map(put).collect(),
        ..Commit::default()
    };
    storage.commit(commit).await.unwrap();
}

fn row(key: impl AsRef<[u8]>, value: impl AsRef<[u8]>) -> Entry {
    (key.as_ref().into(), value.as_ref().into())
}

/// So many rows, which are several chunks from 2001 on.
fn many(count: usize) -> Vec<Entry> {
    let row = |n: usize| row(format!("key {n:06}"), n.to_string());
    (0..count).map(row).collect()
}

async fn export(storage: &dyn Storage, file: &Path) -> Result<Transferred, TransferError> {
    transfer::export(storage, file, ExportOptions::default(), &mut |_| {}).await
}

async fn export_anew(storage: &dyn Storage, file: &Path) -> Result<Transferred, TransferError> {
    let options = ExportOptions { overwrite: true };
    transfer::export(storage, file, options, &mut |_| {}).await
}

async fn import(storage: &dyn Storage, file: &Path) -> Result<Transferred, TransferError> {
    transfer::import(storage, file, &mut |_| {}).await
}

/// The file that an export of these rows makes.
async fn exported(rows: &[Entry]) -> (PathBuf, Vec<u8>, TempDir) {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("shop.connect");
    export(&*with_rows(rows).await, &file).await.unwrap();
    let bytes = std::fs::read(&file).unwrap();
    (file, bytes, folder)
}
