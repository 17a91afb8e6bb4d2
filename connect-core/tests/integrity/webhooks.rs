//! Webhooks and their deliveries that were damaged on purpose.

use std::sync::Arc;

use connect_core::{
    NewWebhook, ProblemKind,
    environment::{SendFailure, WebhookAnswer, WebhookRequest, WebhookSender},
    storage::{Entry, Write},
    wire::{EventType, ProductInput, StockCount},
};

use super::{Stocked, family, find};
use crate::stored::family::{
    DELIVERY, DELIVERY_BY_DUE, WAITING_STOCK, WEBHOOK_BY_DUE, WEBHOOK_STATE, WEBHOOK_WOKEN,
    WEBHOOKS, WEBHOOKS_LINK,
};

/// An endpoint that takes nothing.
struct Down;

#[async_trait::async_trait]
impl WebhookSender for Down {
    async fn send(&self, _: &WebhookRequest) -> Result<WebhookAnswer, SendFailure> {
        Err(SendFailure::NoAnswer(
            "The connection was refused.".to_owned(),
        ))
    }
}

/// A shop with a webhook whose endpoint is down: a delivery that is tried again, one that no worker
/// has seen, and stock that waits for its minute.
pub(super) async fn open() -> Stocked {
    let stocked = Stocked::open().await;
    let shop = &stocked.shop;
    let new = NewWebhook {
        url: "https://hooks.example/".to_owned(),
        events: vec![EventType::ProductChanged, EventType::StockChanged],
        location_ids: vec![shop.at.location().id],
    };
    shop.connect
        .create_webhook(shop.account, new)
        .await
        .unwrap();
    let first = shop.products().create(ProductInput::named("First"));
    let first = first.await.unwrap().id;
    let worker = shop.connect.webhook_worker(Arc::new(Down), None);
    worker.tick().await.unwrap();
    let second = ProductInput::named("Second");
    shop.products().create(second).await.unwrap();
    let count: StockCount = serde_json::from_str(r#"{ "quantity": 3 }"#).unwrap();
    let stock = shop.connect.location(&shop.at).stock();
    stock.count(first, count).await.unwrap();
    assert_eq!(stocked.check().await.problems, []);
    stocked
}

#[tokio::test]
async fn rows_that_are_something_else_are_named() {
    let stocked = open().await;
    for family in [
        WEBHOOKS,
        WEBHOOKS_LINK,
        WEBHOOK_STATE,
        DELIVERY_BY_DUE,
        WAITING_STOCK,
        DELIVERY,
        WEBHOOK_WOKEN,
        WEBHOOK_BY_DUE,
    ] {
        let (key, row) = stocked.first(family).await;
        stocked.put(&key, b"garbage").await;
        let report = stocked.check().await;
        let key_text = hex::encode(&key);
        let mut of_key = report.problems.iter().filter(|p| p.key == key_text);
        let found = of_key.any(|problem| {
            matches!(
                problem.kind,
                ProblemKind::BadRow | ProblemKind::MissingEntry | ProblemKind::StrayEntry
            )
        });
        assert!(found, "{family:#x}: {:#?}", report.problems);
        stocked.put(&key, &row).await;
    }
    assert_eq!(stocked.check().await.problems, []);
}

#[tokio::test]
async fn missing_entries_are_named() {
    let stocked = open().await;
    // The entry of a webhook, the place of a webhook that is due, and that of a delivery that is
    // tried again; and its copy in the log, which is told of by the one in the queue.
    let queue = stocked.rows(DELIVERY_BY_DUE).await;
    let is_tried = |row: &[u8]| !String::from_utf8_lossy(row).contains(r#""attempts":[]"#);
    let tried = queue.iter().find(|(_, row)| is_tried(row)).unwrap();
    for (removed, told) in [
        (stocked.first(WEBHOOKS_LINK).await, None),
        (stocked.first(WEBHOOK_BY_DUE).await, None),
        (tried.clone(), None),
        (stocked.first(DELIVERY).await, Some(tried.0.clone())),
    ] {
        stocked.write(&removed.0, Write::Remove).await;
        let report = stocked.check().await;
        let key = told.unwrap_or_else(|| removed.0.clone());
        find(&report, ProblemKind::MissingEntry, &key);
        stocked.put(&removed.0, &removed.1).await;
    }
    assert_eq!(stocked.check().await.problems, []);
}

#[tokio::test]
async fn what_leads_nowhere_is_named() {
    let stocked = open().await;
    // A webhook for a location that is not there.
    let webhooks = stocked.first(WEBHOOKS).await;
    let here = stocked.location().to_string();
    let nowhere = "01900000-0000-7000-8000-000000000000";
    stocked.replace(&webhooks, &here, nowhere).await;
    let report = stocked.check().await;
    find(&report, ProblemKind::MissingReference, &webhooks.0);
    stocked.put(&webhooks.0, &webhooks.1).await;
    // Deliveries of an event that is not there.
    let events = stocked.rows(family::EVENT).await;
    let (key, row) = &events[events.len() - 2];
    stocked.write(key, Write::Remove).await;
    let report = stocked.check().await;
    let queue = stocked.rows(DELIVERY_BY_DUE).await;
    let of_queue = |key: &String| queue.iter().any(|(other, _)| hex::encode(other) == *key);
    let is_it = |problem: &&connect_core::Problem| {
        problem.kind == ProblemKind::MissingReference && of_queue(&problem.key)
    };
    assert_eq!(report.problems.iter().filter(is_it).count(), 1);
    stocked.put(key, row).await;
    // A webhook that is due at a time that its state does not know.
    let state = stocked.first(WEBHOOK_STATE).await;
    stocked.write(&state.0, Write::Remove).await;
    let due = stocked.first(WEBHOOK_BY_DUE).await.0;
    find(&stocked.check().await, ProblemKind::StrayEntry, &due);
}

#[tokio::test]
async fn deliveries_that_nobody_will_look_at_are_named() {
    let stocked = open().await;
    let link = stocked.rows(WEBHOOKS_LINK).await;
    let state = stocked.first(WEBHOOK_STATE).await;
    let woken = stocked.first(WEBHOOK_WOKEN).await;
    let due = stocked.first(WEBHOOK_BY_DUE).await;
    // Either of the two is enough.
    stocked.write(&woken.0, Write::Remove).await;
    assert_eq!(stocked.check().await.problems, []);
    for (key, _) in [&state, &due] {
        stocked.write(key, Write::Remove).await;
    }
    find(&stocked.check().await, ProblemKind::MissingEntry, &woken.0);
    stocked.put(&woken.0, &woken.1).await;
    assert_eq!(stocked.check().await.problems, []);
    // Deliveries without an account.
    let of_webhook = |(key, _): &&Entry| key[..16] == state.0[..16];
    let link = link.iter().find(of_webhook).unwrap();
    stocked.write(&link.0, Write::Remove).await;
    find(
        &stocked.check().await,
        ProblemKind::MissingReference,
        &link.0,
    );
    stocked.put(&link.0, &link.1).await;
    let webhooks = stocked.first(WEBHOOKS).await;
    stocked.write(&webhooks.0, Write::Remove).await;
    find(
        &stocked.check().await,
        ProblemKind::MissingReference,
        &link.0,
    );
}
