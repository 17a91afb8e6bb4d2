//! Test events of each type, with made-up records.

use connect_core::{
    Delivery, DeliveryStatus, Error, NewWebhook,
    wire::{
        AnyEvent, Category, Changed, EventType, OptionGroup, Order, OrderStatus, Product,
        RecordsWritten, StockBatchChanged, StockLevel, Transaction, ZReport,
    },
};

use super::{
    PRODUCTS, Scene, URL,
    endpoints::{Answers, event, header},
};
use crate::shop;

/// Reads the data as receivers do, and adds up what has sums.
fn read(event: &AnyEvent) {
    let line_sum = |lines: &[connect_core::wire::Line]| {
        let sum: i64 = lines.iter().map(|line| line.total_cents).sum();
        sum
    };
    match event.kind {
        EventType::ProductChanged => {
            let changed: Changed<Product> = event.data_as().unwrap();
            assert!(!changed.deleted && !changed.record.name.is_empty());
        }
        EventType::ProductsChanged => {
            let written: RecordsWritten = event.data_as().unwrap();
            assert_eq!(written.ids.len(), written.created + written.updated);
        }
        EventType::OptionGroupChanged => {
            let changed: Changed<OptionGroup> = event.data_as().unwrap();
            assert_eq!(changed.record.options.len(), 1);
        }
        EventType::CategoryChanged => {
            let changed: Changed<Category> = event.data_as().unwrap();
            assert!(changed.record.is_active);
        }
        EventType::TransactionCreated => {
            let sale: Transaction = event.data_as().unwrap();
            let paid: i64 = sale.payments.iter().map(|paid| paid.amount_cents).sum();
            let vat = &sale.vat[0];
            assert_eq!(sale.total_cents, line_sum(&sale.lines));
            assert_eq!(sale.total_cents, paid);
            assert_eq!(vat.net_cents + vat.vat_cents, vat.gross_cents);
        }
        EventType::ZReportCreated => {
            let report: ZReport = event.data_as().unwrap();
            assert_eq!(report.totals.sales.count, 1);
            let cash = report.cash;
            assert_eq!(
                cash.counted_cents,
                cash.difference_cents
                    .map(|difference| cash.expected_cents + difference)
            );
        }
        EventType::StockChanged => {
            let level: StockLevel = event.data_as().unwrap();
            assert!(!level.quantity.is_negative());
        }
        EventType::StockBatchChanged => {
            let batch: StockBatchChanged = event.data_as().unwrap();
            assert_eq!((&*batch.reason, batch.items.len()), ("count", 1));
        }
        EventType::OrderCreated | EventType::OrderStatusChanged => {
            let order: Order = event.data_as().unwrap();
            assert_eq!(order.total_cents, line_sum(&order.lines));
            let is_new = order.status == OrderStatus::New;
            assert_eq!(is_new, event.kind == EventType::OrderCreated);
        }
        _ => panic!("no test of {}", event.kind),
    }
}

#[tokio::test]
async fn each_type_is_tested_with_its_real_form() {
    let scene = Scene::open().await;
    let issued = scene.webhook_at(URL, &PRODUCTS, &[]).await;
    let other = scene
        .webhook_at("https://other.example/", EventType::KNOWN, &[])
        .await;
    let (connect, account, webhook) = (scene.connect(), scene.shop.account, &issued.webhook);
    let feed = scene.feed().await;
    for kind in EventType::KNOWN {
        let sent = connect.test_webhook_event(account, webhook.id, kind);
        let sent = sent.await.unwrap();
        assert!(sent.is_test);
        scene.worker.tick().await.unwrap();
        let requests = scene.endpoints.take();
        let [request] = &requests[..] else {
            panic!("{kind}: {requests:?}");
        };
        assert_eq!(request.url, URL, "to this webhook alone");
        let received = event(request);
        assert_eq!(header(request, "service-event-id"), received.id.to_string());
        assert_eq!(header(request, "service-test"), "true");
        assert_eq!((received.id, &received.kind), (sent.event_id, kind));
        assert_eq!(received.location_id, Some(scene.shop.at.location().id));
        // No event of a location has this number.
        assert_eq!(received.sequence, Some(0));
        read(&received);
        let found = connect.delivery_with_body(account, webhook.id, sent.id);
        let (delivery, body) = found.await.unwrap();
        assert_eq!(delivery.status, DeliveryStatus::Delivered);
        assert_eq!(body.as_deref(), Some(&*request.body));
    }
    assert_eq!(scene.feed().await, feed);
    let log = scene.log(&other.webhook).await;
    assert_eq!(log, Vec::<Delivery>::new());
    scene.shop.check().await;
}

