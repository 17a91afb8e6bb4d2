//! The machine's clock is wrong for a while: nothing is forgotten, purged, or dated in the future.

use std::{net::IpAddr, sync::Arc};

use connect_core::{
    Answer, Connect, Request,
    environment::{Clock as _, ManualClock},
    wire::{Entry, Event, Page, Product, ProductInput, Timestamp},
};
use serde_json::Value;

use crate::{
    faulty::rows,
    shop::{START, Shop, keyed},
};

const HOUR: i64 = 3600;
const DAY: i64 = 24 * HOUR;
/// How far the clock is set wrong.
const STEPS: [i64; 6] = [
    25 * HOUR,
    91 * DAY,
    3650 * DAY,
    -25 * HOUR,
    -91 * DAY,
    -3650 * DAY,
];

/// A shop after one round of maintenance.
async fn open() -> Shop {
    let shop = Shop::open().await;
    assert!(!shop.connect.maintain().await.unwrap().is_held_off);
    shop
}

fn set_clock(shop: &Shop, seconds: i64) {
    let clock = &shop.clock;
    clock.set(clock.now().plus_seconds(seconds));
}

async fn create(shop: &Shop, key: &str) -> Answer {
    let request = keyed(Request::from(ProductInput::named(key)), key);
    let made = shop
        .connect
        .location(&shop.at)
        .json::<Product>()
        .create(request);
    made.await.unwrap()
}

/// Makes a product and deletes it.
async fn delete(shop: &Shop, key: &str) {
    let made: Product = create(shop, key).await.decode().unwrap();
    let (connect, at) = (&shop.connect, &shop.at);
    let request = keyed(Request::from(()), &format!("delete-{key}"));
    connect
        .location(at)
        .json::<Product>()
        .delete(made.id.uuid(), request)
        .await
        .unwrap();
}

/// The products and the number of deletions, as a client sees them that asks for the changes
/// since a time.
async fn changes(shop: &Shop, since: Option<Timestamp>) -> (Vec<Product>, usize) {
    let page: Page<Entry<Product>> = shop.changed_products(since, 200, None).await.unwrap();
    assert_eq!(page.next_cursor, None);
    let all = page.data.len();
    let live: Vec<Product> = page
        .data
        .into_iter()
        .filter_map(|entry| match entry {
            Entry::Live(product) => Some(product),
            Entry::Deleted(_) => None,
        })
        .collect();
    let deleted = all - live.len();
    (live, deleted)
}

async fn events(shop: &Shop) -> Vec<Event<Value>> {
    let here = Some(shop.at.location().id);
    let rows = rows(&*shop.storage).await;
    let events = rows
        .iter()
        .filter_map(|(_, row)| serde_json::from_slice(row).ok());
    events
        .filter(|event: &Event<Value>| event.location_id == here)
        .collect()
}

#[tokio::test]
async fn a_clock_that_is_set_wrong_and_back_again_changes_nothing() {
    for step in STEPS {
        let shop = open().await;
        delete(&shop, "before").await;
        create(&shop, "kept-before").await;
        set_clock(&shop, step);
        for key in ["before", "kept-before"] {
            assert!(
                create(&shop, key).await.replayed,
                "{key} is done again at {step}"
            );
        }
        delete(&shop, "meanwhile").await;
        create(&shop, "kept-meanwhile").await;
        shop.clock.advance(60);
        let round = shop.connect.maintain().await.unwrap();
        assert!(round.is_held_off, "{step}");
        assert_eq!((round.answers, round.tombstones, round.events), (0, 0, 0));
        assert_eq!(changes(&shop, Some(START)).await.1, 2, "{step}");
        set_clock(&shop, -step);
        for key in ["before", "kept-before", "meanwhile", "kept-meanwhile"] {
            assert!(
                create(&shop, key).await.replayed,
                "{key} is done again after {step}"
            );
        }
        delete(&shop, "after").await;
        create(&shop, "kept-after").await;
        let round = shop.connect.maintain().await.unwrap();
        assert!(!round.is_held_off, "{step}");
        assert_eq!((round.answers, round.tombstones, round.events), (0, 0, 0));
        for since in [None, Some(START)] {
            let (live, deleted) = changes(&shop, since).await;
            assert_eq!((live.len(), deleted), (3, 3), "{step}");
            let is_past = |product: &Product| product.updated_at < START.plus_seconds(61);
            assert!(live.iter().all(is_past), "{step}: {live:?}");
        }
        let events = events(&shop).await;
        let numbers = events.iter().filter_map(|event| event.sequence);
        assert!(numbers.eq(1..=9), "{step}: {events:?}");
    }
}

