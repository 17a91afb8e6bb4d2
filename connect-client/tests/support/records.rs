//! Records as the service prints them.

use connect_client::wire::{ProductBatchResult, Timestamp};
use serde_json::{Value, json};

use super::ID;

pub(crate) fn time(seconds: i64) -> Timestamp {
    Timestamp::from_micros(1_795_000_000_000_000).plus_seconds(seconds)
}

pub(crate) fn category(name: &str) -> Value {
    json!({
        "id": ID, "name": name, "isActive": true, "position": 3,
        "createdAt": time(0), "updatedAt": time(1),
    })
}

/// Product number `n`, changed `n` seconds after the beginning.
pub(crate) fn product(n: u32) -> Value {
    json!({
        "id": format!("01980000-0000-7000-8000-{n:012x}"),
        "externalId": format!("P-{n}"),
        "name": format!("Product {n}"),
        "description": null,
        "priceCents": 345,
        "currency": "EUR",
        "vatRate": 9,
        "barcode": null,
        "categoryId": null,
        "isActive": true,
        "availableFrom": "2026-11-01",
        "availableUntil": null,
        "imageUrl": null,
        "imageStatus": null,
        "imageError": null,
        "optionGroupIds": [],
        "stockQuantity": 1.5,
        "createdAt": time(0),
        "updatedAt": time(n.into()),
    })
}

/// What remains of product number `n`.
pub(crate) fn tombstone(n: u32) -> Value {
    let product = product(n);
    json!({ "id": product["id"], "deleted": true, "updatedAt": product["updatedAt"] })
}

pub(crate) fn single(record: Value) -> Value {
    json!({ "data": record })
}

pub(crate) fn page(records: impl IntoIterator<Item = Value>, next: Option<&str>) -> Value {
    let records: Vec<Value> = records.into_iter().collect();
    json!({ "data": records, "nextCursor": next })
}

pub(crate) fn error(code: &str, message: &str) -> Value {
    json!({ "error": { "code": code, "message": message } })
}

/// What the service says of a batch in which every item was created.
pub(crate) fn all_created(items: usize) -> Value {
    let results: Vec<Value> = (0..items)
        .map(|index| json!({ "index": index, "status": "created", "id": ID }))
        .collect();
    json!({ "data": {
        "created": items, "updated": 0, "unchanged": 0, "failed": 0, "imagesQueued": 1,
        "results": results,
    } })
}

/// The counts of a result, in the order of its fields.
pub(crate) fn counts(result: &ProductBatchResult) -> [usize; 5] {
    [
        result.created,
        result.updated,
        result.unchanged,
        result.failed,
        result.extra.images_queued,
    ]
}
