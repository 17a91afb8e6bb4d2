//! Settings of one call.

use std::time::Duration;

use connect_client::{Error, ErrorKind, IdempotencyKey, RetryPolicy, wire::ProductInput};
use tokio::time::Instant;

use crate::support::{
    ID, categories, products,
    records::{all_created, category, single},
    script::{Reply, Script, bare, json},
};

fn is_request_error(error: &Error) -> bool {
    matches!(error.kind(), ErrorKind::Request(_)) && error.attempts() == 0
}

#[tokio::test(start_paused = true)]
async fn a_timeout_limits_the_call_with_its_retries() {
    let script = Script::new([bare(503), Reply::Silence]);
    let call = categories(&script.client()).get(ID);
    let began = Instant::now();
    let limit = Duration::from_secs(5);
    let error = call.timeout(limit).await.unwrap_err();
    assert_eq!((began.elapsed(), error.attempts()), (limit, 2));
    script.finish();
}

#[tokio::test(start_paused = true)]
async fn a_policy_of_its_own_replaces_that_of_the_client() {
    let script = Script::new([bare(503)]);
    let call = categories(&script.client()).get(ID);
    let error = call.retry(RetryPolicy::never()).await.unwrap_err();
    assert_eq!(error.attempts(), 1);
    script.finish();
}

#[tokio::test(start_paused = true)]
async fn headers_go_with_every_attempt() {
    let found = json(200, &single(category("Bread")));
    let script = Script::new([bare(503), found]);
    let call = categories(&script.client())
        .get(ID)
        .header("x-request-id", "mine-0")
        .header("X-Request-Id", "mine-1")
        .header("accept-language", "nl");
    call.await.unwrap();
    for sent in script.finish() {
        assert_eq!(sent.header("x-request-id"), Some("mine-1"));
        assert_eq!(sent.header("accept-language"), Some("nl"));
        assert_eq!(sent.header("accept"), Some("application/json"));
    }
}

#[tokio::test]
async fn a_header_that_cannot_be_set_fails_the_call_without_its_value() {
    let script = Script::new([]);
    let categories = categories(&script.client());
    for (name, value) in [
        ("Authorization", "hunter2"),
        ("idempotency-key", "hunter2"),
        ("host", "hunter2"),
        ("content-length", "2"),
        ("two words", "hunter2"),
        ("x-mine", "hunter2\r\nx-other: 1"),
    ] {
        let error = categories.get(ID).header(name, value).await.unwrap_err();
        assert!(is_request_error(&error), "{name}: {error:?}");
        assert!(!error.to_string().contains("hunter2"), "{error}");
    }
}

#[tokio::test]
async fn the_keys_of_a_long_batch_follow_from_a_prefix() {
    let script = Script::new([json(200, &all_created(500)), json(200, &all_created(1))]);
    let items = vec![ProductInput::named("Bread"); 501];
    let batch = products(&script.client())
        .upsert_all(&items)
        .idempotency_key_prefix("import-17");
    batch.run().await.unwrap();
    let keys: Vec<_> = script
        .finish()
        .iter()
        .map(|s| s.key().unwrap().to_owned())
        .collect();
    assert_eq!(keys, ["import-17-0", "import-17-500"]);
}

#[tokio::test]
async fn a_prefix_that_is_none_sends_nothing_and_says_so() {
    let script = Script::new([]);
    let longest = "p".repeat(79);
    assert!(IdempotencyKey::new(format!("{longest}-{}", usize::MAX)).is_ok());
    for prefix in ["two words", &"p".repeat(101)] {
        let batch = products(&script.client())
            .upsert_all([ProductInput::named("Bread")])
            .idempotency_key_prefix(prefix);
        let stopped = batch.run().await.unwrap_err();
        assert!(is_request_error(stopped.error()));
        assert_eq!(stopped.resume_from(), 0);
    }
}
