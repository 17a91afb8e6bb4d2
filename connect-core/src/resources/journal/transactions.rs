//! Journal rows: lists, reads, and writes by registers.

use std::ops::Bound;

use async_trait::async_trait;
use serde::Deserialize;

use super::{
    super::{lines, orders, stock},
    bounds, days, find,
    register::{self, RegisterPeriod},
    stored::{self, Within},
};
use crate::{
    auth::{Access, Actor},
    engine::{
        Answer, Change, Connect, Listed, Outcome, Readable, Request, Reversible, RowFilter, Rows,
        Write,
    },
    rules::{
        receipt::{self, Receipt},
        zone,
    },
    storage::Value,
    transaction::{
        Error, ReadKey, Reads, Refusal, Relations, Row, Stored, UnitOfWork, keys::Family,
    },
    wire::{
        Date, EventType, Id, Register, Timestamp, Transaction, TransactionInput, TransactionType,
        query::TransactionQuery, read::Invalid,
    },
};

impl Row for Transaction {
    type Key = u64;
    const ROWS: Family = Family::Transaction;
    const IN_ORDER: Option<Family> = None;
    const TOMBSTONES: Option<Family> = None;

    fn key(&self) -> u64 {
        self.receipt_number
    }

    fn key_in(row: &[u8]) -> serde_json::Result<u64> {
        #[derive(Deserialize)]
        #[serde(rename_all = "camelCase")]
        struct ReceiptField {
            receipt_number: u64,
        }
        serde_json::from_slice(row).map(|row: ReceiptField| row.receipt_number)
    }
}

impl Stored for Transaction {
    const FAMILY: Family = Family::Transaction;

    fn relations(&self, at: &ReadKey) -> Relations {
        let number = self.receipt_number;
        let misplaced = || format!("the row holds receipt {number}, which is another");
        let entry = find::by_id(at.partition, self.id);
        Relations {
            misplaced: (at.number() != Some(number)).then(misplaced),
            entries: vec![(entry, number.to_be_bytes().as_slice().into())],
            ..Relations::named(format!("transaction {}", self.id))
        }
    }
}

#[async_trait]
impl Listed for Transaction {
    const NAME: &'static str = "transaction";
    const LIST: &'static str = "transactions";
    type Query = TransactionQuery;

    async fn bounds(
        query: &TransactionQuery,
        connect: &Connect,
        access: &Access,
    ) -> Result<(Bound<u64>, Bound<u64>), Error> {
        let (first, last) = bounds::bounds(connect, access.partition(), times(query)?).await?;
        let since = query.since_receipt;
        let is_later = |since: &u64| match first {
            Bound::Included(first) => first <= *since,
            // No row is as late.
            Bound::Excluded(_) => false,
            Bound::Unbounded => true,
        };
        Ok((since.filter(is_later).map_or(first, Bound::Excluded), last))
    }

    fn filter(query: &TransactionQuery, _: &Access) -> Result<Option<RowFilter>, Error> {
        let ((from, to), kind) = (times(query)?, query.kind.clone());
        if from.is_none() && to.is_none() && kind.is_none() {
            return Ok(None);
        }
        let within = Within::new(from, to);
        Ok(Some(Box::new(move |row| {
            let is_of = |kind| stored::is_of(kind, row);
            Ok(within.has(row)? && kind.as_ref().map_or(Ok(true), is_of)?)
        })))
    }
}

impl Reversible for Transaction {}

impl Readable for Transaction {
    const BY_ID: Option<Family> = Some(Family::TransactionById);
}

/// The start (inclusive) and the end (exclusive) of the queried range.
fn times(query: &TransactionQuery) -> Result<(Option<Timestamp>, Option<Timestamp>), Error> {
    zone::times(&query.period).map_err(|invalid| Error::Malformed(invalid.into()))
}

/// A new row from a register.
struct Append {
    receipt: Receipt,
    /// The expected day of the row.
    /// Without a time of its own, the row may get the next day if midnight passes.
    day: Date,
}

#[async_trait]
impl Change for Append {
    fn reads(&self, access: &Access, reads: &mut Reads) {
        let location = access.partition();
        days::reads(location, self.day, reads);
        if let Actor::Screen { id, .. } = access.actor() {
            reads.shared_row(RegisterPeriod::key(location, id.uuid()));
        }
        if let Some(sale) = self.receipt.refund_of {
            find::reads(sale, reads);
        }
        if let Some(order) = self.receipt.order_id {
            orders::reads_of_paid(order, reads);
        }
        let sold = &self.receipt.lines;
        stock::reads_of_sale(sold.iter().filter_map(|line| line.product_id), reads);
        lines::reads(sold, reads);
    }

