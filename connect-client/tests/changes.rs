//! Following changes.

use connect_client::wire::{Entry, ErrorCode};

use crate::support::{
    products,
    records::{error, page, product, time, tombstone},
    script::{Script, json},
};

fn query(sent: &crate::support::script::Sent) -> &str {
    sent.target().split_once('?').unwrap().1
}

#[tokio::test]
async fn changes_tell_where_to_begin_the_next_time() {
    let script = Script::new([
        json(200, &page([product(1), tombstone(2)], Some("c"))),
        json(200, &page([product(5)], None)),
        json(200, &page([product(5), tombstone(6)], None)),
        json(200, &page([], None)),
    ]);
    let products = products(&script.client());

    let (entries, since) = products.changes_since(None).all().await.unwrap();
    assert_eq!(entries.len(), 3);
    assert_eq!(since, Some(time(5)));
    let (entries, since) = products.changes_since(since).all().await.unwrap();
    assert!(matches!(entries[1], Entry::Deleted(_)));
    assert_eq!(since, Some(time(6)));
    let (entries, since) = products.changes_since(since).all().await.unwrap();
    assert!(entries.is_empty());
    assert_eq!(since, Some(time(6)), "nothing new keeps the place");

    let sent = script.finish();
    assert_eq!(query(&sent[0]), "limit=200&includeDeleted=true");
    assert_eq!(query(&sent[1]), "limit=200&cursor=c&includeDeleted=true");
    let since = |n| time(n).to_string().replace(':', "%3A");
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
    assert_eq!(changes.all().await.unwrap().1, Some(time(5)));
    script.finish();
}
