//! Every index agrees with the products as they are read one by one.

use std::collections::{BTreeMap, BTreeSet};

use connect_core::{
    storage::{Entry, Range, Read, Storage as _},
    wire::{Category, Product, query::ProductQuery},
};

use super::{Shop, check::listed};

/// Checks the list of all products against each of them, and then every filter.
pub(super) async fn agree(shop: &Shop, products: &[Product], categories: &[Category]) {
    let mut by_barcode = BTreeMap::<&str, Vec<&Product>>::new();
    let mut external_ids = 0;
    for product in products {
        let single = shop
            .connect
            .location(&shop.at)
            .json::<Product>()
            .get(product.id.uuid())
            .await;
        let single = single.unwrap().decode().unwrap().data;
        assert_eq!(single, *product);
        let barcode = product.barcode.as_deref().unwrap();
        by_barcode.entry(barcode).or_default().push(product);
        if let Some(external_id) = &product.external_id {
            external_ids += 1;
            let query = ProductQuery {
                external_id: Some(external_id.clone()),
                ..ProductQuery::default()
            };
            assert_eq!(listed(shop, query).await, [single]);
        }
    }
    for (barcode, expected) in by_barcode {
        let query = ProductQuery {
            barcode: Some(barcode.into()),
            ..ProductQuery::default()
        };
        assert_eq!(
            listed(shop, query).await.iter().collect::<Vec<_>>(),
            expected
        );
    }
    let mut in_a_category = 0;
    for category in categories {
        let query = ProductQuery {
            category_id: Some(category.id),
            ..ProductQuery::default()
        };
        let within = |product: &&Product| product.category_id == Some(category.id);
        let expected: Vec<&Product> = products.iter().filter(within).collect();
        in_a_category += expected.len();
        assert_eq!(
            listed(shop, query).await.iter().collect::<Vec<_>>(),
            expected
        );
    }
    let all = products.iter();
    let with_category = all.filter(|product| product.category_id.is_some());
    assert_eq!(with_category.count(), in_a_category);

    // No entry is left of what is no more.
    let is_there = products.len();
    for (family, entries) in [
        (0x30, is_there),
        (0x31, is_there),
        (0x33, external_ids),
        (0x34, is_there),
        (0x35, in_a_category),
    ] {
        assert_eq!(rows(shop, family).await.len(), entries, "{family:#x}");
    }
    let names: BTreeSet<&str> = categories.iter().map(|one| one.name.as_str()).collect();
    assert_eq!(names.len(), categories.len());
    for family in [0x20, 0x21, 0x23, 0x24] {
        assert_eq!(rows(shop, family).await.len(), names.len(), "{family:#x}");
    }
}

/// The rows of a family of the location, as they are stored: the byte after the location's id says
/// which family a key is of.
pub(super) async fn rows(shop: &Shop, family: u8) -> Vec<Entry> {
    let location = *shop.at.location().id.uuid().as_bytes();
    let start = |family: u8| [&location[..], &[family]].concat();
    let (from, to) = (start(family), start(family + 1));
    let read = Read::Scan {
        range: Range {
            from: &from,
            to: Some(&to),
        },
        limit: usize::MAX,
        newest_first: false,
    };
    let mut state = shop.storage.read(&[read]).await.unwrap();
    state.entries().unwrap()
}
