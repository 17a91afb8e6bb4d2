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
        ZReportInput, limits::IDEMPOTENCY_HOURS,
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
    /// The time at which it was first sent without an answer that says what became of it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) sent_at: Option<Timestamp>,
}

/// The time for which a row is sent again, in seconds. The service knows its key for an hour longer.
const REPEATED_FOR: i64 = (IDEMPOTENCY_HOURS - 1) * 3600;

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
        Ok(Self {
            key,
            kind,
            body,
            sent_at: None,
        })
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

    /// Returns whether it may have arrived so long ago that the service no longer knows its key: sent
    /// again, it would be written twice.
    pub(super) fn is_in_doubt(&self, now: Timestamp) -> bool {
        let sent_at = self.sent_at;
        sent_at.is_some_and(|sent_at| now > sent_at.plus_seconds(REPEATED_FOR))
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
            // A request that did not arrive as it was sent says nothing of the row.
            (Some(400), Some(_)) => !matches!(error.field(), Some("request" | "body")),
            (Some(409 | 413 | 422), Some(_)) => true,
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

/// A row that the service refused for good, or one of which nobody knows whether it arrived.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[non_exhaustive]
pub struct RefusedRow {
    /// The row.
    pub row: QueuedRow,
    /// The status of the answer; 0 when there was none.
    pub status: u16,
    /// The service's stable code.
    pub code: Option<ErrorCode>,
    /// The reason, for people.
    pub message: String,
    /// The path of the field at fault.
    pub field: Option<String>,
}

impl RefusedRow {
    /// A row of which nobody knows whether it arrived, and which is not sent again.
    pub(super) fn in_doubt(row: QueuedRow) -> Self {
        let sent_at = row.sent_at.map_or(String::new(), |time| time.to_string());
        Self {
            row,
            status: 0,
            code: None,
            message: format!(
                "was sent at {sent_at} and never answered, too long ago to be sent again: look \
                 whether it is there before you write it anew"
            ),
            field: None,
        }
    }

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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_row_that_may_have_arrived_is_not_repeated_once_its_key_may_be_forgotten() {
        let sent_at = Timestamp::EPOCH.plus_seconds(1_800_000_000);
        let closing = DeviceWrite::from(ZReportInput::default());
        let mut row = QueuedRow::new(closing, sent_at).unwrap();
        let at = |hours: i64| sent_at.plus_seconds(hours * 3600);
        assert!(!row.is_in_doubt(at(1000)), "it was never sent");
        row.sent_at = Some(sent_at);
        for (hours, is_in_doubt) in [(-5, false), (0, false), (23, false), (24, true)] {
            assert_eq!(row.is_in_doubt(at(hours)), is_in_doubt, "{hours} hours");
        }
        let refused = RefusedRow::in_doubt(row.clone());
        assert_eq!((refused.status, refused.row.key()), (0, row.key()));
        assert!(
            refused.message.contains(&sent_at.to_string()),
            "{}",
            refused.message
        );
    }
}
