//! The webhooks that get an event.

use std::sync::Arc;

use connect_core::{
    DeliveryStatus, WebhookChange,
    storage::memory::MemoryStorage,
    wire::{CategoryInput, EventType, Field, ProductBatch, ProductInput, ProductsChanged},
};
use futures_util::{FutureExt as _, future::BoxFuture};

use super::{Scene, URL, endpoints::header};
use crate::{faulty::Faulty, shop};

#[tokio::test]
async fn a_change_arrives_as_it_stands_in_the_feed() {
    let scene = Scene::open().await;
    let webhook = scene.webhook(&[EventType::ProductChanged]).await.webhook;
    let bread = scene.product("Bread").await;
    assert!(scene.endpoints.take().is_empty(), "before the first round");
    let work = scene.worker.tick().await.unwrap();
    assert_eq!((work.delivered, work.postponed), (1, 0));

    let requests = scene.endpoints.take();
    let [request] = &requests[..] else {
        panic!("{requests:?}");
    };
    assert_eq!(request.url, URL);
    let event = super::endpoints::event(request);
    assert_eq!(scene.feed().await, std::slice::from_ref(&event));
    assert_eq!(event.data["id"], bread.id.to_string());
    assert_eq!(header(request, "content-type"), "application/json");
    assert_eq!(header(request, "user-agent"), "Connect-Webhooks/1");
    assert_eq!(header(request, "service-event-id"), event.id.to_string());

    let log = scene.log(&webhook).await;
    let [delivery] = &log[..] else {
        panic!("{log:?}");
    };
    let id = delivery.id.to_string();
    assert_eq!(header(request, "service-delivery-id"), id);
    assert_eq!(delivery.status, DeliveryStatus::Delivered);
    assert_eq!(delivery.attempts.len(), 1);
    assert_eq!(delivery.attempts[0].status_code, Some(200));
    assert_eq!(delivery.attempts[0].reason, None);
    assert_eq!(delivery.event_id, event.id);

    // Nothing is left to do.
    assert_eq!(scene.worker.tick().await.unwrap(), Default::default());
    scene.check().await;
}

#[tokio::test]
async fn webhooks_get_their_events_at_their_locations() {
    let scene = Scene::open().await;
    let shop = &scene.shop;
    let there = shop::location(&shop.connect, shop.account, "There").await;
    let here = shop.at.location().id;
    let products = [EventType::ProductChanged];
    let categories = [EventType::CategoryChanged];
    scene.webhook_at("https://a.example/", &products, &[]).await;
    scene
        .webhook_at("https://b.example/", &products, &[here])
        .await;
    let elsewhere = [there.location().id];
    scene
        .webhook_at("https://c.example/", &products, &elsewhere)
        .await;
    scene
        .webhook_at("https://d.example/", &categories, &[])
        .await;

    scene.product("Bread").await;
    scene.worker.tick().await.unwrap();
    let mut urls: Vec<_> = scene.endpoints.take().into_iter().map(|r| r.url).collect();
    urls.sort();
    assert_eq!(urls, ["https://a.example/", "https://b.example/"]);

    // A location that is made later belongs to all locations.
    let later = shop::location(&shop.connect, shop.account, "Later").await;
    let products = shop.connect.location(&later).products();
    let cake = ProductInput::named("Cake");
    products.create(cake).await.unwrap();
    scene.worker.tick().await.unwrap();
    let urls: Vec<_> = scene.endpoints.take().into_iter().map(|r| r.url).collect();
    assert_eq!(urls, ["https://a.example/"]);
    scene.check().await;
}

