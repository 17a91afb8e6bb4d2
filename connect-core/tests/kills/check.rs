//! Holds a store that was opened again against what has to be so.

use std::collections::HashMap;

use connect_core::wire::{
    Category, Id, Product, Timestamp,
    query::{CategoryQuery, ProductQuery, SyncQuery},
};

use super::{
    Shop,
    facts::Facts,
    history, indexes,
    op::{BATCH, FILLED, SEGMENTS},
};

/// What was seen over all kills.
#[derive(Debug, Default)]
pub(super) struct Totals {
    pub(super) checks: usize,
    /// Kills before the process had noted that the store is open.
    pub(super) kills_while_opening: usize,
    pub(super) acknowledged: usize,
    pub(super) shown: usize,
    /// Writes without an answer that were sent again: done before, or done only now.
    pub(super) retried_and_done_before: usize,
    pub(super) retried_and_done_now: usize,
    /// Deletions of the large category, answered or not.
    pub(super) deletions: usize,
    pub(super) unanswered_deletions: usize,
    pub(super) largest: usize,
    pub(super) events: u64,
}

/// Checks everything.
pub(super) async fn all(shop: &Shop, facts: &Facts, totals: &mut Totals) {
    let products = products(shop).await;
    let categories = categories(shop).await;
    nothing_is_lost(facts, &products, &categories);
    batches_are_whole(&products);
    deletions_are_whole(&products, &categories);
    indexes::agree(shop, &products, &categories).await;
    totals.events = history::check(shop).await;
    totals.checks += 1;
    totals.largest = totals.largest.max(products.len());
}

/// All products, in the order in which they last changed.
pub(super) async fn products(shop: &Shop) -> Vec<Product> {
    listed(shop, ProductQuery::default()).await
}

/// All products that pass a filter.
pub(super) async fn listed(shop: &Shop, mut query: ProductQuery) -> Vec<Product> {
    let mut all: Vec<Product> = Vec::new();
    query.sync = SyncQuery {
        limit: Some(200),
        ..SyncQuery::default()
    };
    loop {
        let page = shop
            .connect
            .location(&shop.at)
            .json::<Product>()
            .list(&query)
            .await
            .unwrap();
        let page = page.decode().unwrap();
        all.extend(page.data);
        query.sync.cursor = page.next_cursor;
        if query.sync.cursor.is_none() {
            let place = |product: &Product| (product.updated_at, product.id);
            assert!(all.is_sorted_by(|one, other| place(one) < place(other)));
            return all;
        }
    }
}

async fn categories(shop: &Shop) -> Vec<Category> {
    let query = CategoryQuery::default();
    let page = shop
        .connect
        .location(&shop.at)
        .json::<Category>()
        .list(&query)
        .await;
    let page = page.unwrap().decode().unwrap();
    assert_eq!(page.next_cursor, None);
    page.data
}

/// Every state that was acknowledged or shown is there, or a later one; and no name twice.
fn nothing_is_lost(facts: &Facts, products: &[Product], categories: &[Category]) {
    let by_name: HashMap<&str, &Product> = products
        .iter()
        .map(|product| (product.name.as_str(), product))
        .collect();
    assert_eq!(by_name.len(), products.len(), "a product is there twice");
    for (name, version) in &facts.versions {
        let now = by_name.get(name.as_str()).map(|now| now.price_cents);
        assert!(
            now >= Some(*version),
            "{name} of {version} is lost: {now:?}"
        );
    }
    for (name, (time, version)) in &facts.shown {
        let now = by_name
            .get(name.as_str())
            .map(|now| (now.updated_at, now.price_cents));
        let is_same = now == Some((*time, *version));
        let is_later = now.is_some_and(|now| now.0 > *time && now.1 >= *version);
        assert!(
            is_same || is_later,
            "{name} was {version} at {time}: {now:?}"
        );
    }
    if let Some(version) = facts.filled {
        let name = format!("{FILLED}{version}");
        assert!(categories.iter().any(|category| category.name == name));
    }
    let gone = |category: &Category| !facts.deleted.contains(&category.id);
    assert!(categories.iter().all(gone), "a deleted category is there");
}

/// The products of a batch are all of one version and time.
fn batches_are_whole(products: &[Product]) {
    let states = states(products, "B-", 0..BATCH);
    assert!(states.len() <= 1, "half a batch: {states:?}");
    if let Some(((version, ..), count)) = states.into_iter().next() {
        assert_eq!(count, BATCH - 1);
        let single = format!("X-{version}");
        assert!(products.iter().any(|product| product.name == single));
    }
}

/// The products of a deleted category have left it, all at one time; those of one that is there
/// are all in it.
fn deletions_are_whole(products: &[Product], categories: &[Category]) {
    let filled = categories
        .iter()
        .find_map(|category| Some((category.id, category.name.strip_prefix(FILLED)?)));
    let filled = filled.map(|(id, version)| (id, version.parse::<i64>().unwrap()));
    let mut left_at = None;
    for segment in 0..SEGMENTS {
        let states = states(products, "D-", segment * BATCH..(segment + 1) * BATCH);
        assert!(states.len() <= 1, "half a change: {states:?}");
        let Some(((version, time, category), count)) = states.into_iter().next() else {
            continue;
        };
        assert_eq!(count, BATCH);
        let expected = filled.filter(|(_, made)| version > *made);
        assert_eq!(category, expected.map(|(id, _)| id), "of {version}");
        if category.is_none() {
            let first = *left_at.get_or_insert(time);
            assert_eq!(time, first, "half a deletion");
        }
    }
}

type State = (i64, Timestamp, Option<Id<Category>>);

/// The states of the products whose names have this prefix and a number of the range, and how
/// many are in each.
fn states(
    products: &[Product],
    prefix: &str,
    numbers: std::ops::Range<usize>,
) -> HashMap<State, usize> {
    let mut states = HashMap::new();
    for product in products {
        let number = product.name.strip_prefix(prefix);
        if number.is_some_and(|number| numbers.contains(&number.parse().unwrap())) {
            let state = (product.price_cents, product.updated_at, product.category_id);
            *states.entry(state).or_default() += 1;
        }
    }
    states
}
