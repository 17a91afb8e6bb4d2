//! Following changes without an end; time is paused and counted.

use std::time::Duration;

use connect_client::{RetryPolicy, Watch, wire::Product};
use futures_util::StreamExt;
use tokio::time::{Instant, timeout};

use crate::support::{
    products,
    records::{error, page, product, time, tombstone},
    script::{Script, bare, json},
};

const EVERY: Duration = Duration::from_secs(5);

/// The `externalId` of the next change, or what became of it.
async fn next(watch: &mut Watch<Product>) -> String {
    use connect_client::wire::Entry::{Deleted, Live};
    match watch.next().await {
        None => "end".to_owned(),
        Some(Ok(Live(product))) => product.external_id.unwrap(),
        Some(Ok(Deleted(tombstone))) => format!("deleted at {}", tombstone.updated_at.seconds()),
        Some(Err(error)) => error.status().unwrap().to_string(),
    }
}

#[tokio::test(start_paused = true)]
async fn a_watch_asks_once_a_round_and_yields_only_changes() {
    let idle = json(200, &page([], None));
    let mut deleted = tombstone(2);
    deleted["updatedAt"] = tombstone(3)["updatedAt"].clone();
    let script = Script::new([
        json(200, &page([product(1)], Some("a"))),
        json(200, &page([product(2)], None)),
        idle.clone(),
        idle.clone(),
        json(200, &page([deleted], None)),
        idle,
    ]);
    let mut watch = products(&script.client()).watch(None, EVERY);
    let began = Instant::now();
    assert_eq!(next(&mut watch).await, "P-1");
    assert_eq!(next(&mut watch).await, "P-2");
    assert_eq!(began.elapsed(), Duration::ZERO);
    let deleted = format!("deleted at {}", time(3).seconds());
    assert_eq!(next(&mut watch).await, deleted);
    assert_eq!(began.elapsed(), 3 * EVERY);
    assert_eq!(watch.since(), Some(time(3)));
    assert!(timeout(EVERY + EVERY / 2, watch.next()).await.is_err());
    assert_eq!(watch.since(), Some(time(3).plus_micros(1)));
    let at: Vec<_> = script.finish().iter().map(|s| s.at.as_secs()).collect();
    assert_eq!(at, [0, 0, 5, 10, 15, 20]);
}

#[tokio::test(start_paused = true)]
async fn after_a_fault_that_passes_nothing_comes_twice() {
    // All of a commit have one time; the second page of it fails for as long as it is tried.
    let with_time = |n: u32, at: u32| {
        let mut record = product(n);
        record["updatedAt"] = product(at)["updatedAt"].clone();
        record
    };
    let mut replies = vec![json(
        200,
        &page([with_time(1, 7), with_time(2, 7)], Some("a")),
    )];
    replies.extend(vec![bare(503); 5]);
    replies.push(json(
        200,
        &page([with_time(1, 7), with_time(2, 7), with_time(3, 7)], None),
    ));
    let script = Script::new(replies);
    let mut watch = products(&script.client()).watch(None, EVERY);
    for expected in ["P-1", "P-2", "503", "P-3"] {
        assert_eq!(next(&mut watch).await, expected);
    }
    script.finish();
}

#[tokio::test(start_paused = true)]
async fn a_refusal_ends_the_watch() {
    let script = Script::new([json(
        403,
        &error("forbidden_scope", "the token was changed"),
    )]);
    let mut watch = products(&script.client()).watch(Some(time(1)), EVERY);
    assert_eq!(next(&mut watch).await, "403");
    assert_eq!(next(&mut watch).await, "end");
    // As a stream, too.
    assert!(StreamExt::next(&mut watch).await.is_none());
    assert_eq!(watch.since(), Some(time(1)));
    script.finish();
}

#[tokio::test(start_paused = true)]
async fn a_watch_without_a_pause_does_not_spin_while_the_service_is_down() {
    let changed = json(200, &page([product(1)], None));
    let script = Script::new([bare(503), bare(503), changed]);
    let client = script.client_with(|b| b.retry(RetryPolicy::never()));
    let mut watch = products(&client).watch(None, Duration::ZERO);
    let began = Instant::now();
    for (expected, seconds) in [("503", 0), ("503", 1), ("P-1", 2)] {
        assert_eq!(next(&mut watch).await, expected);
        assert_eq!(began.elapsed().as_secs(), seconds);
    }
    script.finish();
}
