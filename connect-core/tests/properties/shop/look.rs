//! Looking at what is there: lists page by page, events, and every row of the storage.

use connect_core::{
    Error, Listed, Rows,
    storage::{Entry, Range, Read},
    wire::{
        Category, Event, OptionGroup, Product, Timestamp,
        query::{
            CategoryQuery, EventQuery, OptionGroupQuery, PageQuery, ProductQuery, StockLevelQuery,
            StockMovementQuery, SyncQuery, TransactionQuery, ZReportQuery,
        },
    },
};
use serde::Serialize;
use serde_json::{Value, json};

use super::Shop;
use crate::properties::model::Kind;

/// The parts of a list.
#[derive(Clone, Debug, Default)]
pub(crate) struct Filters {
    pub(crate) external_id: Option<String>,
    pub(crate) barcode: Option<String>,
    pub(crate) category: Option<String>,
    pub(crate) since: Option<Timestamp>,
    pub(crate) deleted: bool,
}

impl Shop {
    /// One page of a list; the records and the next cursor.
    pub(crate) async fn page(
        &self,
        kind: Kind,
        filters: &Filters,
        limit: usize,
        cursor: Option<String>,
    ) -> (Vec<Value>, Option<String>) {
        let here = self.connect.location(&self.at);
        let sync = SyncQuery {
            limit: Some(limit),
            cursor,
            updated_since: filters.since,
            include_deleted: filters.deleted,
        };
        let external_id = filters.external_id.clone();
        let page = match kind {
            Kind::Category => {
                let page = here
                    .json::<Category>()
                    .list(&CategoryQuery { sync, search: None })
                    .await;
                page.unwrap().into_bytes()
            }
            Kind::Group => {
                let query = OptionGroupQuery {
                    sync,
                    external_id,
                    search: None,
                };
                let page = here.json::<OptionGroup>().list(&query).await;
                page.unwrap().into_bytes()
            }
            _ => {
                let query = ProductQuery {
                    search: None,
                    sync,
                    external_id,
                    barcode: filters.barcode.clone(),
                    category_id: filters.category.as_ref().map(|id| id.parse().unwrap()),
                };
                let page = here.json::<Product>().list(&query).await;
                page.unwrap().into_bytes()
            }
        };
        opened(serde_json::from_slice(&page).unwrap(), limit)
    }

    /// All of a list, read in pages of `limit`.
    pub(crate) async fn list(&self, kind: Kind, filters: &Filters, limit: usize) -> Vec<Value> {
        let here = self.connect.location(&self.at);
        let all = match kind {
            Kind::Movement => {
                rows(
                    &here.stock().movements(),
                    StockMovementQuery::default(),
                    limit,
                )
                .await
            }
            Kind::Receipt => rows(&here.transactions(), TransactionQuery::default(), limit).await,
            Kind::Report => rows(&here.z_reports(), ZReportQuery::default(), limit).await,
            Kind::Event => {
                let events = rows(&here.events(), EventQuery::default(), limit).await;
                let location = json!(self.at.location().id);
                let told = events.unwrap().into_iter().map(|mut event| {
                    let fields = event.as_object_mut().unwrap();
                    assert_eq!(fields.remove("locationId").as_ref(), Some(&location));
                    assert!(fields.remove("id").unwrap().is_string());
                    event
                });
                Ok(told.collect())
            }
            _ => Ok(self.synced(kind, filters, limit).await),
        };
        all.unwrap()
    }

    async fn synced(&self, kind: Kind, filters: &Filters, limit: usize) -> Vec<Value> {
        let (mut all, mut cursor) = (Vec::new(), None);
        loop {
            let (records, next) = match kind {
                Kind::Level => self.levels(filters, limit, cursor).await,
                _ => self.page(kind, filters, limit, cursor).await,
            };
            goes_on(&all, &records);
            all.extend(records);
            if next.is_none() {
                return all;
            }
            cursor = next;
        }
    }

    async fn levels(
        &self,
        filters: &Filters,
        limit: usize,
        cursor: Option<String>,
    ) -> (Vec<Value>, Option<String>) {
        let mut query = StockLevelQuery::default();
        query.sync.limit = Some(limit);
        query.sync.cursor = cursor;
        query.sync.updated_since = filters.since;
        let stock = self.connect.location(&self.at).stock();
        opened(json!(stock.list_with_deleted(&query).await.unwrap()), limit)
    }

    /// The journal rows found by a query.
    pub(crate) async fn receipts(&self, query: &TransactionQuery) -> Result<Vec<Value>, Error> {
        let here = self.connect.location(&self.at);
        rows(
            &here.transactions(),
            query.clone(),
            query.paging.limit.unwrap(),
        )
        .await
    }

    /// The level of a product, if it has one.
    pub(crate) async fn level(&self, product: &Value) -> Option<Value> {
        let stock = self.connect.location(&self.at).stock();
        let product: uuid::Uuid = product.as_str().unwrap().parse().unwrap();
        stock.get(product).await.ok().map(|level| json!(level))
    }

    /// The movements of the stock of a product.
    pub(crate) async fn movements(&self, product: &Value) -> Vec<Value> {
        let query = StockMovementQuery {
            product_id: Some(product.as_str().unwrap().parse().unwrap()),
            ..StockMovementQuery::default()
        };
        let stock = self.connect.location(&self.at).stock();
        rows(&stock.movements(), query, 7).await.unwrap()
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

/// All rows of a list, read in pages of `limit`.
async fn rows<R: Listed + Serialize>(
    of: &Rows<R>,
    mut query: R::Query,
    limit: usize,
) -> Result<Vec<Value>, Error> {
    let mut all = Vec::new();
    query.set_limit(limit);
    loop {
        let (found, next) = opened(json!(of.list(&query).await?), limit);
        all.extend(found);
        let Some(next) = next else { return Ok(all) };
        query.set_cursor(next);
    }
}

/// A page starts behind the one before it. A list that goes in circles would have no end.
fn goes_on(before: &[Value], page: &[Value]) {
    let id = |record: &Value| record.get("productId").unwrap_or(&record["id"]).to_string();
    let place = |record: &Value| (record["updatedAt"].to_string(), id(record));
    if let (Some(last), Some(first)) = (before.last(), page.first()) {
        assert!(place(last) < place(first), "{first} is listed after {last}");
    }
}

/// The records of a page and the cursor of the next. A page is full unless it is the last.
fn opened(page: Value, limit: usize) -> (Vec<Value>, Option<String>) {
    let records = page["data"].as_array().unwrap().clone();
    let cursor = page["nextCursor"].as_str().map(str::to_owned);
    assert!(records.len() <= limit && (cursor.is_none() || records.len() == limit));
    (records, cursor)
}

/// The events of a shop in the order of their numbers.
pub(crate) async fn events(shop: &Shop) -> Vec<Event<Value>> {
    let here = shop.connect.location(&shop.at);
    let events = rows(&here.events(), EventQuery::default(), 200)
        .await
        .unwrap();
    serde_json::from_value(events.into()).unwrap()
}
