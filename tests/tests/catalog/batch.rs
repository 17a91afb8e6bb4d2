//! `POST /v1/locations/{locationId}/products/batch`.

use connect_tests::{http::Request, shop::Shop};
use serde_json::{Value, json};

/// Created, updated, unchanged, failed.
fn counts(data: &Value) -> [u64; 4] {
    ["created", "updated", "unchanged", "failed"].map(|name| data[name].as_u64().unwrap())
}

fn statuses(data: &Value) -> Vec<&str> {
    let results = data["results"].as_array().unwrap();
    results
        .iter()
        .map(|result| result["status"].as_str().unwrap())
        .collect()
}

#[tokio::test]
async fn items_make_change_and_leave_products() {
    let shop = Shop::open().await;
    let menu = json!({ "items": [
        { "externalId": "A", "name": "Rye", "priceCents": 400, "categoryName": "Bread" },
        { "externalId": "B", "name": "Bun", "priceCents": 100, "categoryName": "bread" },
        { "name": "Nameless code" },
    ]});
    let first = shop.batch(&menu).await;
    assert_eq!(counts(&first), [3, 0, 0, 0]);
    assert_eq!(first["results"][0]["externalId"], "A");
    assert_eq!(first["results"][2].get("externalId"), None);
    assert_eq!(shop.all("categories", "").await.len(), 1);
    for result in first["results"].as_array().unwrap() {
        shop.get(&format!("products/{}", result["id"].as_str().unwrap()))
            .await
            .expect(200);
    }
    let second = shop
        .batch(&json!({ "items": [
            { "externalId": "A", "priceCents": 425 },
            { "externalId": "B", "name": "Bun", "priceCents": 100.0, "categoryName": "Bread" },
        ]}))
        .await;
    assert_eq!(statuses(&second), ["updated", "unchanged"]);
    assert_eq!(second["results"][0]["id"], first["results"][0]["id"]);
    let rye = shop.all("products", "externalId=A").await.remove(0);
    assert_eq!(
        (&rye["priceCents"], &rye["name"]),
        (&json!(425), &json!("Rye"))
    );
}

#[tokio::test]
async fn a_failed_item_leaves_nothing_and_holds_up_nobody() {
    let shop = Shop::open().await;
    let data = shop
        .batch(&json!({ "items": [
            { "externalId": "A", "name": "Rye" },
            { "externalId": "B", "name": "Bun", "priceCents": -1, "categoryName": "Buns" },
            { "externalId": "C" },
            { "externalId": "D", "name": "Pie", "categoryName": "Pies", "categoryId": null },
            { "externalId": "E", "name": "Tea" },
        ]}))
        .await;
    assert_eq!(
        statuses(&data),
        ["created", "failed", "failed", "failed", "created"]
    );
    assert_eq!(data["results"][1]["externalId"], "B");
    assert_eq!(data["results"][1].get("id"), None);
    assert_eq!(shop.all("products", "").await.len(), 2);
    assert!(shop.all("categories", "").await.is_empty());
}

/// An item that is refused only after its category was made for it.
#[tokio::test]
async fn a_late_refusal_leaves_nothing_either() {
    let shop = Shop::open().await;
    shop.make("products", &json!({ "name": "Rye", "externalId": "R-1" }))
        .await;
    let before = shop.all("products", "includeDeleted=true").await;
    let data = shop.batch(&json!({ "matchBy": "id", "items": [
        { "name": "Pie", "externalId": "R-1", "categoryName": "Pies" },
        { "name": "Pie", "categoryName": "Cakes", "availableFrom": "2026-02-01", "availableUntil": "2026-01-01" },
        { "name": "Pie", "categoryName": "Tarts", "categoryId": null },
        { "id": before[0]["id"], "priceCents": 5, "categoryName": "Breads", "availableUntil": "0001-01-01" },
        { "id": before[0]["id"], "categoryName": "Breads", "availableFrom": "9999-01-01", "priceCents": -1 },
    ]})).await;
    assert_eq!(
        statuses(&data),
        ["failed", "failed", "failed", "updated", "failed"]
    );
    let names: Vec<Value> = shop
        .all("categories", "includeDeleted=true")
        .await
        .iter()
        .map(|c| c["name"].clone())
        .collect();
    assert_eq!(names, ["Breads"]);
    assert_eq!(shop.all("products", "includeDeleted=true").await.len(), 1);
}