#[tokio::test]
async fn a_test_is_retried_and_sent_again_as_another_event() {
    let scene = Scene::open().await;
    let webhook = scene.webhook().await;
    let (connect, account) = (scene.connect(), scene.shop.account);
    // Counts are combined, and sent again unless a newer one came: of tests there is no newer one.
    let kind = EventType::StockChanged;
    scene.endpoints.answer(URL, Answers::Status(500));
    let sent = connect.test_webhook_event(account, webhook.id, &kind);
    let sent = sent.await.unwrap();
    let mut bodies = Vec::new();
    for pause in [60, 300, 1_800, 7_200, 21_600, 86_400, 0] {
        scene.worker.tick().await.unwrap();
        bodies.extend(
            scene
                .endpoints
                .take()
                .into_iter()
                .map(|request| request.body),
        );
        scene.shop.clock.advance(pause);
    }
    assert_eq!(bodies.len(), 7);
    assert!(bodies.iter().all(|body| *body == bodies[0]));
    let given_up = connect
        .delivery(account, webhook.id, sent.id)
        .await
        .unwrap();
    assert_eq!(given_up.status, DeliveryStatus::GivenUp);
    scene.endpoints.answer(URL, Answers::Status(200));
    let again = connect.resend_many(account, webhook.id, &[sent.id]).await;
    assert_eq!(again.unwrap().sent, 1);
    scene.shop.clock.advance(60);
    scene.worker.tick().await.unwrap();
    let requests = scene.endpoints.take();
    assert_eq!(requests.len(), 1);
    let received = event(&requests[0]);
    assert_eq!((received.id, received.sequence), (sent.event_id, Some(0)));
    read(&received);
    // Receivers tell events apart by their ids: one id has one body.
    assert_eq!(requests[0].body, bodies[0]);
    // Nor does a third time make another one of it.
    let log = scene.log(&webhook).await;
    let again = connect.resend(account, webhook.id, log[1].id).await;
    assert_eq!(again.unwrap().event_at, Some(given_up.created_at));
    scene.worker.tick().await.unwrap();
    assert_eq!(scene.endpoints.take()[0].body, bodies[0]);
    // A ping is sent again as it was, and is no event with made-up records.
    let ping = connect.test_webhook(account, webhook.id).await.unwrap();
    scene.worker.tick().await.unwrap();
    let first = scene.endpoints.take();
    assert!(
        first[0]
            .headers
            .iter()
            .all(|(name, _)| *name != "service-test")
    );
    scene.shop.clock.advance(60);
    connect.resend(account, webhook.id, ping.id).await.unwrap();
    scene.worker.tick().await.unwrap();
    assert_eq!(scene.endpoints.take()[0].body, first[0].body);
    scene.shop.check().await;
}

#[tokio::test]
async fn a_test_of_a_type_needs_a_location() {
    let scene = Scene::open().await;
    let connect = scene.connect();
    let empty = shop::account(connect, "Empty").await;
    let new = NewWebhook {
        url: URL.to_owned(),
        events: PRODUCTS.to_vec(),
        location_ids: Vec::new(),
    };
    let webhook = connect.create_webhook(empty, new).await.unwrap().webhook;
    for kind in EventType::KNOWN {
        let refused = connect.test_webhook_event(empty, webhook.id, kind).await;
        assert!(matches!(refused, Err(Error::Conflict(_))), "{refused:?}");
    }
    connect.test_webhook(empty, webhook.id).await.unwrap();
}

#[tokio::test]
async fn a_test_is_of_a_known_type_and_a_location_of_its_webhook() {
    let scene = Scene::open().await;
    let there = scene.shop.location("There").await.location().id;
    let issued = scene.webhook_at(URL, &PRODUCTS, &[there]).await;
    let (connect, account, webhook) = (scene.connect(), scene.shop.account, &issued.webhook);
    let kind = EventType::OrderCreated;
    let sent = connect.test_webhook_event(account, webhook.id, &kind).await;
    assert_eq!(sent.unwrap().location_id, Some(there));
    for kind in ["ping", "order.made", ""] {
        let unknown = kind.into();
        let refused = connect.test_webhook_event(account, webhook.id, &unknown);
        let refused = refused.await;
        let Err(Error::Invalid(reason)) = refused else {
            panic!("{kind}: {refused:?}");
        };
        assert_eq!(reason.field.as_deref(), Some("event"));
    }
    scene.switch_off(webhook).await;
    let refused = connect.test_webhook_event(account, webhook.id, &kind).await;
    assert!(matches!(refused, Err(Error::Conflict(_))), "{refused:?}");
}