    fn more_reads(&self, _: &Access, unit: &UnitOfWork<'_>, reads: &mut Reads) {
        stock::reads_of_sale(lines::known_products(&self.receipt.lines, unit), reads);
    }

    async fn apply(&self, unit: &mut UnitOfWork<'_>, access: &Access) -> Result<Answer, Error> {
        let register = register::acting(access)?;
        let created_at = self.receipt.created_at.unwrap_or(unit.now());
        receipt::check_time(created_at, unit.now())?;
        if let Some(sale) = self.receipt.refund_of {
            check_sale(unit, sale).await?;
        }
        let mut receipt = self.receipt.clone();
        lines::name_products(unit, &mut receipt.lines).await?;
        let row = numbered(unit, access, receipt, register, created_at);
        let mut period = RegisterPeriod::of(unit, row.register.id.uuid()).await?;
        period.add(&row);
        period.save(unit, row.register.id.uuid());
        days::add(unit, access, &row).await?;
        unit.append(&row);
        let number = row.receipt_number.to_be_bytes();
        let by_id = find::by_id(unit.partition(), row.id);
        unit.put_new(by_id, Value::from(number.as_slice()));
        unit.emit(EventType::TransactionCreated, &row);
        orders::paid(unit, &row).await?;
        stock::sold(unit, access, &row).await?;
        Answer::with(Outcome::Created, &row)
    }

    /// Counts the row and its lines: the stock of each may move.
    fn weight(&self) -> usize {
        1 + self.receipt.lines.len()
    }
}

/// The row of a receipt, with the fields set by the service.
fn numbered(
    unit: &mut UnitOfWork<'_>,
    access: &Access,
    receipt: Receipt,
    register: Register,
    created_at: Timestamp,
) -> Transaction {
    Transaction {
        id: unit.next_id().into(),
        receipt_number: unit.next_number(Family::Transaction),
        kind: receipt.kind,
        register,
        employee: receipt.employee,
        currency: access.location().currency.clone(),
        total_cents: receipt.total_cents,
        discount_cents: receipt.discount_cents,
        lines: receipt.lines,
        payments: receipt.payments,
        vat: receipt.vat,
        refund_of: receipt.refund_of,
        order_id: receipt.order_id,
        note: receipt.note,
        created_at,
    }
}

/// Requires the refunded row to be a sale of this location.
async fn check_sale(unit: &mut UnitOfWork<'_>, id: Id<Transaction>) -> Result<(), Error> {
    let refused = |problem| Err(Invalid::new("refundOf", problem).into());
    match find::find(unit, id).await?.map(|row| row.kind) {
        Some(TransactionType::Sale) => Ok(()),
        Some(kind) => refused(format!("must be a sale, and {id} is a row of type {kind}")),
        None => refused(format!("there is no sale {id} at this location")),
    }
}

impl Rows<Transaction> {
    /// Writes a row as the register of this access.
    /// Await it for the stored row.
    ///
    /// # Errors
    /// The caller is no register, a field is missing or invalid, the figures do not add up, or the
    /// row names a missing record.
    pub fn write(&self, row: TransactionInput) -> Write<Transaction> {
        let rows = self.clone();
        Write::new("write", self.target(), row, move |request| {
            Box::pin(async move { rows.write_json(request).await })
        })
    }

    /// The same for a server: body and answer are JSON.
    ///
    /// # Errors
    /// As [`write`](Self::write).
    pub async fn write_json(&self, request: Request<TransactionInput>) -> Result<Answer, Refusal> {
        register::acting(self.access())?;
        let now = self.connect.now();
        let change = move |input| {
            let receipt = Receipt::check(input)?;
            let day = zone::day_of(receipt.created_at.unwrap_or(now));
            Ok(Box::new(Append { receipt, day }) as _)
        };
        self.connect.write(&self.access, request, change).await
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_stored_row_has_its_number() {
        assert_eq!(
            Transaction::key_in(br#"{ "receiptNumber": 7 }"#).unwrap(),
            7
        );
        Transaction::key_in(b"{}").unwrap_err();
    }
}
