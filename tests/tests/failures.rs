//! What clients see when the storage fails, and what is left afterwards.

use std::sync::Arc;

use connect_tests::{
    http::{Answer, Request},
    shop::{Mood, Setup, Shop, Unsteady},
};
use serde_json::json;

async fn open() -> (Shop, Arc<Unsteady>) {
    let storage = Arc::new(Unsteady::default());
    let shop = Setup::default().storage(storage.clone()).open().await;
    (shop, storage)
}

/// A 503 says when to try again.
fn is_away(answer: Answer) {
    assert_eq!(answer.header("retry-after"), Some("2"));
    is_discreet(answer, 503);
}

/// A fault of ours says that it is one, and nothing of the inside.
fn is_discreet(answer: Answer, status: u16) {
    let (_, _, message) = answer.fails(status, "server_error").failure();
    for word in ["disk", "db-3", "storage", "panic", "src/"] {
        assert!(!message.contains(word), "{message}");
    }
}

fn rye(shop: &Shop) -> Request {
    Request::post(shop.at("products"), &json!({ "name": "Rye" })).key("rye")
}

#[tokio::test]
async fn every_request_is_answered_while_the_storage_is_down() {
    let (shop, storage) = open().await;
    let made = shop.send(rye(&shop)).await.expect(201);
    let one = shop.at(&format!("products/{}", made.id()));
    storage.turn(Mood::Down);
    for request in [
        Request::get("/v1/locations"),
        Request::get(shop.at("products")),
        Request::get(&one),
        Request::get(shop.at("categories?includeDeleted=true")),
        rye(&shop),
        Request::patch(&one, &json!({ "priceCents": 1 })),
        Request::delete(&one),
        Request::post(
            shop.at("products/batch"),
            &json!({ "items": [{ "name": "Bun" }] }),
        ),
    ] {
        is_away(shop.send(request).await);
    }
    shop.send_bare(Request::get("/v1/openapi.json"))
        .await
        .expect(200);
    assert_eq!(shop.send_bare(Request::get("/healthz")).await.status, 200);
    assert_eq!(shop.send_bare(Request::get("/readyz")).await.status, 503);
    storage.turn(Mood::Steady);
    assert_eq!(shop.send_bare(Request::get("/readyz")).await.status, 200);
    assert_eq!(
        shop.send(Request::get(&one)).await.expect(200).data(),
        made.data()
    );
}

#[tokio::test]
async fn a_failed_write_leaves_nothing_and_may_be_repeated() {
    let (shop, storage) = open().await;
    storage.turn(Mood::ReadOnly);
    is_away(shop.send(rye(&shop)).await);
    let batch = json!({ "items": [{ "name": "Bun", "categoryName": "Buns" }] });
    is_away(shop.post("products/batch", &batch).await);
    storage.turn(Mood::Steady);
    assert!(shop.all("products", "includeDeleted=true").await.is_empty());
    assert!(shop.all("categories", "").await.is_empty());
    // A 503 is not stored under the key.
    let made = shop.send(rye(&shop)).await.expect(201);
    assert_eq!(made.header("idempotent-replayed"), None);
}

/// The failure happens in the middle of the work, and the storage would take the answer: it must
/// not be kept as the answer to the key.
#[tokio::test]
async fn a_503_is_not_stored_even_where_it_could_be() {
    let (shop, storage) = open().await;
    let batch = json!({ "matchBy": "barcode", "items": [
        { "name": "Bun", "categoryName": "Buns" }, { "barcode": "871", "name": "Rye" },
    ]});
    let request = || Request::post(shop.at("products/batch"), &batch).key("k");
    storage.turn(Mood::NoScans);
    is_away(shop.send(request()).await);
    storage.turn(Mood::Steady);
    assert!(
        shop.all("categories", "includeDeleted=true")
            .await
            .is_empty()
    );
    let answer = shop.send(request()).await.expect(200);
    assert_eq!(answer.header("idempotent-replayed"), None);
    assert_eq!(answer.data()["created"], 2);
}

/// The storage has done it but could not say so: the service finds out, and the client gets its
/// answer.
#[tokio::test]
async fn a_write_whose_answer_was_lost_is_answered_all_the_same() {
    let (shop, storage) = open().await;
    storage.turn(Mood::Unsure);
    let made = shop.send(rye(&shop)).await.expect(201);
    let batch = json!({ "items": [{ "name": "Bun" }, { "name": "Pie" }] });
    assert_eq!(shop.batch(&batch).await["created"], 2);
    storage.turn(Mood::Steady);
    let again = shop.send(rye(&shop)).await.expect(201);
    assert_eq!(again.header("idempotent-replayed"), Some("true"));
    assert_eq!(again.data(), made.data());
    assert_eq!(shop.all("products", "").await.len(), 3);
}

/// The storage could not say what became of it, and nothing did.
#[tokio::test]
async fn a_write_that_was_lost_on_its_way_is_a_500_and_may_be_repeated() {
    let (shop, storage) = open().await;
    storage.turn(Mood::Lost);
    is_discreet(shop.send(rye(&shop)).await, 500);
    storage.turn(Mood::Steady);
    assert!(shop.all("products", "includeDeleted=true").await.is_empty());
    let made = shop.send(rye(&shop)).await.expect(201);
    assert_eq!(made.header("idempotent-replayed"), None);
}

#[tokio::test]
async fn a_panic_is_a_500_and_the_server_goes_on() {
    let (shop, storage) = open().await;
    storage.turn(Mood::Panicking);
    for _ in 0..3 {
        is_discreet(shop.send(rye(&shop)).await, 500);
    }
    shop.get("products").await.expect(200);
    storage.turn(Mood::Steady);
    shop.send(rye(&shop)).await.expect(201);
    assert_eq!(shop.all("products", "").await.len(), 1);
}

#[tokio::test]
async fn a_conflict_with_another_process_is_not_the_clients_business() {
    let (shop, storage) = open().await;
    for conflicts in [1, 5, 20] {
        storage.turn(Mood::Contended(conflicts));
        let batch = json!({ "items": [{ "name": "Bun" }, { "name": "Pie" }] });
        assert_eq!(shop.batch(&batch).await["created"], 2);
    }
    // However long it lasts: under a lock nobody is faster.
    storage.turn(Mood::Contended(usize::MAX));
    shop.send(rye(&shop)).await.expect(201);
    assert_eq!(shop.all("products", "").await.len(), 7);
}
