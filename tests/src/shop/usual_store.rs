//! The default store of shops.

use std::{env, path::Path, sync::Arc};

use connect_core::storage::{
    Storage,
    memory::MemoryStorage,
    postgres::{PostgresOptions, PostgresStorage, testing::TestDatabase},
    redb::{RedbOptions, RedbStorage, SpaceOptions},
    sled::{SledOptions, SledStorage},
};
use tempfile::TempDir;

/// A store in memory, or of the engine in `CONNECT_TESTS_STORAGE`.
/// The value is `redb`, `sled` or `postgres`, so the same tests hold for all engines.
pub(super) struct UsualStore {
    pub(super) storage: Arc<dyn Storage>,
    pub(super) premises: Premises,
}

/// The place of the rows, removed on drop.
#[expect(dead_code, reason = "held, and not read")]
pub(super) enum Premises {
    Memory,
    Directory(TempDir),
    Database(Box<TestDatabase>),
}

impl UsualStore {
    pub(super) async fn open() -> Self {
        match env::var("CONNECT_TESTS_STORAGE").as_deref() {
            Ok("postgres") => {
                let database = TestDatabase::new().expect("a PostgreSQL for tests");
                let options = PostgresOptions {
                    readers: 4,
                    writers: 4,
                    ..PostgresOptions::default()
                };
                let storage = PostgresStorage::open(&database.address(), options).await;
                Self {
                    storage: Arc::new(storage.expect("an empty database")),
                    premises: Premises::Database(Box::new(database)),
                }
            }
            Ok(engine @ ("redb" | "sled")) => {
                let directory = TempDir::new().expect("a directory");
                Self {
                    storage: on_disk(engine, directory.path()),
                    premises: Premises::Directory(directory),
                }
            }
            _ => Self {
                storage: Arc::new(MemoryStorage::new()),
                premises: Premises::Memory,
            },
        }
    }
}

/// An embedded store with a small cache, and no reserved disk space.
fn on_disk(engine: &str, directory: &Path) -> Arc<dyn Storage> {
    let cache_bytes = 16 * 1024 * 1024;
    let space = SpaceOptions {
        ballast_bytes: 0,
        ..SpaceOptions::default()
    };
    let path = directory.join("store");
    if engine == "redb" {
        let options = RedbOptions {
            cache_bytes,
            space,
            ..Default::default()
        };
        Arc::new(RedbStorage::open(path, options).expect("an empty store"))
    } else {
        let options = SledOptions {
            cache_bytes,
            space,
            ..Default::default()
        };
        Arc::new(SledStorage::open(path, options).expect("an empty store"))
    }
}
