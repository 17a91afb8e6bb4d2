//! A shop is carried from one store to another, and goes on there as if nothing had happened.

use std::{path::Path, sync::Arc};

use connect_client::{
    Client,
    wire::{Entry, Product},
};
use connect_core::{
    NewWebhook,
    environment::WebhookRequest,
    storage::{
        Storage,
        memory::MemoryStorage,
        postgres::{PostgresOptions, PostgresStorage, testing::TestDatabase},
        redb::{RedbOptions, RedbStorage},
        sled::{SledOptions, SledStorage},
    },
    transfer::{ExportOptions, export, import},
    wire::{EventType, Timestamp},
};
use connect_tests::{
    http::{Answer, Request},
    kept_requests::KeptRequests,
    shop::{Setup, Shop, device_path},
};
use http::Method;
use serde_json::{Value, json};

/// The ids of the events that were sent.
fn ids(kept: &KeptRequests) -> Vec<String> {
    let mut ids: Vec<_> = kept.all().iter().map(id_of).collect();
    ids.sort();
    ids
}

fn id_of(request: &WebhookRequest) -> String {
    let event: Value = serde_json::from_slice(&request.body).unwrap();
    event["id"].as_str().unwrap().to_owned()
}

async fn opened(engine: &str, folder: &Path) -> Arc<dyn Storage> {
    let path = folder.join(engine);
    match engine {
        address if address.starts_with("postgres:") => {
            let storage = PostgresStorage::open(address, PostgresOptions::default()).await;
            Arc::new(storage.unwrap())
        }
        "memory" => Arc::new(MemoryStorage::new()),
        "redb" => Arc::new(RedbStorage::open(path, RedbOptions::default()).unwrap()),
        _ => Arc::new(SledStorage::open(path, SledOptions::default()).unwrap()),
    }
}

/// What is asked of the shop before it moves, and again afterwards.
const LISTS: [&str; 8] = [
    "products?limit=200",
    "products?limit=200&includeDeleted=true&updatedSince=2026-11-01T00:00:00Z",
    "categories?limit=200&includeDeleted=true",
    "stock?limit=200",
    "stock/movements?limit=200",
    "transactions?limit=200",
    "events?limit=200",
    "daily-summary",
];

async fn lists(shop: &Shop) -> Vec<Value> {
    let mut bodies = Vec::new();
    for list in LISTS {
        let answer = shop.get(list).await.expect(200);
        bodies.push(answer.json());
    }
    bodies
}

fn sale(cents: i64) -> Value {
    let line = json!({
        "name": "Rye", "quantity": 1, "unitPriceCents": cents, "totalCents": cents, "vatRate": 9,
    });
    json!({
        "type": "sale", "totalCents": cents, "lines": [line],
        "payments": [{ "method": "card", "amountCents": cents }],
    })
}

/// Fills a shop with a bit of everything. The event of each change waits for a webhook.
async fn fill(shop: &Shop) {
    let bread = shop.make("categories", &json!({ "name": "Bread" })).await;
    let items: Vec<_> = (0..40)
        .map(|n| json!({ "externalId": format!("P-{n}"), "name": "Loaf", "categoryId": bread["id"] }))
        .collect();
    shop.batch(&json!({ "items": items })).await;
    let new = NewWebhook {
        url: "https://hooks.example/in".to_owned(),
        events: EventType::KNOWN.to_vec(),
        location_ids: Vec::new(),
    };
    let made = shop.connect.create_webhook(shop.account, new).await;
    made.unwrap();
    let products = shop.all("products", "limit=200").await;
    let id = |n: usize| products[n]["id"].as_str().unwrap().to_owned();
    for n in 0..5 {
        let price = json!({ "priceCents": 100 + n });
        shop.patch(&format!("products/{}", id(n)), &price)
            .await
            .expect(200);
    }
    shop.delete(&format!("products/{}", id(39)))
        .await
        .expect(204);
    let counts = json!({ "items": [{ "productId": id(0), "quantity": 7.25 }] });
    let count = Request::new(Method::PUT, shop.at("stock")).json(&counts);
    shop.send(count).await.expect(200);
    let delivery = json!({ "productId": id(1), "quantityChange": 12 });
    shop.post("stock/adjustments", &delivery).await.expect(201);
}

/// The numbers of a list of receipts or events, in their order.
fn numbers(list: &[Value], name: &str) -> Vec<u64> {
    let number = |row: &Value| row[name].as_u64().unwrap();
    list.iter().map(number).collect()
}

fn is_replayed(answer: &Answer) -> bool {
    answer.header("idempotent-replayed") == Some("true")
}

/// What the SDK's poller sees since a time, and the time to go on from.
async fn poll(
    shop: &Shop,
    token: &str,
    since: Option<Timestamp>,
) -> (Vec<Product>, Option<Timestamp>) {
    let client = Client::builder(format!("http://{}/v1", shop.address), token)
        .build()
        .unwrap();
    let products = client.location(shop.here).products();
    let (entries, since) = products.changes_since(since).all().await.unwrap();
    let live = entries.into_iter().filter_map(|entry| match entry {
        Entry::Live(product) => Some(product),
        Entry::Deleted(_) => None,
    });
    (live.collect(), since)
}

