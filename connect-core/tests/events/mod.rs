//! Every committed change has exactly the events that the contract says, in the order of the
//! commits: in the feed, and in the queues of webhooks. Random writes of all chapters go to the core,
//! by two processes whose clocks differ, and to a naive model that shares nothing with it.

mod deliveries;
mod input;
mod model;
mod play;
mod requests;

use std::collections::BTreeSet;

use connect_core::wire::EventType;
use proptest::collection::vec;

use crate::properties::{
    check::{Threads, holds, on_each_backend},
    shop::Backend,
};
use input::{Step, steps};
use play::Play;

on_each_backend!(
    every_change_has_its_events,
    Threads::One,
    40,
    3,
    vec(steps(), 1..40),
    |shop, steps: Vec<Step>| async move {
        let mut play = Play::begin(shop).await;
        for step in steps {
            play.step(step).await;
        }
        play.compare().await;
    }
);

/// Steps that never lead to some events would say nothing about them.
#[test]
fn the_steps_have_events_of_every_type_and_reason() {
    let steps = vec(steps(), 300);
    holds(
        Backend::Memory,
        Threads::One,
        1,
        steps,
        |shop, steps| async move {
            let mut play = Play::begin(shop).await;
            for step in steps {
                play.step(step).await;
            }
            let told = play.compare().await;
            let kinds: BTreeSet<&str> = told.iter().map(|event| event.kind.as_str()).collect();
            let known: BTreeSet<&str> = EventType::KNOWN.iter().map(EventType::as_str).collect();
            assert_eq!(kinds, known);
            let of_products = told
                .iter()
                .filter(|event| event.kind == EventType::ProductsChanged);
            let reasons: BTreeSet<&str> = of_products
                .map(|event| event.data["reason"].as_str().unwrap_or("batch"))
                .collect();
            let known = BTreeSet::from(["batch", "bulk", "images", "optionGroups"]);
            assert_eq!(reasons, known);
        },
    );
}

/// A row that is there after all costs a store more than one that nothing is said of.
#[test]
fn what_is_taken_for_new_is_new() {
    let steps = vec(steps(), 300);
    holds(
        Backend::Memory,
        Threads::One,
        3,
        steps,
        |mut shop, steps| async move {
            let rows = shop.note_new_rows();
            let mut play = Play::begin(shop).await;
            for step in steps {
                play.step(step).await;
            }
            let rows = rows.lock().unwrap();
            assert!(rows.taken_for_new > 500, "{}", rows.taken_for_new);
            assert!(rows.were_there.is_empty(), "{:?}", rows.were_there);
        },
    );
}
