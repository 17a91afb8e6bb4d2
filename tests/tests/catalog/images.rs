//! What a write does about the image of a product. The download itself comes later.

use connect_tests::shop::Shop;
use serde_json::{Value, json};

const LINK: &str = "https://img.example/rye.png";

#[tokio::test]
async fn a_new_link_is_pending_and_the_same_link_changes_nothing() {
    let shop = Shop::open().await;
    let made = shop
        .make("products", &json!({ "name": "Rye", "imageUrl": LINK }))
        .await;
    assert_eq!(
        (&made["imageUrl"], &made["imageStatus"]),
        (&json!(LINK), &json!("pending"))
    );
    assert_eq!(made["imageError"], Value::Null);
    let path = format!("products/{}", made["id"].as_str().unwrap());
    assert_eq!(
        shop.patch(&path, &json!({ "imageUrl": LINK }))
            .await
            .expect(200)
            .data(),
        made
    );
    let other = json!({ "imageUrl": "https://img.example/other.png" });
    let changed = shop.patch(&path, &other).await.expect(200).data();
    assert_eq!(changed["imageStatus"], "pending");
    assert_ne!(changed["updatedAt"], made["updatedAt"]);
    let gone = shop
        .patch(&path, &json!({ "imageUrl": null }))
        .await
        .expect(200)
        .data();
    assert_eq!(
        (&gone["imageUrl"], &gone["imageStatus"]),
        (&Value::Null, &Value::Null)
    );
    // What is not there can be removed, too: nothing changes.
    assert_eq!(
        shop.patch(&path, &json!({ "imageUrl": null }))
            .await
            .expect(200)
            .data(),
        gone
    );
}

#[tokio::test]
async fn a_batch_counts_the_images_it_queued() {
    let shop = Shop::open().await;
    let items = json!([
        { "externalId": "A", "name": "A", "imageUrl": LINK },
        { "externalId": "B", "name": "B" },
        { "externalId": "C", "name": "C", "imageUrl": "http://img.example/c.png" },
    ]);
    let first = shop.batch(&json!({ "items": items })).await;
    assert_eq!(
        (&first["imagesQueued"], &first["failed"]),
        (&json!(1), &json!(1))
    );
    assert_eq!(first["results"][0]["imageStatus"], "pending");
    assert_eq!(first["results"][1].get("imageStatus"), None);
    let again = shop.batch(&json!({ "items": items })).await;
    assert_eq!(
        (&again["imagesQueued"], &again["unchanged"]),
        (&json!(0), &json!(2))
    );
}
