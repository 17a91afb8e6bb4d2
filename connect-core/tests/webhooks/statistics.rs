//! The recent deliveries of a webhook in numbers.

use connect_core::{
    WaitingEvents,
    wire::{EventType, StockCount},
};
use serde_json::{Value, json};

use super::{Scene, URL, endpoints::Answers};
use crate::shop::START;

const DAY: i64 = 24 * 3600;

/// An attempt so many seconds before the start.
fn attempt(before: i64, status: Option<u16>, ms: u64) -> Value {
    json!({
        "at": START.plus_seconds(-before), "durationMs": ms, "statusCode": status,
        "reason": null,
    })
}

#[tokio::test]
async fn attempts_of_a_day_and_of_a_week_are_counted() {
    let scene = Scene::open().await;
    let webhook = scene.webhook().await;
    let (connect, account) = (scene.connect(), scene.shop.account);
    let stats = async |most| {
        connect
            .delivery_stats(account, webhook.id, most)
            .await
            .unwrap()
    };
    assert_eq!(stats(10).await, Default::default());
    let made = |before: i64, attempts: &[Value]| json!({ "createdAt": START.plus_seconds(-before), "attempts": attempts });
    let rows = [
        made(8 * DAY, &[attempt(8 * DAY, Some(200), 9000)]),
        // Made more than a week ago, and attempted since.
        made(
            8 * DAY,
            &[
                attempt(8 * DAY, Some(500), 9000),
                attempt(6 * DAY, Some(204), 70),
            ],
        ),
        made(
            DAY + 1,
            &[attempt(DAY + 1, None, 10_000), attempt(DAY, Some(299), 20)],
        ),
        made(
            60,
            &[attempt(60, Some(301), 30), attempt(20, Some(404), 10)],
        ),
        made(0, &[attempt(0, Some(200), 40)]),
    ];
    let rows: Vec<_> = (1_u64..).zip(rows).collect();
    let rows = scene.write_log(&webhook, &rows).await;
    let all = stats(100).await;
    assert_eq!((all.deliveries, all.waiting), (5, 0));
    let failure = all.last_failure.as_ref().unwrap();
    assert_eq!(failure.delivery, rows[3].id);
    assert_eq!(failure.attempt, rows[3].attempts[1]);
    let numbers = |of: &connect_core::AttemptStats| {
        let times = (of.median_ms.unwrap(), of.slowest_ms.unwrap());
        ((of.attempts, of.succeeded), times, of.is_part)
    };
    assert_eq!(numbers(&all.day), ((4, 2), (30, 40), false));
    assert_eq!(numbers(&all.week), ((6, 3), (30, 70), false));
    // The newest two are of the day, and there is more of it.
    let two = stats(2).await;
    assert_eq!(two.deliveries, 2);
    assert_eq!(numbers(&two.day), ((3, 1), (30, 40), true));
    assert_eq!(numbers(&two.week), ((3, 1), (30, 40), true));
    // The third newest is older than a day. One made before it may have had its attempts until today.
    let three = stats(3).await;
    assert_eq!(numbers(&three.day), ((4, 2), (30, 40), true));
    assert!(three.week.is_part);
    // The fourth is so old that all attempts at those before it are over.
    let four = stats(4).await;
    assert_eq!(numbers(&four.day), ((4, 2), (30, 40), false));
    assert!(four.week.is_part);
    // Unless they have waited for a switch-on.
    scene.shop.clock.advance(60);
    scene.switch_off(&webhook).await;
    scene.switch_on(&webhook, WaitingEvents::Send).await;
    assert!(stats(4).await.day.is_part);
    assert!(!stats(100).await.day.is_part);
}

/// A webhook for stock alone has the events of its products in places of their own.
#[tokio::test]
async fn a_waiting_stock_event_tells_its_time() {
    let scene = Scene::open().await;
    let webhook = scene.webhook_at(URL, &[EventType::StockChanged], &[]).await;
    let webhook = webhook.webhook;
    let product = scene.product("A").await;
    for (quantity, seconds) in [("1", 10), ("2", 0)] {
        let count = StockCount::of(quantity.parse().unwrap());
        scene
            .shop
            .here()
            .stock()
            .count(product.id, count)
            .await
            .unwrap();
        scene.worker.tick().await.unwrap();
        scene.shop.clock.advance(seconds);
    }
    let stats = scene
        .connect()
        .delivery_stats(scene.shop.account, webhook.id, 10);
    let stats = stats.await.unwrap();
    let next = Some(START.plus_seconds(60));
    assert_eq!((stats.waiting, stats.next_attempt_at), (1, next));
    scene.shop.check().await;
}

#[tokio::test]
async fn a_failing_webhook_tells_since_when_and_when_it_is_tried_again() {
    let scene = Scene::open().await;
    let webhook = scene.webhook().await;
    let (connect, account, clock) = (scene.connect(), scene.shop.account, &scene.shop.clock);
    let health = async || {
        let found = connect.webhook_with_health(account, webhook.id).await;
        found.unwrap().1
    };
    let stats = async || {
        connect
            .delivery_stats(account, webhook.id, 10)
            .await
            .unwrap()
    };
    scene.product("A").await;
    let before = stats().await;
    assert_eq!((before.waiting, before.next_attempt_at), (1, Some(START)));
    scene.arrive().await;
    assert_eq!(health().await.failing_since, None);
    scene.endpoints.answer(URL, Answers::Status(500));
    clock.advance(10);
    scene.product("B").await;
    scene.arrive().await;
    clock.advance(60);
    scene.arrive().await;
    let failing = health().await;
    let since = START.plus_seconds(10);
    assert_eq!(
        (failing.failures_in_a_row, failing.failing_since),
        (2, Some(since))
    );
    let retry = START.plus_seconds(70 + 300);
    assert_eq!(stats().await.next_attempt_at, Some(retry));
    assert_eq!(
        stats().await.last_failure.unwrap().attempt.status_code,
        Some(500)
    );
    // Probed, the next attempt is that of the probe, and no delivery is due before.
    for name in ["C", "D", "E", "F"] {
        scene.product(name).await;
        scene.arrive().await;
    }
    let probed = health().await;
    assert!(probed.is_probed());
    let next = stats().await.next_attempt_at;
    assert_eq!(next, probed.next_probe());
    scene.switch_off(&webhook).await;
    let off = stats().await;
    assert_eq!(off.next_attempt_at, None);
    assert!(off.waiting > 0);
    scene.shop.check().await;
}
