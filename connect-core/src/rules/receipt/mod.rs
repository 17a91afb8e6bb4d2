//! Rules of journal rows: consistent figures of a register.

mod line;
mod vat;

pub(crate) use self::line::{Goods, lines};
use crate::wire::{
    Id, Line, Order, Payment, PaymentInput, PaymentMethod, Timestamp, Transaction,
    TransactionInput, TransactionType, VatAmount,
    limits::MAX_HOURS_AHEAD,
    read::{Faults, Invalid, missing},
};

/// The register's part of a journal row, with consistent figures.
#[derive(Clone, Debug)]
pub(crate) struct Receipt {
    pub(crate) kind: TransactionType,
    pub(crate) employee: Option<String>,
    pub(crate) total_cents: i64,
    pub(crate) discount_cents: i64,
    pub(crate) lines: Vec<Line>,
    pub(crate) payments: Vec<Payment>,
    pub(crate) vat: Vec<VatAmount>,
    pub(crate) refund_of: Option<Id<Transaction>>,
    pub(crate) order_id: Option<Id<Order>>,
    pub(crate) note: Option<String>,
    /// The time by the register's clock; `None` for now.
    pub(crate) created_at: Option<Timestamp>,
}

impl Receipt {
    /// Checks a register's row, and computes omitted figures.
    /// All faults are reported; those of the sums only once each line and payment is valid.
    ///
    /// # Errors
    /// A field is missing, has a value not allowed for its type of row, or does not add up. The message has
    /// the expected and the actual figure.
    pub(crate) fn check(mut input: TransactionInput) -> Result<Self, Invalid> {
        Faults::check_new(&mut input)?;
        let kind = input.kind.into_value().ok_or_else(|| missing("type"))?;
        let total_cents = (input.total_cents.into_value()).ok_or_else(|| missing("totalCents"))?;
        let payments = (input.payments.into_value()).ok_or_else(|| missing("payments"))?;
        let (sent_lines, sent_vat) = (input.lines.into_value(), input.vat.into_value());
        let goods = match kind {
            TransactionType::Sale => Some(Goods::Sold),
            TransactionType::Refund => Some(Goods::Returned),
            _ => None,
        };
        let sent_lines = sent_lines.unwrap_or_default();
        let lines = match goods {
            Some(_) if sent_lines.is_empty() => {
                let problem = format!("must have at least one entry in a {kind}");
                Err(Invalid::new("lines", problem))
            }
            Some(goods) => lines(sent_lines, goods),
            None if sent_lines.is_empty() => Ok(Vec::new()),
            None => Err(only_in("lines", "a sale or a refund", &kind)),
        };
        let mut faults = Faults::default();
        let lines = faults.take(lines).unwrap_or_default();
        let payments = faults.take(self::payments(payments)).unwrap_or_default();
        let receipt = Self {
            employee: input.employee.into_value(),
            total_cents,
            discount_cents: lines.iter().map(|line| line.discount_cents).sum(),
            payments,
            vat: vat::of_lines(&lines),
            lines,
            refund_of: input.refund_of.into_value(),
            order_id: input.order_id.into_value(),
            note: input.note.into_value(),
            created_at: input.created_at.into_value(),
            kind,
        };
        let can_add_up = faults.is_empty();
        receipt.check_links(&mut faults);
        if can_add_up {
            match goods {
                Some(_) => receipt.check_goods(&mut faults),
                None => receipt.check_cash(&mut faults),
            }
            let found = input.discount_cents.into_value();
            let expected = receipt.discount_cents;
            if let Some(found) = found.filter(|found| *found != expected) {
                let problem = format!("must be {expected}, the discount of all lines, not {found}");
                faults.add(Invalid::new("discountCents", problem));
            }
            if let Some(sent) = sent_vat {
                faults.take(vat::check(sent, &receipt.vat));
            }
        }
        faults.into_result().map(|()| receipt)
    }

    /// Refuses references in rows of the wrong type.
    fn check_links(&self, faults: &mut Faults) {
        let kind = &self.kind;
        let has_goods = matches!(kind, TransactionType::Sale | TransactionType::Refund);
        if self.refund_of.is_some() && *kind != TransactionType::Refund {
            faults.add(only_in("refundOf", "a refund", kind));
        }
        if self.order_id.is_some() && !has_goods {
            faults.add(only_in("orderId", "a sale or a refund", kind));
        }
    }

    /// Checks a sale or a refund.
    fn check_goods(&self, faults: &mut Faults) {
        let found = self.total_cents;
        let expected: i64 = self.lines.iter().map(|line| line.total_cents).sum();
        if found != expected {
            let problem = format!("must be {expected}, the sum of the lines, not {found}");
            faults.add(Invalid::new("totalCents", problem));
        }
        let paid: i64 = (self.payments.iter())
            .map(|payment| payment.amount_cents)
            .sum();
        if paid != expected {
            let problem = format!("must add up to {expected}, which is totalCents, not {paid}");
            faults.add(Invalid::new("payments", problem));
        }
    }

    /// Checks a row of a cash movement.
    fn check_cash(&self, faults: &mut Faults) {
        let (kind, total) = (&self.kind, self.total_cents);
        let (is_right, sign) = match kind {
            TransactionType::CashIn => (total > 0, "above 0"),
            TransactionType::CashOut => (total < 0, "below 0"),
            _ => (total >= 0, "0 or more"),
        };
        if !is_right {
            let problem = format!("must be {sign} in a row of type {kind}, not {total}");
            faults.add(Invalid::new("totalCents", problem));
        }
        let [payment] = &self.payments[..] else {
            let found = self.payments.len();
            let problem = format!(
                "must have one entry of method cash in a row of type {kind}, not {found} entries"
            );
            return faults.add(Invalid::new("payments", problem));
        };
        if payment.method != PaymentMethod::Cash {
            let found = &payment.method;
            let problem = format!("must be cash in a row of type {kind}, not {found}");
            faults.add(Invalid::new("payments[0].method", problem));
        }
        if is_right && payment.amount_cents != total {
            let found = payment.amount_cents;
            let problem = format!("must be {total}, which is totalCents, not {found}");
            faults.add(Invalid::new("payments[0].amountCents", problem));
        }
    }
}

/// Checks the time of a row set by a register.
///
/// # Errors
/// It is further in the future than a clock may be ahead.
pub(crate) fn check_time(created_at: Timestamp, now: Timestamp) -> Result<(), Invalid> {
    if created_at <= now.plus_seconds(MAX_HOURS_AHEAD * 3600) {
        return Ok(());
    }
    let problem = format!(
        "must be at most {MAX_HOURS_AHEAD} hours ahead of the time now, which is {now}, not \
         {created_at}"
    );
    Err(Invalid::new("createdAt", problem))
}

fn payments(inputs: Vec<PaymentInput>) -> Result<Vec<Payment>, Invalid> {
    let payment = |input: PaymentInput| {
        Ok(Payment {
            method: input.method.into_value().ok_or_else(|| missing("method"))?,
            amount_cents: (input.amount_cents.into_value())
                .ok_or_else(|| missing("amountCents"))?,
        })
    };
    let inputs = inputs.into_iter().enumerate();
    Faults::all(
        inputs.map(|(at, input)| {
            payment(input).map_err(|invalid| line::within("payments", at, invalid))
        }),
    )
}

fn only_in(field: &str, allowed: &str, kind: &TransactionType) -> Invalid {
    let problem = format!("can only be in {allowed}, not in a row of type {kind}");
    Invalid::new(field, problem)
}

#[cfg(test)]
mod tests;
