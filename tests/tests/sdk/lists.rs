//! Lists and changes through the SDK.

use std::collections::HashMap;

use connect_client::wire::{Entry, Field, Product, ProductInput, query::ProductQuery};

use super::{coded, open};

#[tokio::test]
async fn a_list_is_read_page_by_page() {
    let (shop, watch, client) = open().await;
    let products = client.location(shop.here).products();
    let items: Vec<_> = (0..450)
        .map(|n| ProductInput {
            barcode: Field::Value(if n % 3 == 0 { "third" } else { "other" }.into()),
            ..coded(&format!("B-{n}"), "Bun")
        })
        .collect();
    products.upsert_all(&items).run().await.unwrap();
    watch.passed();
    let all = products
        .stream(&ProductQuery::default())
        .all()
        .await
        .unwrap();
    assert_eq!(all.len(), 450);
    assert_eq!(watch.passed().len(), 3);
    let third = ProductQuery {
        barcode: Some("third".into()),
        ..ProductQuery::default()
    };
    assert_eq!(products.stream(&third).all().await.unwrap().len(), 150);
    let one = ProductQuery {
        external_id: Some("B-7".into()),
        ..ProductQuery::default()
    };
    let page = products.list(&one).await.unwrap();
    assert_eq!((page.data.len(), page.next_cursor), (1, None));
}

#[tokio::test]
async fn changes_are_followed_with_deletions() {
    let (shop, _watch, client) = open().await;
    let products = client.location(shop.here).products();
    let mut copy: HashMap<_, Product> = HashMap::new();
    let mut since = None;
    let mut ids = Vec::new();
    for round in 0..4 {
        ids.push(
            products
                .create(&ProductInput::named(format!("Bun {round}")))
                .await
                .unwrap()
                .id,
        );
        if round % 2 == 1 {
            products.delete(ids.remove(0)).await.unwrap();
        }
        let mut changes = products.changes_since(since);
        while let Some(entry) = changes.next().await {
            match entry.unwrap() {
                Entry::Live(product) => copy.insert(product.id, product),
                Entry::Deleted(tombstone) => copy.remove(&tombstone.id.into()),
            };
        }
        since = changes.since();
        let live = products
            .stream(&ProductQuery::default())
            .all()
            .await
            .unwrap();
        let live: HashMap<_, _> = live
            .into_iter()
            .map(|product| (product.id, product))
            .collect();
        assert_eq!(copy, live, "after round {round}");
    }
}

/// Somebody writes faster than the pages are read: what changes meanwhile is for the next pass.
#[tokio::test]
async fn a_walk_ends_however_much_is_written_meanwhile() {
    let (shop, watch, client) = open().await;
    let products = client.location(shop.here).products();
    let items: Vec<_> = (0..120).map(|n| coded(&format!("B-{n}"), "Bun")).collect();
    products.upsert_all(&items).run().await.unwrap();
    watch.passed();
    let others = products.clone();
    let (stop, mut stopped) = tokio::sync::oneshot::channel::<()>();
    let writer = tokio::spawn(async move {
        let mut written = 0i64;
        while stopped.try_recv().is_err() {
            written += 1;
            let dearer: Vec<_> = (0..120)
                .map(|n| ProductInput {
                    price_cents: Field::Value(written),
                    ..coded(&format!("B-{n}"), "Bun")
                })
                .collect();
            others.upsert_all(&dearer).run().await.unwrap();
        }
        written
    });
    let (mut since, mut copy) = (None, HashMap::new());
    for _ in 0..5 {
        let (entries, next) = products.changes_since(since).all().await.unwrap();
        for entry in entries {
            if let Entry::Live(product) = entry {
                copy.insert(product.id, product);
            }
        }
        since = next;
    }
    stop.send(()).unwrap();
    assert!(writer.await.unwrap() > 0);
    // A last pass in peace brings the rest, and the next one nothing.
    let (entries, next) = products.changes_since(since).all().await.unwrap();
    for entry in entries {
        if let Entry::Live(product) = entry {
            copy.insert(product.id, product);
        }
    }
    let live = products
        .stream(&ProductQuery::default())
        .all()
        .await
        .unwrap();
    let live: HashMap<_, _> = live
        .into_iter()
        .map(|product| (product.id, product))
        .collect();
    assert_eq!(copy, live);
    assert!(
        products
            .changes_since(next)
            .all()
            .await
            .unwrap()
            .0
            .is_empty()
    );
}
