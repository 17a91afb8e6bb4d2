//! The memory backend keeps every promise that needs no disk.

use std::sync::Arc;

use async_trait::async_trait;
use connect_core::storage::{
    Storage, StorageError,
    conformance::{Failures, Place, model, run_all},
    memory::MemoryStorage,
};
use proptest::prelude::*;

struct InMemory;

#[async_trait]
impl Place for InMemory {
    async fn open(&self) -> Result<Arc<dyn Storage>, StorageError> {
        Ok(Arc::new(MemoryStorage::new()))
    }

    fn persists(&self) -> bool {
        false
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn conforms() -> Result<(), Failures> {
    run_all(|| InMemory).await
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, failure_persistence: None, ..Default::default() })]

    #[test]
    fn behaves_as_an_ordered_map(seed: u64) {
        let runtime = tokio::runtime::Builder::new_current_thread().build()?;
        let result = runtime.block_on(model::compare(&InMemory, seed, 200));
        prop_assert!(result.is_ok(), "{:?}", result);
    }
}
