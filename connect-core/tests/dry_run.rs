//! What a dry run leaves when it is refused as a whole.

use connect_core::{
    Fingerprint, Idempotency, Request,
    wire::{
        Batch, IdempotencyKey, Product, ProductInput, StockCounts,
        read::{BatchRequest, CountsRequest},
    },
};

use crate::shop::{Shop, keyed};

/// A refusal of a dry run was once stored under its key, so that the real batch under the same key
/// was a conflict for a day.
#[tokio::test]
async fn a_refused_dry_run_does_not_use_up_its_key() {
    let Shop { connect, at, .. } = Shop::open().await;
    let send = async |body: &str| {
        let key = Idempotency {
            key: IdempotencyKey::new("once").unwrap(),
            fingerprint: Fingerprint::of("POST", "/batch", body.as_bytes()),
        };
        let request = Request::json(body).with_idempotency(Some(key));
        connect.location(&at).json::<Product>().batch(request).await
    };
    assert!(send(r#"{"dryRun":true,"items":[]}"#).await.is_err());
    let real = send(r#"{"items":[{"name":"Bread"}]}"#).await.unwrap();
    assert!(!real.replayed);
    // A refusal that was meant is stored, as every answer is.
    assert!(send(r#"{"items":[]}"#).await.is_err());

    let stock = connect.location(&at).stock();
    let counts = async |body: &str| {
        let request = keyed(Request::json(body), "counts");
        stock.json().count_many(request).await.unwrap_err().replayed
    };
    assert!(!counts(r#"{"dryRun":true,"items":[]}"#).await);
    assert!(!counts(r#"{"items":[]}"#).await);
    assert!(counts(r#"{"items":[]}"#).await);
    // So is that of what cannot be read.
    let unreadable = async || {
        let request = keyed(Request::json(r#"{"items":{}}"#), "unreadable");
        stock.json().count_many(request).await.unwrap_err().replayed
    };
    assert_eq!((unreadable().await, unreadable().await), (false, true));
}

/// A dry run made of a value, and not read from JSON, was once taken for a real write when it was
/// refused as a whole.
#[tokio::test]
async fn neither_does_one_that_was_made_in_code() {
    let Shop { connect, at, .. } = Shop::open().await;
    let products = connect.location(&at).json::<Product>();
    let batch = |dry_run, items| {
        let batch = Batch {
            dry_run,
            ..Batch::new(items)
        };
        keyed(Request::from(BatchRequest::from(batch)), "batch")
    };
    assert!(products.batch(batch(true, Vec::new())).await.is_err());
    let bread = vec![ProductInput::named("Bread")];
    let real = products.batch(batch(false, bread)).await.unwrap();
    assert!(!real.replayed);
    // One that was meant is kept.
    for is_replayed in [false, true] {
        let refused = keyed(Request::from(BatchRequest::new(Vec::new())), "refused");
        let refused = products.batch(refused).await.unwrap_err();
        assert_eq!(refused.replayed, is_replayed);
    }

    let stock = connect.location(&at).stock();
    let counts = async |dry_run| {
        let counts = StockCounts {
            dry_run,
            ..StockCounts::default()
        };
        let request = keyed(Request::from(CountsRequest::from(counts)), "counts");
        stock.json().count_many(request).await.unwrap_err()
    };
    assert!(!counts(true).await.replayed);
    // The same as a real write is refused in its own right, and that is kept.
    assert!(!counts(false).await.replayed);
    assert!(counts(false).await.replayed);
}
