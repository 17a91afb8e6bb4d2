//! The rows of a queue, as pushed and as kept.

use bytes::Bytes;
use http::Method;
use serde::{Deserialize, Serialize};
use serde_json::value::{RawValue, to_raw_value};
use uuid::Uuid;

use super::{
    client::{ORDERS, TRANSACTIONS, Z_REPORTS},
    list::Keyed,
};
use crate::{
    ApiError, Error,
    call::request::Request,
    wire::{
        ErrorCode, Field, Id, Order, OrderChange, OrderInput, Timestamp, TransactionInput,
        ZReportInput,
    },
};

/// A write pushed by a device to its queue.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum DeviceWrite {
    /// A journal row.
    Transaction(Box<TransactionInput>),
    /// The closing of the register.
    ZReport(ZReportInput),
    /// A new order.
    Order(Box<OrderInput>),
    /// A change of an order.
    OrderChange(Id<Order>, OrderChange),
}

impl From<TransactionInput> for DeviceWrite {
    fn from(row: TransactionInput) -> Self {
        Self::Transaction(Box::new(row))
    }
}

impl From<ZReportInput> for DeviceWrite {
    fn from(closing: ZReportInput) -> Self {
        Self::ZReport(closing)
    }
}

impl From<OrderInput> for DeviceWrite {
    fn from(order: OrderInput) -> Self {
        Self::Order(Box::new(order))
    }
}

impl<I: Into<Id<Order>>> From<(I, OrderChange)> for DeviceWrite {
    fn from((id, change): (I, OrderChange)) -> Self {
        Self::OrderChange(id.into(), change)
    }
}

/// The kinds of row.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub enum RowKind {
    /// A journal row.
    Transaction,
    /// The closing of the register.
    ZReport,
    /// A new order.
    Order,
    /// A change of this order.
    OrderChange(Id<Order>),
}

/// A row as the queue keeps it.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct QueuedRow {
    key: Uuid,
    kind: RowKind,
    /// The bytes to send, kept unchanged.
    /// The service recognises a repeated write only if its body is the same.
    body: Box<RawValue>,
}

impl QueuedRow {
    /// Makes a row with a new key.
    /// A journal row without a time gets `now`.
    pub(super) fn new(write: DeviceWrite, now: Timestamp) -> Result<Self, serde_json::Error> {
        let (kind, body) = match write {
            DeviceWrite::Transaction(mut row) => {
                if row.created_at.is_absent() {
                    row.created_at = Field::Value(now);
                }
                (RowKind::Transaction, to_raw_value(&row)?)
            }
            DeviceWrite::ZReport(closing) => (RowKind::ZReport, to_raw_value(&closing)?),
            DeviceWrite::Order(order) => (RowKind::Order, to_raw_value(&order)?),
            DeviceWrite::OrderChange(id, change) => {
                (RowKind::OrderChange(id), to_raw_value(&change)?)
            }
        };
        let key = Uuid::new_v4();
        Ok(Self { key, kind, body })
    }

    /// Returns the idempotency key of the row.
    pub fn key(&self) -> Uuid {
        self.key
    }

    /// Returns the kind of the row.
    pub fn kind(&self) -> RowKind {
        self.kind
    }

    /// Returns the body as JSON.
    pub fn body(&self) -> &str {
        self.body.get()
    }

    /// Returns the pushed write, to be corrected and pushed again.
    /// Then it has another key, and goes to the end of the queue.
    ///
    /// # Errors
    /// The body does not fit its kind: another version wrote the file.
    pub fn to_write(&self) -> Result<DeviceWrite, serde_json::Error> {
        let body = self.body();
        Ok(match self.kind {
            RowKind::Transaction => serde_json::from_str::<TransactionInput>(body)?.into(),
            RowKind::ZReport => serde_json::from_str::<ZReportInput>(body)?.into(),
            RowKind::Order => serde_json::from_str::<OrderInput>(body)?.into(),
            RowKind::OrderChange(id) => (id, serde_json::from_str::<OrderChange>(body)?).into(),
        })
    }

    /// The request for writing the row.
    pub(super) fn request(&self) -> Request {
        let body = Bytes::copy_from_slice(self.body().as_bytes());
        let (method, path) = match self.kind {
            RowKind::Transaction => (Method::POST, TRANSACTIONS.to_owned()),
            RowKind::ZReport => (Method::POST, Z_REPORTS.to_owned()),
            RowKind::Order => (Method::POST, ORDERS.to_owned()),
            RowKind::OrderChange(id) => (Method::PATCH, format!("{ORDERS}/{id}")),
        };
        Request::of_bytes(method, path, body)
    }

    /// Returns whether an error is the service's final refusal of this row.
    /// Other errors concern all rows: the network, a key revoked or of another screen, a wrong address,
    /// or an answer possibly from a proxy.
    pub(super) fn is_refused_by(&self, error: &Error) -> bool {
        // There may be room soon: the row waits, with those behind it.
        if error.code() == Some(&ErrorCode::LimitReached) {
            return false;
        }
        let is_of_service = error.api().is_some_and(ApiError::is_of_service);
        match error.status().filter(|_| is_of_service) {
            // A request that did not arrive as it was sent says nothing of the row.
            Some(400) => !matches!(error.field(), Some("request" | "body")),
            Some(409 | 413 | 422) => true,
            Some(404) => self.may_be_unknown_to(error) && is_replayed(error),
            _ => false,
        }
    }

    /// Returns whether a 404 may mean the order or the address.
    /// A second answer to the same key tells: see [`is_refused_by`](Self::is_refused_by).
    pub(super) fn is_unclear_by(&self, error: &Error) -> bool {
        self.may_be_unknown_to(error) && !is_replayed(error)
    }

    fn may_be_unknown_to(&self, error: &Error) -> bool {
        matches!(self.kind, RowKind::OrderChange(_)) && error.code() == Some(&ErrorCode::NotFound)
    }
}

/// Returns whether an answer is the service's stored one for the key.
/// The service stores answers of the device API, but none for unknown paths.
fn is_replayed(error: &Error) -> bool {
    error.meta().is_some_and(|meta| meta.replayed)
}

impl Keyed for QueuedRow {
    fn key(&self) -> Uuid {
        self.key
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::wire::OrderStatus;

    #[test]
    fn a_row_gives_back_what_was_pushed() {
        let now = Timestamp::EPOCH.plus_seconds(1_800_000_000);
        let sale = TransactionInput {
            total_cents: Field::Value(250),
            created_at: Field::Value(now),
            note: Field::Null,
            ..TransactionInput::default()
        };
        let closing = ZReportInput {
            counted_cents: Field::Value(5),
        };
        let change = OrderChange {
            status: Field::Value(OrderStatus::Ready),
            ..OrderChange::default()
        };
        for write in [
            DeviceWrite::from(sale),
            closing.into(),
            OrderInput::default().into(),
            (Uuid::from_u128(7), change).into(),
        ] {
            let row = QueuedRow::new(write.clone(), now).unwrap();
            assert_eq!(row.to_write().unwrap(), write);
        }
    }
}
