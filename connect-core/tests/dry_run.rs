//! What a dry run leaves when it is refused as a whole.

use connect_core::{
    Fingerprint, Idempotency, Request,
    wire::{IdempotencyKey, Product},
};

use crate::shop;

/// A refusal of a dry run was once stored under its key, so that the real batch under the same key
/// was a conflict for a day.
#[tokio::test]
async fn a_refused_dry_run_does_not_use_up_its_key() {
    let (connect, at) = shop::open().await;
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
}
