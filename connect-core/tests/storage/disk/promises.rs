//! Every promise of the storage, as `conformance` checks them.

use std::{marker::PhantomData, sync::Arc, time::Duration};

use async_trait::async_trait;
use connect_core::storage::{
    Storage, StorageError,
    conformance::{Place, model, run_all},
};
use proptest::prelude::*;
use tempfile::TempDir;

use super::{
    harness::{Engine, Redb, Sled},
    on_each_engine,
};

/// A lease that ends soon, so that the checks that wait for it do not take long.
const LEASE: Duration = Duration::from_secs(1);

struct InFolder<E> {
    folder: TempDir,
    cache_bytes: u64,
    engine: PhantomData<E>,
}

impl<E: Engine> InFolder<E> {
    fn new() -> Self {
        Self {
            folder: tempfile::tempdir().unwrap(),
            cache_bytes: 1 << 26,
            engine: PhantomData,
        }
    }
}

#[async_trait]
impl<E: Engine> Place for InFolder<E> {
    async fn open(&self) -> Result<Arc<dyn Storage>, StorageError> {
        let store = E::open_with(self.folder.path(), self.cache_bytes, LEASE);
        Ok(Arc::new(store.map_err(StorageError::new)?))
    }

    fn lease(&self) -> Duration {
        LEASE
    }
}

on_each_engine!(conforms, conforms_without_cache);

async fn conforms<E: Engine>() {
    let failures = run_all(InFolder::<E>::new).await;
    assert!(failures.is_ok(), "{}", failures.unwrap_err());
}

/// Pages and rows come and go.
async fn conforms_without_cache<E: Engine>() {
    let place = || InFolder::<E> {
        cache_bytes: 0,
        ..InFolder::new()
    };
    let failures = run_all(place).await;
    assert!(failures.is_ok(), "{}", failures.unwrap_err());
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 4, failure_persistence: None, ..Default::default() })]

    #[test]
    fn sled_behaves_as_an_ordered_map(seed: u64) {
        prop_assert_eq!(compare::<Sled>(seed), Ok(()));
    }

    #[test]
    fn redb_behaves_as_an_ordered_map(seed: u64) {
        prop_assert_eq!(compare::<Redb>(seed), Ok(()));
    }
}

fn compare<E: Engine>(seed: u64) -> Result<(), String> {
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .enable_time()
        .build();
    let place = InFolder::<E>::new();
    let compared = runtime.unwrap().block_on(model::compare(&place, seed, 200));
    compared.map_err(|fault| fault.to_string())
}
