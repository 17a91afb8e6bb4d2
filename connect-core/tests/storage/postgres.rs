//! The promises of a storage on PostgreSQL. Where there is none, these tests do nothing.

mod crashes;
mod cuts;
mod distance;
mod far;
mod proxy;
mod room;
mod secrecy;
mod together;
mod turns;
mod version;

use std::{sync::Arc, time::Duration};

use async_trait::async_trait;
use connect_core::storage::{
    Commit, CommitError, Guard, Key, Read, Storage, StorageError, Write,
    conformance::{self, Place},
    postgres::{PostgresOptions, PostgresStorage, testing::TestDatabase},
};

const LEASE: Duration = Duration::from_secs(1);

/// The longest wait for the database, on a busy machine.
const PATIENCE: Duration = Duration::from_secs(20);

/// A new database. Ends the test where there is no PostgreSQL.
macro_rules! database {
    () => {
        match connect_core::storage::postgres::testing::TestDatabase::new() {
            Some(database) => database,
            None => return,
        }
    };
}

use database;

/// Makes one test of several, one after the other on one server: to start a server takes longer than most of
/// them.
macro_rules! on_one_server {
    ($name:ident: $($test:ident),+ $(,)?) => {
        #[tokio::test(flavor = "multi_thread")]
        async fn $name() {
            $($test().await;)+
        }
    };
}

use on_one_server;

/// Opens a store at an address, with other options than usual.
async fn open<T>(address: &str, change: impl FnOnce(&mut PostgresOptions) -> T) -> Store {
    let mut options = PostgresOptions {
        wait: PATIENCE,
        ..PostgresOptions::default()
    };
    change(&mut options);
    Arc::new(PostgresStorage::open(address, options).await.unwrap())
}

type Store = Arc<PostgresStorage>;

/// One connection for reads and one for writes.
fn narrow(options: &mut PostgresOptions) {
    (options.readers, options.writers) = (1, 1);
}

/// A commit of a row.
fn put(key: impl Into<Key>, value: &[u8]) -> Commit {
    Commit {
        writes: vec![(key.into(), Write::Put(value.into()))],
        ..Commit::default()
    }
}

/// The same commit with a guard.
fn guarded(key: impl Into<Key>, was: Option<&[u8]>, becomes: &[u8], commit: Commit) -> Commit {
    let guard = Guard {
        key: key.into(),
        was: was.map(Into::into),
        becomes: becomes.into(),
    };
    Commit {
        guard: Some(guard),
        ..commit
    }
}

async fn get(store: &dyn Storage, key: &[u8]) -> Option<Vec<u8>> {
    let mut found = store.read(&[Read::Get(key)]).await.unwrap();
    found.value().unwrap().map(|value| value.to_vec())
}

fn is_conflict(ended: &Result<(), CommitError>) -> bool {
    matches!(ended, Err(CommitError::Conflict))
}

/// The reason of a refused commit.
fn refusal(ended: Result<(), CommitError>) -> StorageError {
    match ended {
        Err(CommitError::NotApplied(error)) => error,
        other => panic!("{other:?}"),
    }
}

/// A database, perhaps some way off.
struct Database {
    database: TestDatabase,
    port: u16,
    prepares: bool,
}

impl Database {
    fn new(prepares: bool) -> Self {
        let database = TestDatabase::new().unwrap();
        Self {
            port: database.port(),
            database,
            prepares,
        }
    }
}

#[async_trait]
impl Place for Database {
    async fn open(&self) -> Result<Arc<dyn Storage>, StorageError> {
        let options = PostgresOptions {
            lease: LEASE,
            wait: PATIENCE,
            prepares: self.prepares,
            ..PostgresOptions::default()
        };
        let address = self.database.address_at(self.port);
        let storage = PostgresStorage::open(&address, options).await;
        Ok(Arc::new(storage.map_err(StorageError::new)?))
    }

    fn lease(&self) -> Duration {
        LEASE
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn it_keeps_all_promises() {
    let _database = database!();
    conformance::run_all(|| Database::new(true)).await.unwrap();
}

/// As behind a pooler that does not know prepared statements. What depends on time alone is left out.
#[tokio::test(flavor = "multi_thread")]
async fn it_keeps_its_promises_without_prepared_statements() {
    let _database = database!();
    let left_out = ["leases", "progress", "cancellation", "waiting"];
    let is_left_out = |name: &str| left_out.iter().any(|group| name.starts_with(group));
    let checks = conformance::CHECKS.iter();
    let checks = checks.filter(|check| !is_left_out(check.name));
    conformance::run(checks, || Database::new(false))
        .await
        .unwrap();
}
