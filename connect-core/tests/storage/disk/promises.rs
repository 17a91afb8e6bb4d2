//! Every promise of the storage, as `conformance` checks them.

use std::{sync::Arc, time::Duration};

use async_trait::async_trait;
use connect_core::storage::{
    Storage, StorageError,
    conformance::{CHECKS, Check, Place, model, run, run_all},
};
use tempfile::TempDir;

use crate::storage::engines::{Engine, on_each_engine};

/// A lease that ends soon, so that the checks that wait for it do not take long.
const LEASE: Duration = Duration::from_secs(1);

struct InFolder(Engine, u64, TempDir);

#[async_trait]
impl Place for InFolder {
    async fn open(&self) -> Result<Arc<dyn Storage>, StorageError> {
        let Self(engine, cache_bytes, folder) = self;
        let store = engine.open_with(folder.path(), |options| {
            (options.cache_bytes, options.lease) = (*cache_bytes, LEASE);
        });
        Ok(store.map_err(StorageError::new)?.0)
    }

    fn lease(&self) -> Duration {
        LEASE
    }
}

on_each_engine!(conforms, behaves_as_an_ordered_map);

/// Without a cache of changing content, only the reads and writes count.
async fn conforms(engine: Engine) {
    let place = |cache_bytes| move || InFolder(engine, cache_bytes, tempfile::tempdir().unwrap());
    run_all(place(1 << 26)).await.unwrap();
    let groups = [
        "order",
        "reads",
        "values",
        "expectations",
        "snapshot",
        "model",
        "reopening",
    ];
    let is_in = |check: &&Check| groups.iter().any(|group| check.name.starts_with(group));
    run(CHECKS.iter().filter(is_in), place(0)).await.unwrap();
}

async fn behaves_as_an_ordered_map(engine: Engine) {
    for cache_bytes in [1 << 26, 0] {
        for seed in [(); 2].map(|()| rand::random()) {
            let place = InFolder(engine, cache_bytes, tempfile::tempdir().unwrap());
            model::compare(&place, seed, 200).await.unwrap();
        }
    }
}
