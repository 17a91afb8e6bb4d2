//! Counts of more products than a request takes.

use connect_client::{
    Records,
    wire::{
        ErrorCode, Field, Quantity, StockCountItem, StockCounts, StockLevel, limits::MAX_BODY_BYTES,
    },
};
use futures_util::TryStreamExt as _;
use serde_json::{Value, json};

use crate::support::{
    LOCATION,
    records::error,
    script::{Script, json as reply, text},
};

fn stock(script: &Script) -> Records<StockLevel> {
    script.client().location(LOCATION).stock()
}

fn counts(items: usize) -> Vec<StockCountItem> {
    let item = |n: usize| StockCountItem {
        external_id: Field::Value(format!("P-{n}")),
        quantity: Field::Value(Quantity::from_thousandths(1000).unwrap()),
        ..StockCountItem::default()
    };
    (0..items).map(item).collect()
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
    let counts = counts(2001);
    let mut steps = Vec::new();
    let count = stock(&script)
        .count_all(&counts)
        .note("Inventory")
        .dry_run(true);
    let total = count.run_with(|step| steps.push(step.items.clone()));
    let total = total.await.unwrap();
    assert_eq!(steps, [0..1000, 1000..2000, 2000..2001]);
    assert_eq!((total.updated, total.unchanged, total.failed), (1998, 0, 3));
    let places: Vec<_> = total.results.iter().map(|item| item.index).collect();
    assert_eq!(places, (0..2001).collect::<Vec<_>>());
    assert!(total.results[2000].error.is_some());
    let sent = script.finish();
    for (sent, items) in sent.iter().zip(steps) {
        let one = StockCounts {
            items: counts[items].to_vec(),
            note: Some("Inventory".to_owned()),
            dry_run: true,
        };
        let one = serde_json::to_value(&one).unwrap();
        assert_eq!(sent.json(), one, "as one count of these would be sent");
        assert_eq!(sent.request.method(), http::Method::PUT);
    }
    assert_ne!(sent[0].key(), sent[1].key());
}

#[tokio::test]
async fn a_long_count_is_a_stream_with_keys_and_settings_of_its_own() {
    let script = Script::new([1000, 1].map(|items| reply(200, &counted(items))));
    let steps = stock(&script)
        .count_all(counts(1001))
        .idempotency_key_prefix("stocktaking")
        .header("x-mine", "1")
        .into_stream();
    let steps: Vec<_> = steps.try_collect().await.unwrap();
    let results: Vec<_> = steps.iter().map(|step| step.result.results.len()).collect();
    assert_eq!(results, [1000, 1]);
    assert_eq!(
        (steps[1].items.clone(), steps[1].result.results[0].index),
        (1000..1001, 1000)
    );
    let sent = script.finish();
    assert_eq!(sent[0].json()["note"], Value::Null, "it is left out");
    let keys: Vec<_> = sent.iter().map(|sent| sent.key().unwrap()).collect();
    assert_eq!(keys, ["stocktaking-0", "stocktaking-1000"]);
    assert!(sent.iter().all(|sent| sent.header("x-mine") == Some("1")));
}

#[tokio::test]
async fn nothing_to_count_sends_nothing() {
    let script = Script::new([]);
    let total = stock(&script).count_all(counts(0)).run().await.unwrap();
    assert!(total.results.is_empty());
}

#[tokio::test]
async fn a_request_that_fails_tells_what_was_counted() {
    let script = Script::new([
        reply(200, &counted(1000)),
        reply(403, &error("forbidden_scope", "stock:write is needed")),
    ]);
    let count = stock(&script).count_all(counts(2500));
    let stopped = count.run().await.unwrap_err();
    assert_eq!(stopped.items(), 1000..2000);
    assert_eq!(stopped.saved().results.len(), 1000);
    let error = stopped.error();
    assert_eq!(error.code(), Some(&ErrorCode::ForbiddenScope));
    assert!(
        stopped
            .to_string()
            .starts_with("items 1000..2000 are not saved")
    );
    let sent = script.finish();
    let key = error.idempotency_key().map(|key| key.as_str());
    assert_eq!(key, sent[1].key());
}

#[tokio::test]
async fn what_was_counted_before_and_what_is_too_large_are_told() {
    let replayed = [("idempotent-replayed", "true")];
    let script = Script::new([text(200, &replayed, &counted(1).to_string())]);
    let mut counts = counts(2);
    counts[1].external_id = Field::Value("x".repeat(MAX_BODY_BYTES));
    let total = stock(&script).count_all(&counts).run().await.unwrap();
    assert_eq!((total.replayed, total.failed), (1, 2));
    let refused = total.results[1].external_id.as_ref();
    assert!(refused == counts[1].external_id.value());
    script.finish();
}
