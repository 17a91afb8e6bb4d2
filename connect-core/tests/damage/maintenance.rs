//! Rounds of maintenance over damaged rows.

use connect_core::wire::ProductInput;
use uuid::Uuid;

use super::{
    ACCOUNT, ACCOUNT_LIST, ANSWER, EVENT, MAINTENANCE, TOMBSTONE, TOMBSTONES_SINCE, create, key_of,
    location, scribble, start,
};
use crate::{
    faulty::rows,
    shop::{self, Shop},
};

const HOUR: i64 = 3600;
const DAY: i64 = 24 * HOUR;

#[tokio::test]
async fn maintenance_goes_on_past_what_cannot_be_read() {
    let shop = Shop::open().await;
    let (connect, account) = (&shop.connect, shop.account);
    // Another account, with a shop of its own, comes first and cannot be read at all.
    location(&shop, "A").await;
    let b = location(&shop, "B").await;
    let c = location(&shop, "C").await;
    let other = Shop::on(shop.storage.clone()).await;
    let d = shop::location(&other.connect, other.account, "D").await;
    create(&other.connect, &d, "D").await;
    connect.maintain().await.unwrap();

    shop.storage.damage(&start(b, TOMBSTONE));
    shop.storage.damage(&start(c, EVENT));
    shop.storage.damage(&start(other.account, ACCOUNT));
    shop.storage
        .damage(&[&start(account, ANSWER)[..], b"A"].concat());
    shop.clock.advance(91 * DAY);
    let round = connect.maintain().await.unwrap();
    // The answers of B, C and D; the tombstones of A and C; the events of A and B. Left are the
    // tombstone of B, the two events of C, the other account, and the answer of A.
    let purged = (round.answers, round.tombstones, round.events);
    assert_eq!((purged, round.failed), ((3, 2, 4), 5), "{round:?}");
    let again = connect.maintain().await.unwrap();
    let purged = (again.answers, again.tombstones, again.events);
    assert_eq!((purged, again.failed), ((0, 0, 0), 5), "{again:?}");

    shop.storage.heal();
    let rest = connect.maintain().await.unwrap();
    let purged = (rest.answers, rest.tombstones, rest.events);
    assert_eq!((purged, rest.failed), ((1, 1, 3), 0), "{rest:?}");
}

/// One row of every table that a round walks through.
#[tokio::test]
async fn maintenance_goes_on_past_single_rows_of_its_tables() {
    let shop = Shop::open().await;
    let (connect, account) = (&shop.connect, shop.account);
    let a = location(&shop, "A").await;
    let at = connect.authorize_owner(account, a, account).await.unwrap();
    let mut deleted = Vec::new();
    for name in ["B", "C", "D"] {
        let product = create(connect, &at, name).await;
        connect
            .location(&at)
            .products()
            .delete(product.id)
            .await
            .unwrap();
        deleted.push(product.id);
    }
    connect.maintain().await.unwrap();

    let all = rows(&*shop.storage).await;
    // The account in the list of accounts, one of four tombstones, the third of eight events, and
    // one of four answers in the table of when they expire.
    let listed = [
        &start(Uuid::nil(), ACCOUNT_LIST)[..],
        account.uuid().as_bytes(),
    ]
    .concat();
    shop.storage.damage(&listed);
    shop.storage.damage(&key_of(&all, a, TOMBSTONE, deleted[1]));
    let events = start(a, EVENT);
    shop.storage
        .damage(&[&events[..], &3u64.to_be_bytes()].concat());
    shop.storage
        .damage(&[account.uuid().as_bytes(), &b"C\0\0"[..]].concat());
    shop.clock.advance(91 * DAY);
    for expected in [(3, 3, 7), (0, 0, 0)] {
        let round = connect.maintain().await.unwrap();
        let purged = (round.answers, round.tombstones, round.events);
        assert_eq!((purged, round.failed), (expected, 4), "{round:?}");
    }

    // Without the time since when they are complete, no tombstone of the location is purged.
    shop.storage.heal();
    shop.storage.damage(&start(a, TOMBSTONES_SINCE));
    let round = connect.maintain().await.unwrap();
    let purged = (round.answers, round.tombstones, round.events);
    assert_eq!((purged, round.failed), ((1, 0, 1), 1), "{round:?}");
    shop.storage.heal();
    let rest = connect.maintain().await.unwrap();
    assert_eq!((rest.tombstones, rest.failed), (1, 0), "{rest:?}");
}

#[tokio::test]
async fn maintenance_goes_on_past_rows_that_are_something_else() {
    let shop = Shop::open().await;
    let (connect, account) = (&shop.connect, shop.account);
    let other = Shop::on(shop.storage.clone()).await;
    let a = location(&shop, "A").await;
    connect.maintain().await.unwrap();
    assert_eq!(scribble(&shop, a, TOMBSTONE).await, 1);
    assert_eq!(scribble(&shop, a, EVENT).await, 2);
    assert_eq!(scribble(&shop, account, ANSWER).await, 1);
    assert_eq!(scribble(&shop, other.account, ACCOUNT).await, 1);
    let at = connect.authorize_owner(account, a, account).await.unwrap();
    create(connect, &at, "B").await;
    shop.clock.advance(91 * DAY);
    let round = connect.maintain().await.unwrap();
    let purged = (round.answers, round.tombstones, round.events);
    assert_eq!((purged, round.failed), ((1, 1, 3), 2), "{round:?}");
}

/// Rows without a time are as old as the readable ones behind them; a whole chunk of them holds up nobody.
#[tokio::test]
async fn maintenance_purges_rows_without_a_time_with_those_behind_them() {
    let shop = Shop::open().await;
    let (connect, account) = (&shop.connect, shop.account);
    let a = location(&shop, "A").await;
    let at = connect.authorize_owner(account, a, account).await.unwrap();
    let products = (0..498).map(|number| ProductInput::named(format!("Product {number}")));
    for product in products {
        connect
            .location(&at)
            .products()
            .create(product)
            .await
            .unwrap();
    }
    // That of the location and of its first product are there already.
    assert_eq!(scribble(&shop, a, EVENT).await, 500);
    shop.clock.advance(91 * DAY);
    assert_eq!(connect.maintain().await.unwrap().events, 500);
    for name in ["B", "C"] {
        create(connect, &at, name).await;
    }
    assert_eq!(scribble(&shop, a, EVENT).await, 2);
    shop.clock.advance(91 * DAY);
    assert_eq!(connect.maintain().await.unwrap().events, 0);
}

/// The row that says when the last round was is written anew once the process has counted an hour
/// itself.
#[tokio::test]
async fn maintenance_finds_its_way_without_its_row() {
    let shop = Shop::open().await;
    let connect = &shop.connect;
    connect.maintain().await.unwrap();
    assert_eq!(scribble(&shop, Uuid::nil(), MAINTENANCE).await, 1);
    assert!(connect.maintain().await.unwrap().is_held_off);
    shop.clock.advance(HOUR);
    assert!(!connect.maintain().await.unwrap().is_held_off);
    let last = connect.last_maintenance().await.unwrap();
    assert_eq!(last, Some(shop::START.plus_seconds(HOUR)));
}
