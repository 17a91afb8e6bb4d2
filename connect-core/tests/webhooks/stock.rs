//! Bursts of `stock.changed`.

use connect_core::{
    DeliveryStatus,
    wire::{EventType, Id, Product, StockCount},
};

use super::{Scene, URL, endpoints::Answers};

pub(super) async fn count(scene: &Scene, product: Id<Product>, quantity: f64) {
    let input = format!("{{\"quantity\": {quantity}}}");
    let input: StockCount = serde_json::from_str(&input).unwrap();
    let stock = scene.connect().location(&scene.shop.at).stock();
    stock.count(product, input).await.unwrap();
}

/// The quantities that arrive with the next round.
async fn arrive(scene: &Scene) -> Vec<f64> {
    scene.worker.tick().await.unwrap();
    let events = scene.endpoints.events();
    let quantity = |event: &connect_core::wire::AnyEvent| event.data["quantity"].as_f64().unwrap();
    events.iter().map(quantity).collect()
}

#[tokio::test]
async fn a_product_is_told_of_once_a_minute_with_its_latest_quantity() {
    let scene = Scene::open().await;
    scene.webhook(&[EventType::StockChanged]).await;
    let bread = scene.product("Bread").await.id;
    let cake = scene.product("Cake").await.id;
    for quantity in [1.0, 2.0, 3.0] {
        count(&scene, bread, quantity).await;
    }
    count(&scene, cake, 7.0).await;
    let mut first = arrive(&scene).await;
    first.sort_by(f64::total_cmp);
    assert_eq!(first, [3.0, 7.0]);

    scene.shop.clock.advance(10);
    for quantity in [4.0, 5.0] {
        count(&scene, bread, quantity).await;
        assert_eq!(arrive(&scene).await, [0.0; 0]);
    }
    scene.shop.clock.advance(49);
    assert_eq!(arrive(&scene).await, [0.0; 0]);
    scene.shop.clock.advance(1);
    assert_eq!(arrive(&scene).await, [5.0]);
    assert_eq!(arrive(&scene).await, [0.0; 0]);
    // The feed has all of them.
    let feed = scene.feed().await;
    let of_stock = |event: &&connect_core::wire::AnyEvent| event.kind == EventType::StockChanged;
    assert_eq!(feed.iter().filter(of_stock).count(), 6);
    scene.check().await;
}

/// The notes by which a minute is told do not pile up.
#[tokio::test]
async fn nothing_is_left_of_a_burst() {
    let scene = Scene::open().await;
    scene.webhook(&[EventType::StockChanged]).await;
    scene.endpoints.answer(URL, Answers::Status(200));
    let bread = scene.product("Bread").await.id;
    let families = async |scene: &Scene| {
        let report = scene.connect().check(&mut |_| {}).await.unwrap();
        report.families.get("SentStock").copied()
    };
    count(&scene, bread, 1.0).await;
    arrive(&scene).await;
    assert_eq!(families(&scene).await, Some(1));
    // A minute, and the five by which the clocks of processes may differ.
    let cake = scene.product("Cake").await.id;
    for (seconds, left) in [(359, 2), (1, 1)] {
        scene.shop.clock.advance(seconds);
        count(&scene, cake, seconds as f64).await;
        arrive(&scene).await;
        assert_eq!(families(&scene).await, Some(left), "{seconds}");
    }
}

/// Each minute of an outage has an event. What arrives after it is the latest of each product.
#[tokio::test]
async fn after_an_outage_only_the_latest_quantity_arrives() {
    let scene = Scene::open().await;
    let webhook = scene.webhook(&[EventType::StockChanged]).await.webhook;
    let bread = scene.product("Bread").await.id;
    let cake = scene.product("Cake").await.id;
    scene.endpoints.answer(URL, Answers::Fails);
    count(&scene, cake, 100.0).await;
    for minute in 0..10 {
        count(&scene, bread, f64::from(minute)).await;
        arrive(&scene).await;
        scene.check().await;
        scene.shop.clock.advance(60);
    }
    scene.endpoints.answer(URL, Answers::Status(200));
    count(&scene, bread, 10.0).await;
    scene.shop.clock.advance(24 * 3600);
    let mut arrived = arrive(&scene).await;
    arrived.sort_by(f64::total_cmp);
    assert_eq!(arrived, [10.0, 100.0]);
    let log = scene.log(&webhook).await;
    let with = |status| log.iter().filter(|one| one.status == status).count();
    assert_eq!(with(DeliveryStatus::GivenUp), 10);
    assert_eq!(with(DeliveryStatus::Delivered), 2);
    scene.shop.clock.advance(24 * 3600);
    assert_eq!(arrive(&scene).await, [0.0; 0]);
    scene.check().await;
}

/// The last quantity of an outage has the whole schedule, also when nothing changes after it.
#[tokio::test]
async fn the_latest_quantity_is_tried_again() {
    let scene = Scene::open().await;
    scene.webhook(&[EventType::StockChanged]).await;
    let bread = scene.product("Bread").await.id;
    scene.endpoints.answer(URL, Answers::Fails);
    for quantity in [1.0, 2.0] {
        count(&scene, bread, quantity).await;
        arrive(&scene).await;
        scene.shop.clock.advance(60);
    }
    for _ in 0..10 {
        scene.shop.clock.advance(61);
        arrive(&scene).await;
    }
    scene.endpoints.answer(URL, Answers::Status(200));
    scene.shop.clock.advance(1800);
    assert_eq!(arrive(&scene).await, [2.0]);
}