async fn a_shop_moves(from: &str, to: &str) {
    let folder = tempfile::tempdir().unwrap();
    let source = opened(from, folder.path()).await;
    let shop = Setup::default().storage(source.clone()).open().await;
    fill(&shop).await;
    let key = {
        let till = shop.register("Till 7").await;
        for cents in [425, 310, 99] {
            till.make("transactions", &sale(cents)).await;
        }
        till.key.clone()
    };
    let rye = Request::post(shop.at("products"), &json!({ "name": "Rye" })).key("moved");
    let made = shop.send(rye.clone()).await.expect(201);
    let before = lists(&shop).await;
    let events = shop.all("events", "limit=200").await;
    let (_, seen) = poll(&shop, &shop.token, None).await;
    let (again, _) = poll(&shop, &shop.token, seen).await;
    // A list that is read while the shop moves: a page here, the others there.
    let page = shop.get("products?limit=20").await.expect(200);
    let rest = page.next_cursor().unwrap();
    let token = shop.token.clone();
    shop.close().await;

    let file = folder.path().join("shop.connect");
    let written = export(&*source, &file, ExportOptions::default(), &mut |_| {}).await;
    drop(source);
    let target = opened(to, folder.path()).await;
    let read = import(&*target, &file, &mut |_| {}).await;
    assert_eq!(read.unwrap(), written.unwrap());

    let mut shop = Setup::default().storage(target.clone()).open().await;
    shop.token = token;
    assert_eq!(lists(&shop).await, before);
    // The poller sees what it would have seen without the move.
    let (entries, since) = poll(&shop, &shop.token, seen).await;
    assert_eq!((entries, since), (again, seen));
    let page = shop.get(&format!("products?limit=20&cursor={rest}")).await;
    let page: Vec<Value> = page.expect(200).list();
    assert_eq!(page[..], before[0]["data"].as_array().unwrap()[20..]);
    // The request that was answered there is answered here.
    let replayed = shop.send(rye).await;
    assert!(is_replayed(&replayed), "{}", replayed.summary());
    assert_eq!(replayed.body, made.body);
    assert_eq!(shop.all("events", "limit=200").await, events);

    // What comes next follows without a gap.
    let sold = Request::post(device_path("transactions"), &sale(200));
    shop.send_as(&key, sold).await.expect(201);
    let wrap = shop.make("products", &json!({ "name": "Wrap" })).await;
    let receipts = shop.all("transactions", "limit=200").await;
    assert_eq!(numbers(&receipts, "receiptNumber"), [1, 2, 3, 4]);
    let feed = shop.all("events", "limit=200").await;
    assert_eq!(feed[..events.len()], events);
    assert!(feed.len() >= events.len() + 2);
    let sequence = numbers(&feed, "sequence");
    assert!(
        sequence.windows(2).all(|pair| pair[0] + 1 == pair[1]),
        "{sequence:?}"
    );
    let updated: Timestamp = wrap["updatedAt"].as_str().unwrap().parse().unwrap();
    assert!(Some(updated) > seen);
    let (entries, _) = poll(&shop, &shop.token, seen).await;
    assert!(entries.iter().any(|product| product.name == "Wrap"));

    // The events that waited are sent, each once.
    let kept = Arc::new(KeptRequests::default());
    let worker = shop.connect.webhook_worker(kept.clone(), None);
    worker.tick().await.unwrap();
    let since = made_before_webhook(&feed);
    let mut expected: Vec<_> = feed[since..].iter().map(id).collect();
    expected.sort();
    assert_eq!(ids(&kept), expected);
    let report = shop.connect.check(&mut |_| {}).await.unwrap();
    assert!(report.is_clean(), "{:?}", report.problems);
    shop.close().await;
}

fn id(record: &Value) -> String {
    record["id"].as_str().unwrap().to_owned()
}

/// The number of events before the webhook was made: of the category and of the batch.
fn made_before_webhook(feed: &[Value]) -> usize {
    let is_batch = |event: &Value| event["type"] == "catalog.products.changed";
    feed.iter().position(is_batch).unwrap() + 1
}

#[tokio::test]
async fn from_memory_to_sled() {
    a_shop_moves("memory", "sled").await;
}

#[tokio::test]
async fn from_redb_to_sled() {
    a_shop_moves("redb", "sled").await;
}

#[tokio::test]
async fn from_sled_to_redb() {
    a_shop_moves("sled", "redb").await;
}

#[tokio::test]
async fn from_redb_to_memory() {
    a_shop_moves("redb", "memory").await;
}

#[tokio::test]
async fn from_redb_to_postgres() {
    if let Some(database) = TestDatabase::new() {
        a_shop_moves("redb", &database.address()).await;
    }
}

#[tokio::test]
async fn from_postgres_to_sled() {
    if let Some(database) = TestDatabase::new() {
        a_shop_moves(&database.address(), "sled").await;
    }
}
