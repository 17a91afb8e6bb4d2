//! The cost of a delivery on a store that is far away.

use std::{sync::Arc, time::Duration};

use connect_core::{
    storage::{conformance::Distant, memory::MemoryStorage},
    wire::{EventType, StockCount},
};

use super::Scene;
use crate::shop;

#[tokio::test(start_paused = true)]
async fn a_session_takes_few_trips() {
    let store = Arc::new(Distant::new(Arc::new(MemoryStorage::new()), Duration::ZERO));
    let scene = Scene::over(shop::open_on(store.clone()).await);
    scene
        .webhook(&[EventType::ProductChanged, EventType::StockChanged])
        .await;
    let mut trips = Vec::new();
    let mut tick = async |delivered: usize| {
        let before = store.trips();
        let work = scene.worker.tick().await.unwrap();
        assert_eq!(work.delivered, delivered);
        trips.push(store.trips() - before);
    };
    let mut products = Vec::new();
    for name in ["A", "B", "C"] {
        products.push(scene.product(name).await.id);
    }
    tick(3).await;
    let stock = scene.connect().location(&scene.shop.at).stock();
    for quantity in [1, 2] {
        for product in &products {
            let count = format!(r#"{{ "quantity": {quantity} }}"#);
            let count: StockCount = serde_json::from_str(&count).unwrap();
            stock.count(*product, count).await.unwrap();
        }
        tick(3).await;
        scene.shop.clock.advance(60);
    }
    tick(0).await;
    // The looks, the lease, the events, what has become of them, and the end; stock is moved into
    // the queue besides.
    assert_eq!(trips, [21, 24, 25, 3]);
}

/// One trip for each of thousands of webhooks once took longer than anybody waits for the figures.
#[tokio::test]
async fn the_queues_of_many_webhooks_are_counted_in_few_trips() {
    let store = Arc::new(Distant::new(Arc::new(MemoryStorage::new()), Duration::ZERO));
    let scene = Scene::over(shop::open_on(store.clone()).await);
    let count = async |webhooks: usize| {
        for _ in 0..webhooks {
            scene.webhook(&[EventType::ProductChanged]).await;
        }
        scene.product("Rye").await;
        let before = store.trips();
        let backlog = scene.connect().backlog().await.unwrap();
        (store.trips() - before, backlog.deliveries.count)
    };
    let (trips, waiting) = count(1).await;
    assert_eq!(waiting, 1);
    // The first one has another.
    assert_eq!(count(59).await, (trips, 61));
}
