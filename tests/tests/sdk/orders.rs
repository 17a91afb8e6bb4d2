//! Orders, through the SDK and against the document. Kiosks write them over the owner's listener.

use connect_client::wire::{
    ErrorCode, Id, Order, OrderSource, OrderStatus, Timestamp,
    query::{OrderQuery, SyncQuery},
};
use connect_core::ScreenType;
use connect_tests::shop::{Device, Shop};
use serde_json::{Value, json};

use super::open;

/// An order of soups.
fn soups(count: i64) -> Value {
    json!({
        "fulfilment": "dine_in",
        "lines": [{
            "name": "Soup", "quantity": count, "unitPriceCents": 450,
            "totalCents": 450 * count, "vatRate": 9,
        }],
    })
}

/// Six orders, a minute between them: by a kiosk, and every third by Scan & Order.
async fn six(shop: &Shop) -> (Device<'_>, Vec<String>) {
    let kiosk = shop.kiosk("Kiosk").await;
    let phone = shop
        .device(shop.here, ScreenType::ScanAndOrder, "Tables")
        .await;
    let mut ids = Vec::new();
    for n in 1..=6 {
        let by = if n % 3 == 0 { &phone } else { &kiosk };
        let order = by.make("orders", &soups(n)).await;
        ids.push(order["id"].as_str().unwrap().to_owned());
        shop.clock.advance(60);
    }
    (kiosk, ids)
}

fn numbers(orders: &[Order]) -> Vec<u64> {
    orders.iter().map(|order| order.number).collect()
}

fn since(time: Timestamp) -> OrderQuery {
    let sync = SyncQuery {
        updated_since: Some(time),
        ..SyncQuery::default()
    };
    OrderQuery {
        sync,
        ..OrderQuery::default()
    }
}

#[tokio::test]
async fn orders_are_listed_and_read() {
    let (shop, watch, client) = open().await;
    let (_, ids) = six(&shop).await;
    let orders = client.location(shop.here).orders();
    let all = orders.stream(&OrderQuery::default()).all().await.unwrap();
    assert_eq!(numbers(&all), [1, 2, 3, 4, 5, 6]);
    assert_eq!(all[2].source, OrderSource::ScanAndOrder);
    assert_eq!((all[4].total_cents, &*all[4].currency), (2250, "EUR"));
    assert_eq!(all[4].id.to_string(), ids[4]);
    assert_eq!(orders.get(all[4].id).await.unwrap(), all[4]);

    // Pages of two, each with a cursor but the last.
    watch.passed();
    let mut pages = OrderQuery::default();
    pages.sync.limit = Some(2);
    assert_eq!(orders.stream(&pages).all().await.unwrap(), all);
    assert_eq!(watch.passed().len(), 3);

    let gone = orders.get(Id::<Order>::from(uuid::Uuid::nil())).await;
    let gone = gone.unwrap_err();
    assert_eq!(
        (gone.status(), gone.code()),
        (Some(404), Some(&ErrorCode::NotFound))
    );
    let elsewhere = client.location(shop.there).orders();
    assert_eq!(elsewhere.list(&pages).await.unwrap().data, []);
    elsewhere.get(all[4].id).await.unwrap_err();
}

#[tokio::test]
async fn filters_narrow_the_list_down_together() {
    let (shop, _watch, client) = open().await;
    let (kiosk, ids) = six(&shop).await;
    for (id, status) in [
        (&ids[1], "ready"),
        (&ids[3], "ready"),
        (&ids[4], "cancelled"),
    ] {
        let moved = kiosk.patch(id, &json!({ "status": status })).await;
        moved.expect(200);
    }
    let orders = client.location(shop.here).orders();
    let ready = || Some(OrderStatus::Ready);
    for (query, expected) in [
        ((ready(), None, "", ""), &[2, 4][..]),
        ((None, Some(OrderSource::ScanAndOrder), "", ""), &[3, 6]),
        ((ready(), Some(OrderSource::ScanAndOrder), "", ""), &[]),
        // `from` is part of the time, `to` is not; a day is meant as a whole.
        ((None, None, "2026-11-20T10:02:00Z", ""), &[3, 4, 5, 6]),
        ((None, None, "", "2026-11-20T10:02:00Z"), &[1, 2]),
        ((ready(), None, "2026-11-20T10:02:00Z", ""), &[4]),
        (
            (None, None, "2026-11-20", "2026-11-20"),
            &[1, 2, 3, 4, 5, 6],
        ),
        ((None, None, "2026-11-21", ""), &[]),
        ((None, None, "", "2026-11-19"), &[]),
    ] {
        let case = format!("{query:?}");
        let (status, source, from, to) = query;
        let query = OrderQuery {
            status,
            source,
            from: from.parse().ok(),
            to: to.parse().ok(),
            ..OrderQuery::default()
        };
        let found = orders.stream(&query).all().await.unwrap();
        assert_eq!(numbers(&found), expected, "{case}");
    }
}

/// With `updatedSince` the list is in the order of the changes, so whoever polls gets each of them.
#[tokio::test]
async fn changes_of_orders_are_followed() {
    let (shop, _watch, client) = open().await;
    let (kiosk, ids) = six(&shop).await;
    let orders = client.location(shop.here).orders();
    let all = orders.stream(&OrderQuery::default()).all().await.unwrap();
    let last = all.iter().map(|order| order.updated_at).max().unwrap();
    let seen = orders.stream(&since(last)).all().await.unwrap();
    assert_eq!(numbers(&seen), [6]);
    for id in [&ids[4], &ids[0], &ids[4]] {
        let status = if id == &ids[0] { "ready" } else { "accepted" };
        let moved = kiosk.patch(id, &json!({ "status": status })).await;
        moved.expect(200);
    }
    let mut changed = since(last);
    // The third write changed nothing, so the order keeps its place.
    let found = orders.stream(&changed).all().await.unwrap();
    assert_eq!(numbers(&found), [6, 5, 1]);
    changed.sync.limit = Some(1);
    assert_eq!(orders.stream(&changed).all().await.unwrap(), found);
    changed.status = Some(OrderStatus::Ready);
    let ready = orders.stream(&changed).all().await.unwrap();
    assert_eq!(numbers(&ready), [1]);
    changed.status = None;
    changed.to = "2026-11-20T10:05:00Z".parse().ok();
    let early = orders.stream(&changed).all().await.unwrap();
    assert_eq!(numbers(&early), [5, 1]);
    let all = orders.stream(&OrderQuery::default()).all().await.unwrap();
    assert_eq!(numbers(&all), [1, 2, 3, 4, 5, 6]);
}
