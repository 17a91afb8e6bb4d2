//! Journal rows and orders, naming each other (specification: Transaction, Orders).

use serde::{Deserialize, Serialize};

use super::{Id, Line, Payment, Timestamp, VatAmount, open_enum::open_enum};

open_enum! {
    /// The type of a journal row.
    TransactionType {
        /// A sale.
        Sale = "sale",
        /// Money given back for sold goods.
        Refund = "refund",
        /// The cash in the register at its opening.
        OpeningFloat = "opening_float",
        /// Cash put in.
        CashIn = "cash_in",
        /// Cash taken out.
        CashOut = "cash_out",
    }
}

/// A register, as named in its rows.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[non_exhaustive]
pub struct Register {
    /// The id of its screen.
    pub id: Id<Self>,
    /// Its name at the time.
    pub name: String,
}

/// A journal row of a register. It never changes.
///
/// Amounts are signed as money moves into the register: sales, opening floats and cash in are
/// positive; refunds and cash out are negative, including their lines. So any set of rows adds up.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct Transaction {
    /// Its id.
    pub id: Id<Self>,
    /// 1, 2, 3, ... per location in order of arrival, without gaps.
    pub receipt_number: u64,
    /// The type.
    #[serde(rename = "type")]
    pub kind: TransactionType,
    /// The register of the row.
    pub register: Register,
    /// The name of the employee.
    pub employee: Option<String>,
    /// The ISO code of the location's currency.
    #[cfg_attr(feature = "schema", schemars(regex(pattern = "^[A-Z]{3}$")))]
    pub currency: String,
    /// The sum of the payments, in cents.
    /// For sales and refunds also the sum of the lines.
    pub total_cents: i64,
    /// The amount taken off all lines, in cents; 0 or more.
    pub discount_cents: i64,
    /// The articles. Only sales and refunds have some.
    pub lines: Vec<Line>,
    /// The payments.
    /// Opening floats, cash in and cash out have one, in cash.
    pub payments: Vec<Payment>,
    /// The VAT by rate, lowest rate first.
    /// Only sales and refunds have some.
    pub vat: Vec<VatAmount>,
    /// The refunded sale.
    pub refund_of: Option<Id<Self>>,
    /// The paid order.
    pub order_id: Option<Id<Order>>,
    /// A remark for people.
    pub note: Option<String>,
    /// The time of the transaction, by the register's clock.
    /// An offline register delivers late.
    pub created_at: Timestamp,
}

open_enum! {
    /// The kind of screen an order was made on.
    OrderSource {
        /// A kiosk.
        Kiosk = "kiosk",
        /// The customer's own phone.
        ScanAndOrder = "scan_and_order",
    }
}

open_enum! {
    /// The state of an order.
    /// It moves forward in this order, and steps may be skipped. Any order not yet completed can be
    /// cancelled; `completed` and `cancelled` are final.
    OrderStatus {
        /// Just made.
        New = "new",
        /// Accepted.
        Accepted = "accepted",
        /// In preparation.
        Preparing = "preparing",
        /// Ready.
        Ready = "ready",
        /// Handed over.
        Completed = "completed",
        /// Cancelled.
        Cancelled = "cancelled",
    }
}

open_enum! {
    /// The state of the payment of an order.
    PaymentStatus {
        /// Not paid yet.
        Unpaid = "unpaid",
        /// Paid.
        Paid = "paid",
        /// Paid back.
        Refunded = "refunded",
    }
}

open_enum! {
    /// The place where an order is eaten.
    Fulfilment {
        /// Here.
        DineIn = "dine_in",
        /// Elsewhere.
        Takeaway = "takeaway",
    }
}

/// An order of a kiosk or of Scan & Order.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct Order {
    /// Its id.
    pub id: Id<Self>,
    /// 1, 2, 3, ... per location, without gaps.
    pub number: u64,
    /// The kind of screen it was made on.
    pub source: OrderSource,
    /// Its state.
    pub status: OrderStatus,
    /// The state of its payment.
    pub payment_status: PaymentStatus,
    /// The place where it is eaten.
    pub fulfilment: Fulfilment,
    /// The table.
    pub table_label: Option<String>,
    /// The name to call out.
    pub customer_name: Option<String>,
    /// A remark for the kitchen.
    pub note: Option<String>,
    /// The ISO code of the location's currency.
    #[cfg_attr(feature = "schema", schemars(regex(pattern = "^[A-Z]{3}$")))]
    pub currency: String,
    /// The sum of the lines, in cents, VAT included.
    pub total_cents: i64,
    /// The articles.
    pub lines: Vec<Line>,
    /// The sale paying the order.
    pub transaction_id: Option<Id<Transaction>>,
    /// The time of its creation.
    pub created_at: Timestamp,
    /// The time of the last change, on the location's change clock.
    pub updated_at: Timestamp,
}
