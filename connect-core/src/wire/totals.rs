//! The sums of journal rows, for daily summaries and Z reports.

use serde::{Deserialize, Serialize};

use super::{PaymentMethod, Transaction, TransactionType, VatAmount};

/// The number of some rows, and the sum of their amounts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct Turnover {
    /// The number of rows.
    pub count: u64,
    /// The sum of their amounts in cents, VAT included; negative for refunds.
    pub total_cents: i64,
}

/// The payments by one means.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct PaymentTotal {
    /// The means.
    pub method: PaymentMethod,
    /// The number of payments.
    pub count: u64,
    /// The sum of their amounts, in cents.
    pub amount_cents: i64,
}

/// The sums of some sales and refunds.
/// Rows of other types change none of them.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct Totals {
    /// The sales.
    pub sales: Turnover,
    /// The refunds. Their amounts are negative.
    pub refunds: Turnover,
    /// The sum of all discounts, in cents.
    pub discount_cents: i64,
    /// Sales and refunds together, in cents, VAT included.
    pub net_cents: i64,
    /// The VAT of the receipts, summed by rate, lowest rate first.
    pub vat: Vec<VatAmount>,
    /// The payments by means: cash, card, voucher, invoice, other.
    pub payments: Vec<PaymentTotal>,
}

impl Totals {
    /// Adds a row.
    pub fn add(&mut self, row: &Transaction) {
        let turnover = match row.kind {
            TransactionType::Sale => &mut self.sales,
            TransactionType::Refund => &mut self.refunds,
            _ => return,
        };
        turnover.count += 1;
        turnover.total_cents += row.total_cents;
        self.discount_cents += row.discount_cents;
        self.net_cents += row.total_cents;
        for vat in &row.vat {
            self.add_vat(vat);
        }
        for payment in &row.payments {
            self.add_payments(&payment.method, 1, payment.amount_cents);
        }
    }

    /// Adds the sums of other rows, such as another day's.
    pub fn merge(&mut self, other: &Self) {
        for (own, other) in [
            (&mut self.sales, &other.sales),
            (&mut self.refunds, &other.refunds),
        ] {
            own.count += other.count;
            own.total_cents += other.total_cents;
        }
        self.discount_cents += other.discount_cents;
        self.net_cents += other.net_cents;
        for vat in &other.vat {
            self.add_vat(vat);
        }
        for paid in &other.payments {
            self.add_payments(&paid.method, paid.count, paid.amount_cents);
        }
    }

    fn add_vat(&mut self, vat: &VatAmount) {
        let place = self.vat.binary_search_by_key(&vat.vat_rate, |v| v.vat_rate);
        match place {
            Ok(place) => {
                let sum = &mut self.vat[place];
                sum.net_cents += vat.net_cents;
                sum.vat_cents += vat.vat_cents;
                sum.gross_cents += vat.gross_cents;
            }
            Err(place) => self.vat.insert(place, *vat),
        }
    }

    fn add_payments(&mut self, method: &PaymentMethod, count: u64, amount_cents: i64) {
        let place = self.payments.binary_search_by(|p| p.method.cmp(method));
        match place {
            Ok(place) => {
                self.payments[place].count += count;
                self.payments[place].amount_cents += amount_cents;
            }
            Err(place) => self.payments.insert(
                place,
                PaymentTotal {
                    method: method.clone(),
                    count,
                    amount_cents,
                },
            ),
        }
    }
}

impl<'r> Extend<&'r Transaction> for Totals {
    fn extend<I: IntoIterator<Item = &'r Transaction>>(&mut self, rows: I) {
        rows.into_iter().for_each(|row| self.add(row));
    }
}