#[tokio::test]
async fn a_later_item_sees_what_an_earlier_one_did() {
    let shop = Shop::open().await;
    let data = shop
        .batch(&json!({ "items": [
            { "externalId": "A", "name": "Rye", "categoryName": "Bread" },
            { "externalId": "A", "priceCents": 5 },
            { "externalId": "A", "priceCents": 5 },
            { "externalId": "B", "name": "Bun", "categoryName": "BREAD" },
        ]}))
        .await;
    assert_eq!(
        statuses(&data),
        ["created", "updated", "unchanged", "created"]
    );
    assert_eq!(data["results"][0]["id"], data["results"][2]["id"]);
    let products = shop.all("products", "").await;
    assert_eq!(products.len(), 2);
    assert_eq!(products[0]["updatedAt"], products[1]["updatedAt"]);
    assert_eq!(shop.all("categories", "").await.len(), 1);
}

#[tokio::test]
async fn a_code_that_an_earlier_item_gave_up_is_free() {
    let shop = Shop::open().await;
    let first = shop
        .make("products", &json!({ "name": "First", "externalId": "A" }))
        .await;
    let second = shop
        .make("products", &json!({ "name": "Second", "externalId": "B" }))
        .await;
    let swap = json!({ "matchBy": "id", "items": [
        { "id": second["id"], "externalId": "A" },
        { "id": first["id"], "externalId": "C" },
        { "id": second["id"], "externalId": "A" },
        { "id": first["id"], "externalId": "B" },
    ]});
    let data = shop.batch(&swap).await;
    assert_eq!(statuses(&data), ["failed", "updated", "updated", "updated"]);
    assert_eq!(
        shop.all("products", "externalId=A").await[0]["name"],
        "Second"
    );
    assert_eq!(
        shop.all("products", "externalId=B").await[0]["name"],
        "First"
    );
    assert!(shop.all("products", "externalId=C").await.is_empty());
}

#[tokio::test]
async fn an_item_without_its_key_makes_a_product() {
    let shop = Shop::open().await;
    for match_by in ["externalId", "barcode", "id"] {
        let items = json!([{ "name": "Rye" }, { "name": "Rye" }]);
        let data = shop
            .batch(&json!({ "matchBy": match_by, "items": items }))
            .await;
        assert_eq!(statuses(&data), ["created", "created"], "{match_by}");
    }
    let empty = json!({ "items": [{ "externalId": null, "name": "Rye" }] });
    assert_eq!(statuses(&shop.batch(&empty).await), ["created"]);
}

#[tokio::test]
async fn items_are_matched_by_barcode() {
    let shop = Shop::open().await;
    shop.batch(&json!({ "items": [
        { "name": "One", "barcode": "1" }, { "name": "Two", "barcode": "2" }, { "name": "Also two", "barcode": "2" },
    ]})).await;
    let data = shop
        .batch(&json!({ "matchBy": "barcode", "items": [
            { "barcode": "1", "priceCents": 5, "externalId": "X-1" },
            { "barcode": "2", "priceCents": 5 },
            { "barcode": "3", "name": "Three" },
            { "barcode": "3", "priceCents": 5 },
            { "name": "Without" },
            { "barcode": null, "name": "With none" },
        ]}))
        .await;
    assert_eq!(
        statuses(&data),
        [
            "updated", "failed", "created", "updated", "created", "created"
        ]
    );
    assert_eq!(data["results"][1]["error"]["code"], "conflict");
    assert_eq!(data["results"][0]["externalId"], "X-1");
}

#[tokio::test]
async fn items_are_matched_by_id() {
    let shop = Shop::open().await;
    let rye = shop
        .make("products", &json!({ "name": "Rye", "externalId": "R-1" }))
        .await;
    let loud = rye["id"].as_str().unwrap().to_uppercase();
    let data = shop
        .batch(&json!({ "matchBy": "id", "items": [
            { "id": rye["id"], "externalId": "R-2" },
            { "id": loud, "priceCents": 5 },
            { "name": "New" },
            { "id": "019a8c52-8e20-7c42-8a1f-4c2d6e8fab02", "name": "Unknown" },
        ]}))
        .await;
    assert_eq!(statuses(&data), ["updated", "updated", "created", "failed"]);
    assert_eq!(data["results"][0]["externalId"], "R-2");
    assert_eq!(data["results"][3]["error"]["code"], "not_found");
    // With another key the id is a read-only field: accepted and ignored.
    let data = shop
        .batch(&json!({ "items": [{ "id": "x", "externalId": "R-2", "priceCents": 6 }] }))
        .await;
    assert_eq!(statuses(&data), ["updated"]);
}

