//! Z reports: the closings of registers (specification: Z report).

use serde::{Deserialize, Serialize};

use super::{Id, PaymentMethod, Register, Timestamp, Totals, Transaction, TransactionType};

/// The closing of a register.
/// It covers all journal rows since the previous closing. Every row is in exactly one.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct ZReport {
    /// Its id.
    pub id: Id<Self>,
    /// 1, 2, 3, ... per register, without gaps.
    pub number: u64,
    /// The register.
    pub register: Register,
    /// The ISO code of the location's currency.
    #[cfg_attr(feature = "schema", schemars(regex(pattern = "^[A-Z]{3}$")))]
    pub currency: String,
    /// The time of the earliest row, not later than `closedAt`.
    /// Without rows, the time of the previous closing. For a first closing without rows,
    /// `closedAt`.
    pub opened_at: Timestamp,
    /// The time of the closing.
    pub closed_at: Timestamp,
    /// The lowest receipt number; `null` without rows.
    pub first_receipt_number: Option<u64>,
    /// The highest receipt number; `null` without rows.
    pub last_receipt_number: Option<u64>,
    /// The sums of the sales and refunds.
    #[serde(flatten)]
    pub totals: Totals,
    /// The cash.
    pub cash: Cash,
}

/// The cash of a register between two closings, in cents.
/// Amounts are signed as cash moves into the register.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct Cash {
    /// The opening floats.
    pub opening_float_cents: i64,
    /// The cash payments of sales.
    pub sales_cents: i64,
    /// The cash payments of refunds; 0 or negative.
    pub refunds_cents: i64,
    /// The cash put in.
    pub in_cents: i64,
    /// The cash taken out; 0 or negative.
    pub out_cents: i64,
    /// The sum of all these amounts: the cash the register should hold.
    pub expected_cents: i64,
    /// The counted cash; `null` without a count.
    pub counted_cents: Option<i64>,
    /// The counted cash less the expected cash; `null` without a count.
    pub difference_cents: Option<i64>,
}

impl Cash {
    /// Adds the cash payments of a row.
    pub fn add(&mut self, row: &Transaction) {
        let payments = row.payments.iter();
        let cash = payments.filter(|payment| payment.method == PaymentMethod::Cash);
        let cash: i64 = cash.map(|payment| payment.amount_cents).sum();
        let sum = match row.kind {
            TransactionType::OpeningFloat => &mut self.opening_float_cents,
            TransactionType::Sale => &mut self.sales_cents,
            TransactionType::Refund => &mut self.refunds_cents,
            TransactionType::CashIn => &mut self.in_cents,
            TransactionType::CashOut => &mut self.out_cents,
            TransactionType::Unknown(_) => return,
        };
        *sum += cash;
        self.expected_cents += cash;
    }
}
