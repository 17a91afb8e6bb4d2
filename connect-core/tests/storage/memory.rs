//! The memory backend keeps every promise without a disk: nearby, and at a distance.

use std::{sync::Arc, time::Duration};

use async_trait::async_trait;
use connect_core::storage::{
    Storage, StorageError,
    conformance::{Alternating, Distant, Failures, Place, SmallDisk, model, run_all},
    memory::MemoryStorage,
};
use proptest::prelude::*;

use super::room::WithRoom;

/// A lease that ends soon, so that the checks that wait for it do not take long.
const LEASE: Duration = Duration::from_secs(1);

/// A way to a store.
type Way = fn(Arc<dyn Storage>) -> Arc<dyn Storage>;

const NEARBY: Way = |store| store;
const AT_A_DISTANCE_THROUGH_TWO_HANDLES: Way = |store| {
    let handles = [store.clone(), store];
    let distant = |store| Arc::new(Distant::new(store, Duration::from_millis(1))) as _;
    Arc::new(Alternating::new(handles.map(distant)))
};

struct InMemory(Way);

#[async_trait]
impl Place for InMemory {
    async fn open(&self) -> Result<Arc<dyn Storage>, StorageError> {
        Ok(self.0(Arc::new(MemoryStorage::with_lease(LEASE))))
    }

    fn persists(&self) -> bool {
        false
    }

    fn lease(&self) -> Duration {
        LEASE
    }

    async fn small_disk(&self) -> Result<Option<Box<dyn SmallDisk>>, StorageError> {
        let room = WithRoom::new(MemoryStorage::with_lease(LEASE));
        Ok(Some(Box::new(InLittleRoom(self.0, room))))
    }
}

/// Memory has no disk; the checks of a full one are tried with a store that counts.
struct InLittleRoom(Way, WithRoom);

#[async_trait]
impl SmallDisk for InLittleRoom {
    async fn open(&self) -> Result<Arc<dyn Storage>, StorageError> {
        Ok(self.0(Arc::new(self.1.clone())))
    }

    async fn make_room(&self) -> Result<(), StorageError> {
        self.1.make_room();
        Ok(())
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn conforms() -> Result<(), Failures> {
    run_all(|| InMemory(NEARBY)).await
}

#[tokio::test(flavor = "multi_thread")]
async fn conforms_at_a_distance_through_two_handles() -> Result<(), Failures> {
    run_all(|| InMemory(AT_A_DISTANCE_THROUGH_TWO_HANDLES)).await
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, failure_persistence: None, ..Default::default() })]

    #[test]
    fn behaves_as_an_ordered_map(seed: u64) {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build()?;
        let result = runtime.block_on(model::compare(&InMemory(NEARBY), seed, 200));
        prop_assert!(result.is_ok(), "{:?}", result);
    }
}
