//! A filtered list is the whole list without what does not pass, page by page.

use connect_core::wire::{Category, Id};
use serde_json::{Value, json};
use uuid::Uuid;

use super::{
    check::{Threads, on_each_backend},
    input::{BARCODES, EXTERNAL_IDS, bursts_without_keys},
    session::Session,
    shop::Filters,
};

on_each_backend!(
    a_filtered_list_is_the_whole_list_gone_through,
    Threads::One,
    50,
    3,
    (
        bursts_without_keys(6),
        1_usize..4,
        proptest::prelude::any::<u8>()
    ),
    |shop, (bursts, limit, since)| async move {
        let mut session = Session::new(shop, 200);
        session.play(&bursts).await;
        let shop = &session.shop;
        let whole = shop.products(&Filters::default(), true, 200).await;
        let since = match whole.len() {
            0 => None,
            len => whole[usize::from(since) % len]["updatedAt"].as_str(),
        };
        for filters in all_filters(&whole) {
            for (since, deleted) in [(None, true), (since, true), (since, false)] {
                let passing = whole
                    .iter()
                    .filter(|record| passes(record, &filters, since, deleted));
                let passing: Vec<_> = passing.cloned().collect();
                let time = since.map(|since| since.parse().unwrap());
                let found = shop.products_since(time, &filters, deleted, limit).await;
                assert_eq!(
                    found, passing,
                    "{filters:?} since {since:?}, deleted: {deleted}"
                );
            }
        }
    }
);

fn all_filters(whole: &[Value]) -> Vec<Filters> {
    let barcodes = BARCODES.iter().map(|barcode| Some((*barcode).to_owned()));
    let external_ids = EXTERNAL_IDS.iter().map(|id| Some((*id).to_owned()));
    let id_of = |product: &Value| product["categoryId"].as_str().map(|id| id.parse().unwrap());
    let mut categories: Vec<Option<Id<Category>>> = whole.iter().map(id_of).collect();
    categories.extend([None, Some(Uuid::from_u128(5).into())]);
    categories.sort_unstable();
    categories.dedup();
    let mut all = Vec::new();
    for category in categories {
        for barcode in barcodes.clone().chain([None]) {
            all.push(Filters {
                category,
                barcode,
                external_id: None,
            });
        }
        for external_id in external_ids.clone() {
            all.push(Filters {
                category,
                barcode: None,
                external_id,
            });
        }
    }
    all
}

/// Returns whether an entry belongs to a list. What a deleted product was is not known, so every
/// deletion is listed.
fn passes(record: &Value, filters: &Filters, since: Option<&str>, deleted: bool) -> bool {
    if since.is_some_and(|since| record["updatedAt"].as_str().unwrap() < since) {
        return false;
    }
    if record["deleted"] == json!(true) {
        return deleted;
    }
    filters
        .external_id
        .as_ref()
        .is_none_or(|id| record["externalId"] == json!(id))
        && filters
            .barcode
            .as_ref()
            .is_none_or(|barcode| record["barcode"] == json!(barcode))
        && filters
            .category
            .is_none_or(|id| record["categoryId"] == json!(id))
}
