//! Lists and changes through the SDK.

use std::{collections::HashMap, time::Duration};

use connect_client::wire::{
    CategoryInput, Entry, Field, Product, ProductInput, query::ProductQuery,
};

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

#[tokio::test]
async fn a_watch_asks_an_idle_shop_once_a_round_and_is_told_nothing() {
    let (shop, passed, client) = open().await;
    let products = client.location(shop.here).products();
    let items: Vec<_> = (0..250).map(|n| coded(&format!("B-{n}"), "Bun")).collect();
    products.upsert_all(&items).run().await.unwrap();
    let mut watch = products.watch(None, Duration::from_millis(20));
    for _ in 0..250 {
        watch.next().await.unwrap().unwrap();
    }
    passed.passed();
    let idle = Duration::from_millis(300);
    assert!(tokio::time::timeout(idle, watch.next()).await.is_err());
    let rounds = passed.passed();
    assert!(rounds.len() > 1);
    for round in rounds {
        assert!(round.json()["data"].as_array().unwrap().is_empty());
    }
    // Others write at the location: still nothing for those who follow products.
    let categories = client.location(shop.here).categories();
    categories
        .create(&CategoryInput::named("Bread"))
        .await
        .unwrap();
    assert!(tokio::time::timeout(idle, watch.next()).await.is_err());
    let bun = products.create(&ProductInput::named("Rye")).await.unwrap();
    let Entry::Live(seen) = watch.next().await.unwrap().unwrap() else {
        panic!("nothing was deleted");
    };
    assert_eq!(seen.id, bun.id);
    products.delete(bun.id).await.unwrap();
    let gone = watch.next().await.unwrap().unwrap();
    assert!(matches!(gone, Entry::Deleted(gone) if bun.id == gone.id));
}

#[tokio::test]
async fn a_follower_of_an_idle_shop_is_never_refused() {
    let (shop, _watch, client) = open().await;
    let products = client.location(shop.here).products();
    let mut since = None;
    // First nothing was ever written, then nothing more.
    for names in [vec![], vec!["Rye"]] {
        for name in &names {
            products.create(&ProductInput::named(*name)).await.unwrap();
        }
        for month in 0..5 {
            let (entries, next) = products.changes_since(since).all().await.unwrap();
            let expected = if month == 0 { names.len() } else { 0 };
            assert_eq!(entries.len(), expected, "month {month}");
            since = next;
            shop.clock.advance(30 * 24 * 3600);
            shop.connect.maintain().await.unwrap();
        }
    }
}
