//! Settings of one call, and of each request of a series.

use std::time::Duration;

use connect_client::{
    Error, ErrorKind, IdempotencyKey, RetryPolicy, Stream,
    wire::{ProductInput, query::ProductQuery},
};
use futures_util::TryStreamExt as _;
use tokio::time::Instant;

use crate::support::{
    ID, LOCATION, categories, products,
    records::{all_created, category, page, product, single},
    script::{Reply, Script, Sent, bare, json},
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

/// Two pages of products.
fn two_pages() -> [Reply; 2] {
    let first = json(200, &page([product(1)], Some("c")));
    [first, json(200, &page([product(2)], None))]
}

#[tokio::test]
async fn the_settings_of_a_list_go_with_each_of_its_pages() {
    for case in 0..5 {
        let script = Script::new(two_pages());
        let products = products(&script.client());
        let query = ProductQuery::default();
        let read = match case {
            0 => drained(products.stream(&query).header("x-mine", "1")).await,
            1 => drained(products.pages(&query).header("x-mine", "1")).await,
            2 => drained(products.stream_with_deleted(&query).header("x-mine", "1")).await,
            3 => drained(products.pages_with_deleted(&query).header("x-mine", "1")).await,
            _ => drained(products.changes_since(None).header("x-mine", "1")).await,
        };
        assert_eq!(read, 2, "{case}");
        let mine: Vec<_> = script.finish().iter().map(is_mine).collect();
        assert_eq!(mine, [true, true], "{case}");
    }
}

/// The number of items of a stream without an error.
async fn drained<T>(stream: impl Stream<Item = Result<T, Error>>) -> usize {
    stream
        .try_fold(0, async |count, _| Ok(count + 1))
        .await
        .unwrap()
}

fn is_mine(sent: &Sent) -> bool {
    sent.header("x-mine") == Some("1")
}

#[tokio::test]
async fn the_settings_of_new_events_go_with_their_requests() {
    let script = Script::new([json(200, &page([], None))]);
    let events = script.client().location(LOCATION).events();
    assert_eq!(
        drained(events.events_after(None).header("x-mine", "1")).await,
        0
    );
    assert!(is_mine(&script.finish()[0]));
}

#[tokio::test(start_paused = true)]
async fn the_settings_of_a_watch_hold_for_each_round() {
    let [first, second] = two_pages();
    let script = Script::new([first, second, bare(503)]);
    let every = Duration::from_secs(5);
    let mut watch = products(&script.client())
        .watch(None, every)
        .header("x-mine", "1")
        .retry(RetryPolicy::never());
    watch.next().await.unwrap().unwrap();
    watch.next().await.unwrap().unwrap();
    let error = watch.next().await.unwrap().unwrap_err();
    assert_eq!(error.attempts(), 1);
    assert!(script.finish().iter().all(is_mine));
}

#[tokio::test(start_paused = true)]
async fn a_timeout_of_a_series_is_that_of_each_request() {
    let [first, _] = two_pages();
    let late = |reply| Reply::Later(Duration::from_secs(4), Box::new(reply));
    let script = Script::new([late(first), Reply::Silence]);
    let began = Instant::now();
    let limit = Duration::from_secs(5);
    let list = products(&script.client()).stream(&ProductQuery::default());
    let error = list.timeout(limit).all().await.unwrap_err();
    assert_eq!((began.elapsed().as_secs(), error.attempts()), (9, 1));
    script.finish();
}

#[tokio::test(start_paused = true)]
async fn a_long_batch_takes_the_settings_of_a_call() {
    let script = Script::new([json(200, &all_created(500)), bare(503)]);
    let items = vec![ProductInput::named("Bread"); 501];
    let batch = products(&script.client())
        .upsert_all(&items)
        .header("x-mine", "1")
        .retry(RetryPolicy::never());
    let stopped = batch.run().await.unwrap_err();
    assert_eq!(stopped.items(), 500..501);
    assert!(script.finish().iter().all(is_mine));
}

#[tokio::test]
async fn a_header_that_cannot_be_set_fails_a_series_before_anything_is_sent() {
    let script = Script::new([]);
    let products = products(&script.client());
    let mut changes = products.changes_since(None).header("host", "elsewhere");
    assert!(is_request_error(
        &changes.next().await.unwrap().unwrap_err()
    ));
    let batch = products.upsert_all([ProductInput::named("Bread")]);
    let stopped = batch.header("host", "elsewhere").run().await.unwrap_err();
    assert!(is_request_error(stopped.error()) && !stopped.may_be_saved());
}
