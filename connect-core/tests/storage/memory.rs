//! The memory backend keeps every promise that needs no disk: nearby, at a distance, and through
//! two handles.

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

#[derive(Clone, Copy, Default)]
struct InMemory {
    distance: Option<Duration>,
    through_two_handles: bool,
}

impl InMemory {
    fn reached(&self, store: Arc<dyn Storage>) -> Arc<dyn Storage> {
        match self.distance {
            None => store,
            Some(distance) => Arc::new(Distant::new(store, distance)),
        }
    }
}

#[async_trait]
impl Place for InMemory {
    async fn open(&self) -> Result<Arc<dyn Storage>, StorageError> {
        let store: Arc<dyn Storage> = Arc::new(MemoryStorage::with_lease(LEASE));
        if self.through_two_handles {
            let handles = [self.reached(store.clone()), self.reached(store)];
            Ok(Arc::new(Alternating::new(handles)))
        } else {
            Ok(self.reached(store))
        }
    }

    fn persists(&self) -> bool {
        false
    }

    fn lease(&self) -> Duration {
        LEASE
    }

    async fn small_disk(&self) -> Result<Option<Box<dyn SmallDisk>>, StorageError> {
        let room = WithRoom::new(MemoryStorage::with_lease(LEASE));
        Ok(Some(Box::new(InLittleRoom(*self, room))))
    }
}

/// Memory has no disk; the checks of a full one are tried with a store that counts.
struct InLittleRoom(InMemory, WithRoom);

#[async_trait]
impl SmallDisk for InLittleRoom {
    async fn open(&self) -> Result<Arc<dyn Storage>, StorageError> {
        let Self(place, room) = self;
        Ok(place.reached(Arc::new(room.clone())))
    }

    async fn make_room(&self) -> Result<(), StorageError> {
        self.1.make_room();
        Ok(())
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn conforms() -> Result<(), Failures> {
    run_all(InMemory::default).await
}

#[tokio::test(flavor = "multi_thread")]
async fn conforms_through_two_handles() -> Result<(), Failures> {
    let place = InMemory {
        through_two_handles: true,
        ..InMemory::default()
    };
    run_all(|| place).await
}

#[tokio::test(flavor = "multi_thread")]
async fn conforms_at_a_distance() -> Result<(), Failures> {
    let place = InMemory {
        distance: Some(Duration::from_millis(1)),
        ..InMemory::default()
    };
    run_all(|| place).await
}

#[tokio::test(flavor = "multi_thread")]
async fn conforms_at_a_distance_through_two_handles() -> Result<(), Failures> {
    let place = InMemory {
        distance: Some(Duration::from_millis(1)),
        through_two_handles: true,
    };
    run_all(|| place).await
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, failure_persistence: None, ..Default::default() })]

    #[test]
    fn behaves_as_an_ordered_map(seed: u64) {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build()?;
        let result = runtime.block_on(model::compare(&InMemory::default(), seed, 200));
        prop_assert!(result.is_ok(), "{:?}", result);
    }
}
