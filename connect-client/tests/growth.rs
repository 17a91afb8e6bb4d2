//! A service that has learned more than this SDK knows.

use connect_client::wire::{BatchStatus, ErrorCode, ImageStatus, ProductBatch, Scope};
use serde_json::json;

use crate::support::{
    ID, LOCATION, categories, products,
    records::{category, page, product, single, tombstone},
    script::{Script, json},
};

#[tokio::test]
async fn unknown_values_are_kept_as_they_are() {
    let mut made = product(1);
    made["imageStatus"] = json!("sharpening");
    let location = json!({
        "id": LOCATION, "name": "Shop", "timeZone": "Europe/Amsterdam", "currency": "EUR",
        "scopes": ["catalog:read", "menu:dream"],
    });
    let batch = json!({ "data": {
        "created": 0, "updated": 0, "unchanged": 0, "failed": 1, "imagesQueued": 0, "skipped": 3,
        "results": [{ "index": 0, "status": "postponed",
            "error": { "code": "too_early", "message": "later", "hint": "wait" } }],
    } });
    let script = Script::new([
        json(200, &single(json!([location]))),
        json(200, &single(made)),
        json(200, &batch),
    ]);
    let client = script.client();

    let locations = client.locations().await.unwrap();
    let unknown = Scope::Unknown("menu:dream".to_owned());
    assert_eq!(locations[0].scopes, [Scope::CatalogRead, unknown]);
    let product = products(&client).get(ID).await.unwrap();
    let unknown = ImageStatus::Unknown("sharpening".to_owned());
    assert_eq!(product.image_status, Some(unknown));
    let batch = products(&client).batch(&ProductBatch::new(Vec::new()));
    let item = &batch.await.unwrap().results[0];
    assert_eq!(item.status, BatchStatus::Unknown("postponed".to_owned()));
    let unknown = ErrorCode::Unknown("too_early".to_owned());
    assert_eq!(item.error.as_ref().unwrap().code, unknown);
}

#[tokio::test]
async fn unknown_fields_are_passed_over() {
    let mut grown = category("Bread");
    grown["colour"] = json!({ "r": 1 });
    let mut one = single(grown);
    one["links"] = json!([]);
    let mut product = product(1);
    product["allergens"] = json!(["gluten"]);
    let mut gone = tombstone(2);
    gone["deletedBy"] = json!("API: till");
    let mut list = page([product, gone], None);
    list["total"] = json!(2);
    let script = Script::new([json(200, &one), json(200, &list)]);
    let client = script.client();
    assert_eq!(categories(&client).get(ID).await.unwrap().name, "Bread");
    let page = products(&client).list_with_deleted(&Default::default());
    assert_eq!(page.await.unwrap().data.len(), 2);
}

/// A live record that says it is not deleted is still a live record.
#[tokio::test]
async fn a_record_that_is_not_deleted_is_no_tombstone() {
    let mut live = product(1);
    live["deleted"] = json!(false);
    let script = Script::new([json(200, &page([live], None))]);
    let list = products(&script.client()).list_with_deleted(&Default::default());
    let entry = list.await.unwrap().data.remove(0);
    assert!(
        matches!(entry, connect_client::wire::Entry::Live(_)),
        "{entry:?}"
    );
}
