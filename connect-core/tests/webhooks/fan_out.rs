//! Webhooks changed under a write, and changes of more than an event can name.

use connect_core::wire::{
    CategoryInput, EventType, Field, ProductBatch, ProductInput, ProductsChanged,
};
use futures_util::{FutureExt as _, future::BoxFuture};

use super::{Scene, URL, endpoints::event};

/// Webhooks that change between the moment at which a write reads them and its commit.
#[tokio::test]
async fn a_write_is_run_again_when_webhooks_change_under_it() {
    let scene = Scene::open().await;
    let during_a_write = async |name: &str, change: BoxFuture<'_, ()>| {
        let (is_reached, release) = scene.shop.storage.hold_next_read();
        let write = scene.shop.products().create(ProductInput::named(name));
        let write = tokio::spawn(async move { write.await.unwrap() });
        is_reached.await.unwrap();
        change.await;
        release.send(()).unwrap();
        write.await.unwrap();
        scene.arrive().await.len()
    };
    // The first webhook of the account, and another one.
    for expected in [1, 2] {
        let made = scene.webhook().map(drop);
        assert_eq!(during_a_write("New", made.boxed()).await, expected);
    }
    let (webhook, _) = scene.health().await;
    let disabled = scene.switch_off(&webhook);
    assert_eq!(during_a_write("Off", disabled.boxed()).await, 1);
    scene.shop.check().await;
}

/// A change of more products than an event names is told in several, which all arrive.
#[tokio::test]
async fn a_large_change_is_split() {
    let scene = Scene::open().await;
    scene
        .webhook_at(URL, &[EventType::ProductsChanged], &[])
        .await;
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
    let mut events: Vec<_> = scene.endpoints.take().iter().map(event).collect();
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