#[tokio::test]
async fn nothing_is_made_when_nothing_is_to_be_made() {
    let shop = Shop::open().await;
    shop.make("products", &json!({ "name": "Rye", "externalId": "R-1" }))
        .await;
    let data = shop
        .batch(&json!({ "createMissing": false, "items": [
            { "externalId": "R-1", "priceCents": 5 },
            { "externalId": "R-2", "name": "Bun", "categoryName": "Buns" },
        ]}))
        .await;
    assert_eq!(statuses(&data), ["updated", "failed"]);
    assert_eq!(data["results"][1]["error"]["code"], "not_found");
    assert_eq!(data["results"][1]["externalId"], "R-2");
    assert!(shop.all("categories", "").await.is_empty());
}

#[tokio::test]
async fn a_dry_run_says_what_would_be_and_leaves_nothing() {
    let shop = Shop::open().await;
    let rye = shop
        .make("products", &json!({ "name": "Rye", "externalId": "R-1" }))
        .await;
    let items = json!([
        { "externalId": "R-1", "priceCents": 5 },
        { "externalId": "R-1", "priceCents": 5 },
        { "externalId": "R-2", "name": "Bun", "categoryName": "Buns", "imageUrl": "https://img.example/b" },
        { "externalId": "R-2", "description": "Round" },
        { "externalId": "R-3" },
    ]);
    let dry = shop.batch(&json!({ "dryRun": true, "items": items })).await;
    assert_eq!(shop.all("products", "includeDeleted=true").await, [rye]);
    assert!(
        shop.all("categories", "includeDeleted=true")
            .await
            .is_empty()
    );
    let real = shop
        .batch(&json!({ "dryRun": false, "items": items }))
        .await;
    assert_eq!(
        statuses(&dry),
        ["updated", "unchanged", "created", "updated", "failed"]
    );
    assert_eq!(statuses(&dry), statuses(&real));
    assert_eq!(dry["imagesQueued"], real["imagesQueued"]);
    assert_eq!(dry["results"][4], real["results"][4]);
    assert_eq!(dry["results"][0], real["results"][0]);
    // What a dry run would make has an id in its answer, which leads to nothing.
    let id = |result: &Value, place: usize| result["results"][place]["id"].clone();
    assert_eq!(id(&dry, 2), id(&dry, 3));
    assert_ne!(id(&dry, 2), id(&real, 2));
    let made_up = format!("products/{}", id(&dry, 2).as_str().unwrap());
    shop.get(&made_up).await.fails(404, "not_found");
}

#[tokio::test]
async fn a_batch_may_have_500_items() {
    let shop = Shop::open().await;
    let items: Vec<_> = (0..500)
        .map(|n| json!({ "externalId": format!("B-{n}"), "name": format!("Bun {n}") }))
        .collect();
    let first = shop.batch(&json!({ "items": items })).await;
    assert_eq!(counts(&first), [500, 0, 0, 0]);
    let second = shop.batch(&json!({ "items": items })).await;
    assert_eq!(counts(&second), [0, 0, 500, 0]);
    assert_eq!(shop.all("products", "limit=200").await.len(), 500);
}

#[tokio::test]
async fn batches_at_once_do_not_get_in_each_others_way() {
    let shop = std::sync::Arc::new(Shop::open().await);
    let sent = (0..8).map(|writer| {
        let shop = shop.clone();
        tokio::spawn(async move {
            let items: Vec<_> = (0..50)
                .map(|n| json!({ "externalId": format!("S-{n}"), "name": format!("by {writer}") }))
                .collect();
            shop.batch(&json!({ "items": items })).await
        })
    });
    let answers: Vec<Value> = futures_util::future::join_all(sent)
        .await
        .into_iter()
        .map(Result::unwrap)
        .collect();
    assert!(answers.iter().all(|data| data["failed"] == 0));
    let created: u64 = answers.iter().map(|data| counts(data)[0]).sum();
    assert_eq!(created, 50);
    // Each batch is one commit: all fifty are by the same, last writer.
    let products = shop.all("products", "limit=200").await;
    assert!(
        products
            .iter()
            .all(|product| product["name"] == products[0]["name"])
    );
    assert!(
        products
            .iter()
            .all(|product| product["updatedAt"] == products[0]["updatedAt"])
    );
}

/// Nobody wants a text of the size of the request back.
#[tokio::test]
async fn the_external_id_of_a_failed_item_comes_back_when_a_record_could_have_it() {
    let shop = Shop::open().await;
    let long = "x".repeat(101);
    let items = json!([
        { "externalId": long, "name": "Rye" },
        { "externalId": &long[1..], "name": "Rye", "priceCents": -1 },
    ]);
    let batch = Request::post(shop.at("products/batch"), &json!({ "items": items }));
    let results = shop.send(batch).await.expect(200).data()["results"].clone();
    assert_eq!(results[0]["status"], "failed");
    assert_eq!(results[0].get("externalId"), None);
    assert_eq!(results[1]["externalId"], long[1..]);
}
