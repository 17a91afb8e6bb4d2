//! Following changes.

use connect_client::{
    Changes,
    wire::{Entry, ErrorCode, Product, Timestamp},
};
use futures_util::TryStreamExt as _;

use crate::support::{
    products,
    records::{error, page, product, time, tombstone},
    script::{Reply, Script, json, text},
};

/// The moment after product number `n` changed.
fn behind(n: i64) -> Timestamp {
    time(n).plus_micros(1)
}

fn query(sent: &crate::support::script::Sent) -> &str {
    sent.target().split_once('?').unwrap().1
}

#[tokio::test]
async fn changes_tell_where_to_begin_the_next_time() {
    let script = Script::new([
        json(200, &page([product(1), tombstone(2)], Some("c"))),
        json(200, &page([product(5)], None)),
        json(200, &page([tombstone(6)], None)),
        json(200, &page([], None)),
    ]);
    let products = products(&script.client());

    let (entries, since) = products.changes_since(None).all().await.unwrap();
    assert_eq!(entries.len(), 3);
    assert_eq!(since, Some(behind(5)));
    let (entries, since) = products.changes_since(since).all().await.unwrap();
    assert!(matches!(entries[0], Entry::Deleted(_)));
    assert_eq!(since, Some(behind(6)));
    let (entries, since) = products.changes_since(since).all().await.unwrap();
    assert!(entries.is_empty());
    assert_eq!(since, Some(behind(6)), "nothing new keeps the place");

    let sent = script.finish();
    assert_eq!(query(&sent[0]), "limit=200&includeDeleted=true");
    assert_eq!(query(&sent[1]), "limit=200&cursor=c&includeDeleted=true");
    let since = |n| behind(n).to_string().replace(':', "%3A");
    for (sent, n) in sent[2..].iter().zip([5, 6]) {
        let expected = format!("limit=200&updatedSince={}&includeDeleted=true", since(n));
        assert_eq!(query(sent), expected);
    }
}

#[tokio::test]
async fn the_place_is_good_at_any_moment() {
    let script = Script::new([
        json(200, &page([product(1), product(2)], Some("c"))),
        json(403, &error("forbidden_scope", "the token was changed")),
    ]);
    let mut changes = products(&script.client()).changes_since(None);
    assert_eq!(changes.since(), None);
    changes.next().await.unwrap().unwrap();
    assert_eq!(changes.since(), Some(time(1)));
    changes.next().await.unwrap().unwrap();
    let refused = changes.next().await.unwrap().unwrap_err();
    assert_eq!(refused.code(), Some(&ErrorCode::ForbiddenScope));
    assert!(changes.next().await.is_none());
    assert_eq!(changes.since(), Some(time(2)));
    script.finish();
}

#[tokio::test]
async fn the_place_never_goes_back() {
    let script = Script::new([json(200, &page([product(5), product(2)], None))]);
    let changes = products(&script.client()).changes_since(Some(time(3)));
    assert_eq!(changes.all().await.unwrap().1, Some(behind(5)));
    let script = Script::new([json(200, &page([product(5)], None))]);
    let changes = products(&script.client()).changes_since(Some(time(9)));
    assert_eq!(changes.all().await.unwrap().1, Some(time(9)));
    script.finish();
}

#[tokio::test]
async fn the_end_moves_the_place_behind_what_was_seen() {
    let script = Script::new([json(200, &page([product(1), product(2)], None))]);
    let mut changes = products(&script.client()).changes_since(None);
    changes.next().await.unwrap().unwrap();
    changes.next().await.unwrap().unwrap();
    assert_eq!(changes.since(), Some(time(2)), "more of this time may come");
    for _ in 0..2 {
        assert!(changes.next().await.is_none());
        assert_eq!(changes.since(), Some(behind(2)));
    }
    script.finish();
}

/// A page of products that was read when the location's clock stood at `state`.
fn page_at(state: i64, numbers: impl IntoIterator<Item = u32>, next: Option<&str>) -> Reply {
    let state = time(state).to_string();
    let body = page(numbers.into_iter().map(product), next).to_string();
    text(200, &[("connect-state", &state)], &body)
}

