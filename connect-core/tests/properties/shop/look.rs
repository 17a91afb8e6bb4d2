//! Looking at what is there: lists page by page, events, and every row of the storage.

use connect_core::{
    storage::{Entry, Range, Read},
    wire::{
        Category, Event, Id, Product, Timestamp,
        query::{CategoryQuery, ProductQuery, SyncQuery},
    },
};
use serde_json::Value;

use super::Shop;

/// The filters of a list of products.
#[derive(Clone, Debug, Default)]
pub(crate) struct Filters {
    pub(crate) external_id: Option<String>,
    pub(crate) barcode: Option<String>,
    pub(crate) category: Option<Id<Category>>,
}

impl Shop {
    /// One page of products; the records and the next cursor.
    pub(crate) async fn products_page(
        &self,
        filters: &Filters,
        sync: SyncQuery,
    ) -> (Vec<Value>, Option<String>) {
        let query = ProductQuery {
            sync,
            barcode: filters.barcode.clone(),
            category_id: filters.category,
            external_id: filters.external_id.clone(),
        };
        let page = self
            .connect
            .location(&self.at)
            .json::<Product>()
            .list(&query)
            .await
            .unwrap();
        opened(&page.into_bytes(), query.sync.limit)
    }

    /// One page of categories.
    pub(crate) async fn categories_page(&self, sync: SyncQuery) -> (Vec<Value>, Option<String>) {
        let query = CategoryQuery { sync };
        let page = self
            .connect
            .location(&self.at)
            .json::<Category>()
            .list(&query)
            .await
            .unwrap();
        opened(&page.into_bytes(), query.sync.limit)
    }

    /// All products that pass the filters, read in pages of `limit`.
    pub(crate) async fn products(
        &self,
        filters: &Filters,
        deleted: bool,
        limit: usize,
    ) -> Vec<Value> {
        self.products_since(None, filters, deleted, limit).await
    }

    /// The same, of those that changed at or after a time.
    pub(crate) async fn products_since(
        &self,
        since: Option<Timestamp>,
        filters: &Filters,
        deleted: bool,
        limit: usize,
    ) -> Vec<Value> {
        let mut all = Vec::new();
        let mut sync = SyncQuery {
            updated_since: since,
            ..first_page(limit, deleted)
        };
        loop {
            let (records, next) = self.products_page(filters, sync.clone()).await;
            goes_on(&all, &records);
            all.extend(records);
            if next.is_none() {
                return all;
            }
            sync.cursor = next;
        }
    }

    /// All categories, read in pages of `limit`.
    pub(crate) async fn categories(&self, deleted: bool, limit: usize) -> Vec<Value> {
        let mut all = Vec::new();
        let mut sync = first_page(limit, deleted);
        loop {
            let (records, next) = self.categories_page(sync.clone()).await;
            goes_on(&all, &records);
            all.extend(records);
            if next.is_none() {
                return all;
            }
            sync.cursor = next;
        }
    }

    /// Every row that is stored.
    pub(crate) async fn rows(&self) -> Vec<Entry> {
        let all = Range {
            from: b"",
            to: None,
        };
        let read = Read::Scan {
            range: all,
            limit: usize::MAX,
            newest_first: false,
        };
        let mut state = self.storage.read(&[read]).await.unwrap();
        state.entries().unwrap()
    }
}

fn first_page(limit: usize, include_deleted: bool) -> SyncQuery {
    SyncQuery {
        limit: Some(limit),
        include_deleted,
        ..SyncQuery::default()
    }
}

/// A page starts behind the one before it. A list that goes in circles would have no end.
fn goes_on(before: &[Value], page: &[Value]) {
    let place = |record: &Value| (record["updatedAt"].to_string(), record["id"].to_string());
    if let (Some(last), Some(first)) = (before.last(), page.first()) {
        assert!(place(last) < place(first), "{first} is listed after {last}");
    }
}

/// The records of a page and the cursor of the next. A page is full unless it is the last.
fn opened(page: &[u8], limit: Option<usize>) -> (Vec<Value>, Option<String>) {
    let page: Value = serde_json::from_slice(page).unwrap();
    let records = page["data"].as_array().unwrap().clone();
    let cursor = page["nextCursor"].as_str().map(str::to_owned);
    let limit = limit.unwrap_or(50);
    assert!(records.len() <= limit && (cursor.is_none() || records.len() == limit));
    (records, cursor)
}

/// The events of a shop in the order of their numbers. They have no list of their own yet, so
/// every row that reads as one counts.
pub(crate) async fn events(shop: &Shop) -> Vec<Event<Value>> {
    let here = Some(shop.at.location().id);
    let rows = shop.rows().await;
    let mut events: Vec<Event<Value>> = rows
        .iter()
        .filter_map(|(_, value)| serde_json::from_slice(value).ok())
        .filter(|event: &Event<Value>| event.location_id == here)
        .collect();
    events.sort_by_key(|event| event.sequence);
    events
}

/// All products and categories in the order in which they were made, without what another shop
/// with the same content may have otherwise: ids, and times. A category is named by its name.
pub(crate) async fn content(shop: &Shop) -> (Vec<Value>, Vec<Value>) {
    let mut products = shop.products(&Filters::default(), false, 200).await;
    let mut categories = shop.categories(false, 200).await;
    for product in &mut products {
        let same = categories
            .iter()
            .find(|category| category["id"] == product["categoryId"]);
        product["categoryId"] = same.map_or(Value::Null, |category| category["name"].clone());
    }
    for records in [&mut products, &mut categories] {
        records.sort_by_key(|record| (record["createdAt"].to_string(), record["id"].to_string()));
        for record in records {
            let record = record.as_object_mut().unwrap();
            record.retain(|field, _| !["id", "createdAt", "updatedAt"].contains(&field.as_str()));
        }
    }
    (products, categories)
}