/// The clock jumps to and fro while writers, readers and maintenance are at work.
#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn steps_in_the_middle_of_writes_change_nothing() {
    let shop = Arc::new(open().await);
    let writers: Vec<_> = (0..4)
        .map(|writer| {
            let shop = shop.clone();
            tokio::spawn(async move {
                for number in 0..25 {
                    let key = format!("{writer}-{number}");
                    assert!(!create(&shop, &key).await.replayed);
                    assert!(create(&shop, &key).await.replayed);
                    delete(&shop, &format!("gone-{key}")).await;
                    changes(&shop, Some(START)).await;
                }
            })
        })
        .collect();
    let mut rounds = 0;
    while !writers.iter().all(|writer| writer.is_finished()) {
        for step in STEPS {
            shop.clock.set(START.plus_seconds(step));
            let round = shop.connect.maintain().await.unwrap();
            assert!(round.is_held_off);
            tokio::task::yield_now().await;
            shop.clock.set(START);
            tokio::task::yield_now().await;
            rounds += 1;
        }
    }
    for writer in writers {
        writer.await.unwrap();
    }
    let (live, deleted) = changes(&shop, None).await;
    assert_eq!((live.len(), deleted), (100, 100), "{rounds} rounds");
    let events = events(&shop).await;
    let numbers = events.iter().filter_map(|event| event.sequence);
    assert!(numbers.eq(1..=300));
    let is_past = |event: &Event<Value>| event.created_at < START.plus_seconds(1);
    assert!(events.iter().all(is_past));
}

fn restart(shop: &Shop, now: Timestamp) -> (Connect, Arc<ManualClock>) {
    let clock = ManualClock::at(now);
    (shop.process().clock(clock.clone()).build(), clock)
}

#[tokio::test]
async fn after_a_start_with_a_wrong_clock_nothing_is_purged_for_an_hour() {
    for step in STEPS {
        let shop = open().await;
        delete(&shop, "gone").await;
        let before = rows(&*shop.storage).await;
        // The second start finds the time of the first, if that has left it behind.
        for _ in 0..2 {
            let (connect, clock) = restart(&shop, START.plus_seconds(step));
            for _ in 0..59 {
                let round = connect.maintain().await.unwrap();
                assert!(round.is_held_off, "{step}");
                clock.advance(60);
            }
        }
        assert_eq!(rows(&*shop.storage).await, before, "{step}");
        // With a right clock it goes on at once: two keys and their answers are a day old.
        let (connect, clock) = restart(&shop, START.plus_seconds(60));
        assert!(!connect.maintain().await.unwrap().is_held_off, "{step}");
        clock.advance(DAY);
        let round = connect.maintain().await.unwrap();
        assert_eq!((round.answers, round.is_held_off), (2, false), "{step}");
        clock.advance(91 * DAY);
        let round = connect.maintain().await.unwrap();
        assert_eq!((round.tombstones, round.events), (1, 2), "{step}");
    }
}

/// A pause of the service of more than an hour looks like a clock that was set wrong, but not for
/// ever.
#[tokio::test]
async fn an_hour_after_a_long_pause_purging_goes_on() {
    let shop = open().await;
    create(&shop, "old").await;
    let (connect, clock) = restart(&shop, START.plus_seconds(2 * DAY));
    assert!(connect.maintain().await.unwrap().is_held_off);
    clock.advance(HOUR);
    let round = connect.maintain().await.unwrap();
    assert_eq!((round.answers, round.is_held_off), (1, false));
}

/// A request whose token took the store two minutes to find counts when it is found.
#[tokio::test]
async fn a_request_held_up_for_two_minutes_moves_no_window() {
    let shop = Shop::open().await;
    let issued = shop.connect.create_full_token(shop.account, "Sync").await;
    let secret = issued.unwrap().secret;
    let admit = || {
        let (connect, secret) = (shop.connect.clone(), secret.clone());
        async move {
            let address = IpAddr::from([127, 0, 0, 1]);
            let admitted = connect
                .authenticate(address, Some(secret.expose()))
                .await
                .unwrap();
            admitted.rate().remaining
        }
    };
    for left in (115..120).rev() {
        assert_eq!(admit().await, left);
    }
    let (reached, release) = shop.storage.hold_next_read();
    let held = tokio::spawn(admit());
    reached.await.unwrap();
    shop.clock.advance(120);
    for left in (117..120).rev() {
        assert_eq!(admit().await, left);
    }
    release.send(()).unwrap();
    assert_eq!(held.await.unwrap(), 116);
    assert_eq!(admit().await, 115);
    // Nobody else comes meanwhile: it is the first of the minute in which it is let in.
    let (reached, release) = shop.storage.hold_next_read();
    let held = tokio::spawn(admit());
    reached.await.unwrap();
    shop.clock.advance(120);
    release.send(()).unwrap();
    assert_eq!(held.await.unwrap(), 119);
    assert_eq!(admit().await, 118);
}

#[tokio::test]
async fn a_step_of_the_clock_is_told() {
    let shop = Shop::open().await;
    assert_eq!(shop.connect.clock_skew(), None);
    shop.clock.set(START.plus_seconds(86_400));
    let skew = shop.connect.clock_skew().unwrap();
    assert_eq!((skew.used, skew.seconds()), (START, 86_400));
}
