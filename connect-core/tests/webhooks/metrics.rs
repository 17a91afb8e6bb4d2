//! The counts of deliveries, and of those that wait.

use std::time::Duration;

use connect_core::{Backlog, wire::EventType};

use super::{Scene, URL, endpoints::Answers, health::fail_until_off};

/// Deliveries that succeeded, failed and were given up, and webhooks that were switched off.
fn counted(scene: &Scene) -> [u64; 4] {
    let deliveries = &scene.connect().metrics().deliveries;
    [
        &deliveries.succeeded,
        &deliveries.failed,
        &deliveries.given_up,
        &deliveries.switched_off,
    ]
    .map(|count| count.get())
}

async fn backlog(scene: &Scene) -> Backlog {
    scene.connect().backlog().await.unwrap()
}

#[tokio::test]
async fn deliveries_are_counted_by_what_has_become_of_them() {
    let scene = Scene::open().await;
    scene.webhook(&[EventType::ProductChanged]).await;
    scene.product("Rye").await;
    scene.product("Spelt").await;
    scene.worker.tick().await.unwrap();
    assert_eq!(counted(&scene), [2, 0, 0, 0]);
    scene.endpoints.answer(URL, Answers::Status(500));
    for number in 0..50 {
        scene.product(&format!("Product {number}")).await;
    }
    fail_until_off(&scene).await;
    // The fiftieth failure switches the webhook off, and what waits goes on waiting, for nobody.
    assert_eq!(counted(&scene), [2, 50, 0, 1]);
    let backlog = backlog(&scene).await;
    let webhooks = backlog.webhooks;
    assert_eq!((webhooks.on, webhooks.failed, webhooks.off), (0, 1, 0));
    assert_eq!((backlog.deliveries.count, backlog.held), (0, 50));
}

#[tokio::test]
async fn the_outbox_tells_how_much_waits_and_since_when() {
    let scene = Scene::open().await;
    let made = scene.webhook(&[EventType::ProductChanged]).await;
    let empty = backlog(&scene).await;
    assert_eq!((empty.deliveries.count, empty.webhooks.on), (0, 1));
    assert_eq!(empty.oldest_delivery, Duration::ZERO);
    scene.product("Rye").await;
    scene.shop.clock.advance(90);
    scene.product("Spelt").await;
    scene.shop.clock.advance(10);
    // Nobody delivers: the first one has been due since it was made.
    let waiting = backlog(&scene).await;
    let hundred = Duration::from_secs(100);
    assert_eq!(waiting.deliveries.count, 2);
    assert_eq!(waiting.deliveries.overdue, hundred);
    assert_eq!(waiting.oldest_delivery, hundred);
    // What waits for a retry is as old as before, and not due.
    scene.endpoints.answer(URL, Answers::Status(500));
    scene.worker.tick().await.unwrap();
    let postponed = backlog(&scene).await;
    assert_eq!(postponed.deliveries.count, 2);
    assert_eq!(postponed.deliveries.overdue, Duration::ZERO);
    assert_eq!(postponed.oldest_delivery, hundred);
    scene.shop.clock.advance(24 * 3600);
    scene.endpoints.answer(URL, Answers::Status(200));
    scene.worker.tick().await.unwrap();
    assert_eq!(backlog(&scene).await.deliveries.count, 0);

    let account = scene.shop.account;
    let off = scene
        .connect()
        .disable_webhook(account, made.webhook.id)
        .await;
    off.unwrap();
    let webhooks = backlog(&scene).await.webhooks;
    assert_eq!((webhooks.on, webhooks.failed, webhooks.off), (0, 0, 1));
}

/// The queue is read in pieces of a thousand.
#[tokio::test]
async fn a_long_queue_is_counted_whole() {
    let scene = Scene::open().await;
    scene.webhook(&[EventType::ProductChanged]).await;
    scene.webhook(&[EventType::ProductChanged]).await;
    for number in 0..1100 {
        scene.product(&format!("Product {number}")).await;
    }
    assert_eq!(backlog(&scene).await.deliveries.count, 2200);
}
