//! The list of orders: by `createdAt`, or with `updatedSince` by `updatedAt`.

use std::ops::Bound;

use serde::{Deserialize, Serialize};
use uuid::Uuid;

use super::Orders;
use crate::{
    engine::{Filter, Json, PageRequest},
    rules::zone,
    storage::Value,
    transaction::{AccessPath, Error, Fault, KeyRange, Row, TimeKey, changed_in, keys::Family},
    wire::{
        Order, OrderSource, OrderStatus, Page, Timestamp,
        query::{OrderQuery, Period},
    },
};

const LIST: &str = "orders";

/// An order, sorted by its last change.
#[derive(Serialize)]
struct OrderByChange(Order);

impl Row for OrderByChange {
    type Key = TimeKey;
    const ROWS: Family = Family::Order;
    const IN_ORDER: Option<Family> = Some(Family::OrderByUpdate);
    const TOMBSTONES: Option<Family> = None;

    fn key(&self) -> TimeKey {
        (self.0.updated_at, self.0.id.uuid())
    }

    fn key_in(row: &[u8]) -> serde_json::Result<TimeKey> {
        changed_in(row)
    }
}

/// The fields of an order used by filters.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Filtered {
    status: OrderStatus,
    source: OrderSource,
    created_at: Timestamp,
}

impl Orders {
    /// Returns a page of the list as JSON, for a server.
    ///
    /// # Errors
    /// A query parameter is bad.
    pub async fn list_json(&self, query: &OrderQuery) -> Result<Json<Page<Order>>, Error> {
        let (connect, access) = (&self.connect, &self.access);
        let period = Period {
            from: query.from,
            to: query.to,
        };
        let (from, to) =
            zone::times(&period).map_err(|invalid| Error::Malformed(invalid.into()))?;
        let is_by_change = query.sync.updated_since.is_some();
        let passes = |row: &Value| {
            let order: Filtered =
                serde_json::from_slice(row).map_err(|e| Fault::corrupt(b"a listed order", e))?;
            let is_in_time = from.is_none_or(|from| order.created_at >= from)
                && to.is_none_or(|to| order.created_at < to);
            Ok(query
                .status
                .as_ref()
                .is_none_or(|wanted| order.status == *wanted)
                && query
                    .source
                    .as_ref()
                    .is_none_or(|wanted| order.source == *wanted)
                && is_in_time)
        };
        let has_filter = query.status.is_some()
            || query.source.is_some()
            || (is_by_change && (from.is_some() || to.is_some()));
        let filter = has_filter.then_some(&passes as Filter<'_>);
        let all = AccessPath::All;
        if is_by_change {
            let request = PageRequest::of(LIST, access, query, connect.now())?;
            let page = connect.page::<OrderByChange>(access, &request, all, all, filter);
            return Ok(page.await?.retyped());
        }
        let place = |time: Timestamp| (time, Uuid::nil());
        let whole = KeyRange {
            from: from.map_or(Bound::Unbounded, |from| Bound::Included(place(from))),
            to: to.map_or(Bound::Unbounded, |to| Bound::Excluded(place(to))),
            newest_first: self.newest_first,
        };
        let request = PageRequest::of_rows(LIST, access, query, whole, connect.now())?;
        connect
            .page::<Order>(access, &request, all, all, filter)
            .await
    }
}
