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
                Entry::Deleted(tombstone) => copy.remove(&tombstone.id),
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
