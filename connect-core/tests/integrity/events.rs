//! Events that are missing or out of order, and clocks that are behind.

use connect_core::{Problem, ProblemKind, environment::ManualClock, storage::Write};

use super::{Stocked, family, find};
use crate::shop::START;

#[tokio::test]
async fn missing_events_are_named() {
    let stocked = Stocked::open().await;
    let events = stocked.rows(family::EVENT).await;
    assert!(events.len() > 5);
    // Old ones are purged from the front: that is no damage.
    stocked.write(&events[0].0, Write::Remove).await;
    assert_eq!(stocked.check().await.problems, []);
    stocked.write(&events[2].0, Write::Remove).await;
    stocked.write(&events[3].0, Write::Remove).await;
    let report = stocked.check().await;
    let problem = find(&report, ProblemKind::BrokenEvents, &events[2].0);
    assert_eq!(problem.message, "events 3 to 4 are missing");
    assert_eq!(report.problem_count, 1);
    let last = &events[events.len() - 1].0;
    stocked.write(last, Write::Remove).await;
    let report = stocked.check().await;
    find(&report, ProblemKind::BrokenEvents, last);
    // And all of them.
    for (event, _) in &events {
        stocked.write(event, Write::Remove).await;
    }
    let report = stocked.check().await;
    find(&report, ProblemKind::BrokenEvents, last);
}

#[tokio::test]
async fn events_out_of_order_are_named() {
    let stocked = Stocked::open().await;
    let events = stocked.rows(family::EVENT).await;
    let (key, row) = &events[3];
    let mut event: serde_json::Value = serde_json::from_slice(row).unwrap();
    event["createdAt"] = "1999-01-01T00:00:00Z".into();
    stocked.put(key, event.to_string().as_bytes()).await;
    let report = stocked.check().await;
    find(&report, ProblemKind::BrokenEvents, key);
}

#[tokio::test]
async fn a_clock_behind_its_records_is_named() {
    let stocked = Stocked::open().await;
    let location = stocked.location();
    let key = [location.as_bytes(), &[family::CLOCK][..]].concat();
    let behind = br#"{"updatedAt":"2020-01-01T00:00:00Z","sequence":1,"nonce":7}"#;
    stocked.put(&key, behind).await;
    let report = stocked.check().await;
    let of_clock = |problem: &&Problem| problem.kind == ProblemKind::ClockBehind;
    // Behind the records, and behind the events.
    assert_eq!(report.problems.iter().filter(of_clock).count(), 2);
    stocked.write(&key, Write::Remove).await;
    find(&stocked.check().await, ProblemKind::ClockBehind, &key);
}

/// Of a demo whose clock was put ahead, or on a machine whose clock went back: nothing is lost.
#[tokio::test]
async fn events_that_were_purged_are_not_missed_by_a_clock_that_is_behind() {
    let stocked = Stocked::open().await;
    let shop = &stocked.shop;
    // What comes later is by a clock that goes on.
    for _ in 0..2 {
        shop.clock.advance(40 * 24 * 3600);
        shop.connect.maintain().await.unwrap();
        shop.clock.advance(3600);
        shop.connect.maintain().await.unwrap();
    }
    let behind = stocked.shop.process().clock(ManualClock::at(START)).build();
    let report = behind.check(&mut |_| {}).await.unwrap();
    assert_eq!(report.problems, []);
    let events = report.families.get("Event").copied().unwrap_or(0);
    assert_eq!(events, 0, "they were purged");
}
