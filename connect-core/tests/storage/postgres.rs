//! The promises of a storage on PostgreSQL.

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
    Storage, StorageError,
    conformance::{self, Place},
    postgres::{PostgresOptions, PostgresStorage, testing::TestDatabase},
};

const LEASE: Duration = Duration::from_secs(1);

struct Database {
    database: TestDatabase,
    prepares: bool,
}

#[async_trait]
impl Place for Database {
    async fn open(&self) -> Result<Arc<dyn Storage>, StorageError> {
        let options = PostgresOptions {
            lease: LEASE,
            prepares: self.prepares,
            ..PostgresOptions::default()
        };
        let storage = PostgresStorage::open(&self.database.address(), options).await;
        Ok(Arc::new(storage.map_err(StorageError::new)?))
    }

    fn lease(&self) -> Duration {
        LEASE
    }
}

async fn keeps_all_promises(prepares: bool) -> Result<(), conformance::Failures> {
    if TestDatabase::new().is_none() {
        return Ok(());
    }
    let place = || Database {
        database: TestDatabase::new().unwrap(),
        prepares,
    };
    conformance::run_all(place).await
}

#[tokio::test(flavor = "multi_thread")]
async fn it_keeps_all_promises() -> Result<(), conformance::Failures> {
    keeps_all_promises(true).await
}

/// As behind a pooler that does not know prepared statements.
#[tokio::test(flavor = "multi_thread")]
async fn it_keeps_all_promises_without_prepared_statements() -> Result<(), conformance::Failures> {
    keeps_all_promises(false).await
}
