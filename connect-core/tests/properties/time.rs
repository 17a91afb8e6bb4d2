//! Time only moves forward, whatever the machine's clock does, and events are numbered without
//! gaps.

use std::sync::Arc;

use connect_core::{
    environment::ManualClock,
    wire::{Event, Timestamp},
};
use proptest::{collection::vec, prelude::*};
use serde_json::{Value, json};

use super::{
    check::{Threads, on_each_backend},
    shop::{Call, Filters, START, Shop, Verb, events},
};

/// Where a clock is set to, in microseconds from the start: again and again the same, a little
/// on, far ahead, and back.
fn settings() -> impl Strategy<Value = i64> {
    prop_oneof![3 => Just(0), 3 => -3_i64..=3, 1 => -1_000_000_000_i64..=1_000_000_000]
}

fn product(number: usize) -> Call {
    Call::new(
        Verb::CreateProduct,
        json!({ "name": format!("Bread {number}") }),
    )
}

on_each_backend!(
    every_commit_is_later_than_the_one_before,
    Threads::One,
    60,
    4,
    vec((settings(), any::<bool>()), 1..30),
    |shop: Shop, settings: Vec<(i64, bool)>| async move {
        // Another process on the same storage, with a clock of its own.
        let other_clock = ManualClock::at(START);
        let other = shop.beside(other_clock.clone());
        let mut last: Option<Timestamp> = None;
        for (number, (micros, elsewhere)) in settings.into_iter().enumerate() {
            let clock = if elsewhere { &other_clock } else { &shop.clock };
            clock.set(START.plus_micros(micros));
            let connect = if elsewhere { &other } else { &shop.connect };
            let reply = product(number).send(connect.clone(), shop.at.clone()).await;
            let time: Timestamp = reply.data()["updatedAt"].as_str().unwrap().parse().unwrap();
            assert!(last.is_none_or(|last| last < time), "{time} after {last:?}");
            // A clock that is ahead is believed.
            let now = START.plus_micros(micros);
            assert_eq!(time == now, last.is_none_or(|last| last < now));
            last = Some(time);
        }
        check_events(&events(&shop).await);
    }
);

on_each_backend!(
    writers_at_once_make_one_history,
    Threads::Many,
    12,
    3,
    vec(vec(settings(), 1..12), 2..6),
    |shop: Shop, writers: Vec<Vec<i64>>| async move {
        let shop = Arc::new(shop);
        let mut tasks = Vec::new();
        for (writer, settings) in writers.iter().cloned().enumerate() {
            let shop = shop.clone();
            // Half of the writers are in another process.
            let clock = ManualClock::at(START);
            let (clock, connect) = match writer % 2 {
                0 => (shop.clock.clone(), shop.connect.clone()),
                _ => (clock.clone(), shop.beside(clock)),
            };
            tasks.push(tokio::spawn(async move {
                for (number, micros) in settings.into_iter().enumerate() {
                    clock.set(START.plus_micros(micros));
                    let reply = product(number).send(connect.clone(), shop.at.clone()).await;
                    assert_eq!(reply.status, 201, "{reply:?}");
                }
            }));
        }
        for task in tasks {
            task.await.unwrap();
        }
        let events = events(&shop).await;
        let written: usize = writers.iter().map(Vec::len).sum();
        assert_eq!(events.len(), written);
        check_events(&events);
        // The list is the history: each product once, in the order of the events.
        let listed = shop.products(&Filters::default(), false, 7).await;
        let told: Vec<Value> = events
            .iter()
            .map(|event| event.data["id"].clone())
            .collect();
        let listed: Vec<Value> = listed.iter().map(|product| product["id"].clone()).collect();
        assert_eq!(listed, told);
    }
);

/// One event per commit: numbered 1, 2, 3, each later than the one before, each with the time of
/// the record that it tells of.
fn check_events(events: &[Event<Value>]) {
    for (index, event) in events.iter().enumerate() {
        assert_eq!(event.sequence, Some(index as u64 + 1));
        assert_eq!(event.data["updatedAt"], json!(event.created_at));
    }
    assert!(
        events
            .windows(2)
            .all(|pair| pair[0].created_at < pair[1].created_at)
    );
}