/// Numbers of the products that came, and the place afterwards.
async fn all(changes: Changes<Product>) -> (Vec<i64>, Option<Timestamp>) {
    let (entries, since) = changes.all().await.unwrap();
    let number = |entry: Entry<Product>| match entry {
        Entry::Live(product) => (product.updated_at.micros() - time(0).micros()) / 1_000_000,
        Entry::Deleted(_) => panic!("nothing was deleted"),
    };
    (entries.into_iter().map(number).collect(), since)
}

#[tokio::test]
async fn all_changes_end_where_the_first_page_was_read() {
    // Products are written all the time: every page has a successor.
    for (replies, numbers, state) in [
        // The second page begins behind the first page's state.
        (
            vec![page_at(2, [1, 2], Some("a")), page_at(4, [3, 4], Some("b"))],
            vec![1, 2],
            2,
        ),
        // That state lies within the second page.
        (
            vec![
                page_at(3, [1, 2], Some("a")),
                page_at(5, [3, 4, 5], Some("b")),
            ],
            vec![1, 2, 3],
            3,
        ),
        // All of a commit's records have one time, and may be on two pages.
        (
            vec![
                page_at(2, [1, 2], Some("a")),
                page_at(2, [2, 2], Some("b")),
                page_at(9, [9], Some("c")),
            ],
            vec![1, 2, 2, 2],
            2,
        ),
        // What moved on meanwhile leaves an empty place.
        (
            vec![page_at(5, [1], Some("a")), page_at(7, [6, 7], Some("b"))],
            vec![1],
            5,
        ),
    ] {
        let script = Script::new(replies);
        let (seen, since) = all(products(&script.client()).changes_since(None)).await;
        assert_eq!(seen, numbers);
        assert_eq!(since, Some(behind(state)));
        script.finish();
    }
}

#[tokio::test]
async fn without_a_state_all_changes_end_with_the_list() {
    let script = Script::new([
        json(200, &page([product(1)], Some("a"))),
        json(200, &page([product(2)], Some("b"))),
        json(200, &page([product(3)], None)),
    ]);
    let (seen, since) = all(products(&script.client()).changes_since(None)).await;
    assert_eq!((seen, since), (vec![1, 2, 3], Some(behind(3))));
    script.finish();
}

#[tokio::test]
async fn one_by_one_changes_go_on_behind_the_first_pages_state() {
    let script = Script::new([page_at(1, [1], Some("a")), page_at(2, [2], None)]);
    let mut changes = products(&script.client()).changes_since(None);
    // It is a stream, too.
    let entries: Vec<_> = (&mut changes).try_collect().await.unwrap();
    assert_eq!(entries.len(), 2);
    assert_eq!(changes.since(), Some(behind(2)));
    script.finish();
}

#[tokio::test]
async fn the_place_moves_with_the_location_though_the_list_stays() {
    let script = Script::new([page_at(9, [1], None), page_at(12, [], None)]);
    let products = products(&script.client());
    let (_, since) = products.changes_since(None).all().await.unwrap();
    assert_eq!(since, Some(behind(9)));
    let mut changes = products.changes_since(since);
    assert!(changes.next().await.is_none());
    assert_eq!(changes.since(), Some(behind(12)));
    script.finish();
}

#[tokio::test]
async fn a_location_without_any_write_has_no_place_yet() {
    let body = page([], None).to_string();
    let state = Timestamp::EPOCH.to_string();
    let empty = || text(200, &[("connect-state", &state)], &body);
    let script = Script::new([empty(), empty(), page_at(3, [3], None)]);
    let products = products(&script.client());
    let mut since = None;
    for expected in [None, None, Some(behind(3))] {
        (_, since) = products.changes_since(since).all().await.unwrap();
        assert_eq!(since, expected);
    }
    for sent in script.finish() {
        assert_eq!(query(&sent), "limit=200&includeDeleted=true");
    }
}
