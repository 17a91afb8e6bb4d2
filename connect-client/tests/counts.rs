//! Counts of more products than a request takes.

use connect_client::{
    Records,
    wire::{ErrorCode, Field, Quantity, StockCountItem, StockCounts, StockLevel},
};
use serde_json::{Value, json};

use crate::support::{
    LOCATION,
    records::error,
    script::{Script, json as reply},
};

fn stock(script: &Script) -> Records<StockLevel> {
    script.client().location(LOCATION).stock()
}

fn counts(items: usize) -> StockCounts {
    let item = |n: usize| StockCountItem {
        external_id: Field::Value(format!("P-{n}")),
        quantity: Field::Value(Quantity::from_thousandths(1000).unwrap()),
        ..StockCountItem::default()
    };
    StockCounts {
        items: (0..items).map(item).collect(),
        note: Some("Inventory".to_owned()),
        dry_run: true,
    }
}

/// The result of a request whose first item failed.
fn counted(items: usize) -> Value {
    let first = json!({ "index": 0, "status": "failed",
        "error": { "code": "not_found", "message": "there is no such product" } });
    let others = (1..items).map(|index| json!({ "index": index, "status": "updated" }));
    let results: Vec<_> = std::iter::once(first).chain(others).collect();
    json!({ "data": {
        "updated": items - 1, "unchanged": 0, "failed": 1, "results": results,
    } })
}

#[tokio::test]
async fn a_long_count_is_cut_and_its_results_are_put_together() {
    let script = Script::new([1000, 1000, 1].map(|items| reply(200, &counted(items))));
    let total = stock(&script).count_all(&counts(2001)).await.unwrap();
    assert_eq!((total.updated, total.unchanged, total.failed), (1998, 0, 3));
    let places: Vec<_> = total.results.iter().map(|item| item.index).collect();
    assert_eq!(places, (0..2001).collect::<Vec<_>>());
    assert!(total.results[2000].error.is_some());
    let sent = script.finish();
    let first_of = |at: usize| sent[at].json()["items"][0]["externalId"].clone();
    assert_eq!([0, 1, 2].map(first_of), ["P-0", "P-1000", "P-2000"]);
    for sent in &sent {
        let body = sent.json();
        assert_eq!(body["note"], "Inventory");
        assert_eq!(body["dryRun"], true);
    }
    assert_ne!(sent[0].key(), sent[1].key());
}

#[tokio::test]
async fn nothing_to_count_sends_nothing() {
    let script = Script::new([]);
    let total = stock(&script).count_all(&counts(0)).await.unwrap();
    assert!(total.results.is_empty());
}

#[tokio::test]
async fn a_request_that_fails_tells_what_was_counted() {
    let script = Script::new([
        reply(200, &counted(1000)),
        reply(403, &error("forbidden_scope", "stock:write is needed")),
    ]);
    let stopped = stock(&script).count_all(&counts(2500)).await.unwrap_err();
    assert_eq!(stopped.items(), 1000..2000);
    assert_eq!(stopped.counted().results.len(), 1000);
    let error = stopped.error();
    assert_eq!(error.code(), Some(&ErrorCode::ForbiddenScope));
    assert!(stopped.to_string().starts_with("counts 1000..2000: "));
    let sent = script.finish();
    let key = error.idempotency_key().map(|key| key.as_str());
    assert_eq!(key, sent[1].key());
}
