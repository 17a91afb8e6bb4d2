//! Pages, and streams over them.

use connect_client::{
    ErrorKind, RetryPolicy,
    wire::{
        Entry,
        query::{ProductQuery, SyncQuery},
    },
};
use futures_util::TryStreamExt;

use crate::support::{
    LOCATION, products,
    records::{error, page, product, time, tombstone},
    script::{Script, bare, json},
};

fn targets(script: &Script) -> Vec<String> {
    let base = format!("/locations/{LOCATION}/products?");
    let query =
        |sent: &crate::support::script::Sent| sent.target().strip_prefix(&base).unwrap().to_owned();
    script.finish().iter().map(query).collect()
}

#[tokio::test]
async fn a_stream_follows_the_cursor_with_the_same_parameters() {
    let script = Script::new([
        json(200, &page([product(1), product(2)], Some("c-1"))),
        json(200, &page([], Some("c+2&="))),
        json(200, &page([product(3)], None)),
    ]);
    let query = ProductQuery::default().barcode("29 ë");
    let listed = products(&script.client()).stream(&query);
    let names: Vec<String> = listed.map_ok(|p| p.name).try_collect().await.unwrap();
    assert_eq!(names, ["Product 1", "Product 2", "Product 3"]);
    assert_eq!(
        targets(&script),
        [
            "limit=200&barcode=29+%C3%AB",
            "limit=200&cursor=c-1&barcode=29+%C3%AB",
            "limit=200&cursor=c%2B2%26%3D&barcode=29+%C3%AB",
        ]
    );
}

#[tokio::test]
async fn pages_come_as_they_are_asked_for_and_end() {
    let script = Script::new([
        json(200, &page([product(1)], Some("c-1"))),
        json(200, &page([product(2)], None)),
    ]);
    let query = ProductQuery {
        sync: SyncQuery {
            limit: Some(1),
            cursor: Some("c-0".to_owned()),
            ..SyncQuery::default()
        },
        ..ProductQuery::default()
    };
    let mut pages = products(&script.client()).pages(&query);
    assert_eq!(script.sent().len(), 0);
    let first = pages.next().await.unwrap().unwrap();
    assert_eq!(script.sent().len(), 1);
    assert_eq!(first.next_cursor.as_deref(), Some("c-1"));
    assert_eq!(first.data.len(), 1);
    assert!(pages.next().await.unwrap().unwrap().next_cursor.is_none());
    assert!(pages.next().await.is_none());
    assert!(pages.next().await.is_none());
    assert_eq!(
        targets(&script),
        ["limit=1&cursor=c-0", "limit=1&cursor=c-1"]
    );
}

#[tokio::test]
async fn an_error_in_the_middle_ends_the_stream() {
    let script = Script::new([
        json(200, &page([product(1)], Some("c-1"))),
        json(400, &error("validation_failed", "cursor: is damaged")),
    ]);
    let mut listed = products(&script.client()).stream(&ProductQuery::default());
    assert_eq!(listed.next().await.unwrap().unwrap().name, "Product 1");
    let error = listed.next().await.unwrap().unwrap_err();
    assert_eq!(error.status(), Some(400));
    assert!(listed.next().await.is_none());
    script.finish();
}

#[tokio::test(start_paused = true)]
async fn a_page_is_tried_again_like_any_call() {
    let script = Script::new([
        json(200, &page([product(1)], Some("c-1"))),
        bare(503),
        json(200, &page([product(2)], None)),
    ]);
    let client = script.client_with(|b| b.retry(RetryPolicy::default()));
    let listed = products(&client).stream(&ProductQuery::default());
    assert_eq!(listed.all().await.unwrap().len(), 2);
    script.finish();
}

#[tokio::test]
async fn a_cursor_that_leads_nowhere_new_is_an_error() {
    let script = Script::new([
        json(200, &page([product(1)], Some("c-1"))),
        json(200, &page([product(1)], Some("c-1"))),
    ]);
    let listed = products(&script.client()).stream(&ProductQuery::default());
    let error = listed.all().await.unwrap_err();
    assert!(matches!(error.kind(), ErrorKind::Decode(_)), "{error}");
    script.finish();
}

#[tokio::test]
async fn the_method_decides_about_deleted_records() {
    let both = page([product(1), tombstone(2)], None);
    let live = page([product(1)], None);
    let script = Script::new([
        json(200, &both),
        json(200, &both),
        json(200, &live),
        json(200, &live),
    ]);
    let client = script.client();
    let products = products(&client);
    let mut query = ProductQuery::default();
    let listed = products.list_with_deleted(&query).await.unwrap();
    assert!(matches!(listed.data[0], Entry::Live(ref p) if p.name == "Product 1"));
    assert!(matches!(listed.data[1], Entry::Deleted(t) if t.updated_at == time(2)));
    let streamed = products.stream_with_deleted(&query).all().await.unwrap();
    assert_eq!(streamed, listed.data);
    query.sync.include_deleted = true;
    assert_eq!(products.list(&query).await.unwrap().data.len(), 1);
    assert_eq!(products.stream(&query).all().await.unwrap().len(), 1);
    assert_eq!(
        script
            .finish()
            .iter()
            .map(|s| s.target().split('?').nth(1).unwrap_or("").to_owned())
            .collect::<Vec<_>>(),
        [
            "includeDeleted=true",
            "limit=200&includeDeleted=true",
            "",
            "limit=200"
        ]
    );
}
