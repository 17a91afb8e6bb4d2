//! The rows of a queue: as they are pushed, as they are kept, and as they are set aside.

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
    Error,
    request::Request,
    wire::{
        ErrorCode, Field, Id, Order, OrderChange, OrderInput, Timestamp, TransactionInput,
        ZReportInput,
    },
};

/// A write that a device pushes to its queue.
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
    /// The bytes that are sent. They are kept as they are: the service takes a repeated write for
    /// the same one only if its body is the same.
    body: Box<RawValue>,
}

impl QueuedRow {
    /// A row with a key of its own. A journal row without a time happened `now`.
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

    /// The idempotency key that it is sent with.
    pub fn key(&self) -> Uuid {
        self.key
    }

    /// Its kind.
    pub fn kind(&self) -> RowKind {
        self.kind
    }

    /// Its body as JSON.
    pub fn body(&self) -> &str {
        self.body.get()
    }

    /// The request that writes it.
    pub(super) fn request(&self) -> Request {
        let body = Bytes::copy_from_slice(self.body().as_bytes());
        match self.kind {
            RowKind::Transaction => Request::post_bytes(TRANSACTIONS.to_owned(), body),
            RowKind::ZReport => Request::post_bytes(Z_REPORTS.to_owned(), body),
            RowKind::Order => Request::post_bytes(ORDERS.to_owned(), body),
            RowKind::OrderChange(id) => Request {
                method: Method::PATCH,
                ..Request::post_bytes(format!("{ORDERS}/{id}"), body)
            },
        }
    }

    /// Returns whether an error is the service's last word on this row. Others concern all rows:
    /// the network, a key that was revoked, a wrong address, an answer that is not the service's.
    pub(super) fn is_refused_by(&self, error: &Error) -> bool {
        let of_order = matches!(self.kind, RowKind::OrderChange(_));
        match (error.status(), error.code()) {
            (Some(400 | 409 | 413 | 422), Some(_)) => true,
            (Some(403), Some(ErrorCode::ForbiddenScope)) => of_order,
            (Some(404), Some(ErrorCode::NotFound)) => of_order,
            _ => false,
        }
    }
}

impl Keyed for QueuedRow {
    fn key(&self) -> Uuid {
        self.key
    }
}

impl Keyed for RefusedRow {
    fn key(&self) -> Uuid {
        self.row.key
    }
}

/// A row that the service refused for good.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[non_exhaustive]
pub struct RefusedRow {
    /// The row.
    pub row: QueuedRow,
    /// The status of the answer.
    pub status: u16,
    /// The service's stable code.
    pub code: Option<ErrorCode>,
    /// The reason, for people.
    pub message: String,
    /// The path of the field at fault.
    pub field: Option<String>,
}

impl RefusedRow {
    pub(super) fn new(row: QueuedRow, error: &Error) -> Self {
        Self {
            row,
            status: error.status().unwrap_or_default(),
            code: error.code().cloned(),
            message: error.api().map_or(String::new(), |api| api.message.clone()),
            field: error.field().map(str::to_owned),
        }
    }
}
