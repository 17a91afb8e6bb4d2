//! A filtered list is the whole list without what does not pass, page by page.

use connect_core::wire::{Timestamp, query::SyncQuery};
use serde_json::{Value, json};
use uuid::Uuid;

use super::{
    check::{Threads, on_each_backend},
    input::{BARCODES, EXTERNAL_IDS, bursts_without_keys},
    session::Session,
    shop::{Filters, Shop},
};

on_each_backend!(
    a_filtered_list_is_the_whole_list_gone_through,
    Threads::One,
    60,
    3,
    (
        bursts_without_keys(6),
        1_usize..5,
        proptest::prelude::any::<(u8, bool)>()
    ),
    |shop, (bursts, limit, (since, deleted))| async move {
        let mut session = Session::new(shop, 200);
        session.play(&bursts).await;
        let shop = &session.shop;
        let whole = shop.products(&Filters::default(), true, 200).await;
        let since = match whole.len() {
            0 => None,
            len => whole[usize::from(since) % len]["updatedAt"].as_str(),
        };
        for filters in all_filters(&whole) {
            let passing = whole
                .iter()
                .filter(|record| passes(record, &filters, since, deleted));
            let passing: Vec<_> = passing.cloned().collect();
            let found = read(shop, &filters, since, deleted, limit).await;
            assert_eq!(found, passing, "{filters:?} since {since:?}");
        }
    }
);

fn all_filters(whole: &[Value]) -> Vec<Filters> {
    let barcodes = BARCODES.iter().map(|barcode| Some((*barcode).to_owned()));
    let external_ids = EXTERNAL_IDS.iter().map(|id| Some((*id).to_owned()));
    let id_of = |product: &Value| product["categoryId"].as_str().map(|id| id.parse().unwrap());
    let mut categories: Vec<Option<Uuid>> = whole.iter().map(id_of).collect();
    categories.extend([None, Some(Uuid::from_u128(5))]);
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

/// Whether an entry belongs to a list. What a deleted product was is not known, so every deletion
/// is listed.
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

async fn read(
    shop: &Shop,
    filters: &Filters,
    since: Option<&str>,
    include_deleted: bool,
    limit: usize,
) -> Vec<Value> {
    let updated_since: Option<Timestamp> = since.map(|since| since.parse().unwrap());
    let mut sync = SyncQuery {
        limit: Some(limit),
        cursor: None,
        updated_since,
        include_deleted,
    };
    let mut all = Vec::new();
    loop {
        let (records, next) = shop.products_page(filters, sync.clone()).await;
        all.extend(records);
        if next.is_none() {
            return all;
        }
        sync.cursor = next;
    }
}