/// The moment of the commit counts, not that of the delivery.
#[tokio::test]
async fn a_webhook_gets_what_was_committed_while_it_asked_for_it() {
    let scene = Scene::open().await;
    scene.product("Before").await;
    let webhook = scene.webhook(&[EventType::ProductChanged]).await.webhook;
    scene.product("Within").await;
    let change = WebhookChange {
        events: Some(vec![EventType::CategoryChanged]),
        url: Some("https://moved.example/".to_owned()),
        ..WebhookChange::default()
    };
    let account = scene.shop.account;
    let changed = scene.connect().change_webhook(account, webhook.id, change);
    changed.await.unwrap();
    scene.product("After").await;
    scene.worker.tick().await.unwrap();
    let requests = scene.endpoints.take();
    let names: Vec<_> = requests
        .iter()
        .map(|request| super::endpoints::event(request).data["name"].clone())
        .collect();
    assert_eq!(names, ["Within"]);
    assert_eq!(requests[0].url, "https://moved.example/");
}

#[tokio::test]
async fn many_events_are_all_delivered_once() {
    let scene = Scene::open().await;
    scene.webhook(&[EventType::ProductChanged]).await;
    for number in 0..300 {
        scene.product(&format!("Product {number}")).await;
    }
    let work = scene.worker.tick().await.unwrap();
    assert_eq!(work.delivered, 300);
    let mut sequences: Vec<_> = scene
        .endpoints
        .events()
        .iter()
        .map(|e| e.sequence)
        .collect();
    sequences.sort();
    let expected: Vec<_> = (1..=300).map(Some).collect();
    assert_eq!(sequences, expected);
    scene.check().await;
}

/// Webhooks that change between the moment at which a write reads them and its commit.
#[tokio::test]
async fn a_write_is_run_again_when_webhooks_change_under_it() {
    let storage = Faulty::new(Arc::new(MemoryStorage::new()));
    let scene = Scene::over(shop::open_on(storage.clone()).await);
    let during_a_write = async |name: &str, change: BoxFuture<'_, ()>| {
        let (is_reached, release) = storage.hold_next_read();
        let write = scene.shop.products().create(ProductInput::named(name));
        let write = tokio::spawn(async move { write.await.unwrap() });
        is_reached.await.unwrap();
        change.await;
        release.send(()).unwrap();
        write.await.unwrap();
        scene.worker.tick().await.unwrap();
        scene.endpoints.take().len()
    };
    // The first webhook of the account, and another one.
    for expected in [1, 2] {
        let made = scene.webhook(&[EventType::ProductChanged]).map(drop);
        assert_eq!(during_a_write("New", made.boxed()).await, expected);
    }
    let (account, connect) = (scene.shop.account, scene.connect());
    let (webhook, _) = connect.webhooks(account).await.unwrap().remove(0);
    let disabled = connect.disable_webhook(account, webhook.id);
    let disabled = disabled.map(|webhook| drop(webhook.unwrap()));
    assert_eq!(during_a_write("Off", disabled.boxed()).await, 1);
    scene.check().await;
}

/// A change of more products than an event names is told in several, which all arrive.
#[tokio::test]
async fn a_large_change_is_split() {
    let scene = Scene::open().await;
    scene.webhook(&[EventType::ProductsChanged]).await;
    let category = CategoryInput::named("Bread");
    let category = scene.shop.categories().create(category).await.unwrap().id;
    let mut made = Vec::new();
    for batch in 0..5 {
        let product = |number| ProductInput {
            category_id: Field::Value(category),
            ..ProductInput::named(format!("Product {batch}.{number}"))
        };
        let items = (0..500).map(product).collect();
        let saved = scene.shop.products().batch(ProductBatch::new(items)).await;
        made.extend(
            saved
                .unwrap()
                .results
                .into_iter()
                .filter_map(|item| item.id),
        );
    }
    scene.worker.tick().await.unwrap();
    scene.endpoints.take();
    scene.shop.categories().delete(category).await.unwrap();
    scene.worker.tick().await.unwrap();
    let mut events = scene.endpoints.events();
    events.sort_by_key(|event| event.sequence);
    let mut told = Vec::new();
    for (event, expected) in events.iter().zip([1000, 1000, 500]) {
        let changed: ProductsChanged = event.data_as().unwrap();
        assert_eq!((&*changed.reason, changed.ids.len()), ("bulk", expected));
        told.extend(changed.ids);
    }
    assert_eq!(events.len(), 3);
    told.sort();
    made.sort();
    assert_eq!(told, made);
}
