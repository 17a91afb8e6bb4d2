//! The rules for rows of the journal.

use std::sync::Arc;

use super::{
    ProblemKind,
    claim::{Claim, Mend},
    declared,
    findings::Findings,
    journal_sums::JournalSums,
};
use crate::{
    resources::{DayArticles, RegisterPeriod, day_key, day_number},
    rules::zone,
    storage::Value,
    transaction::{
        ReadKey,
        keys::{Family, KeyPart, key},
    },
    wire::{DailySummary, Order, Transaction, TransactionType, ZReport},
};

/// Checks a journal row.
/// Its number agrees with its key and follows the previous one, and the index of ids leads to it.
pub(super) fn transaction(findings: &mut Findings, at: &ReadKey, row: &Value) {
    let Some(number) = at.number() else { return };
    let before = findings.partition.last_receipt.replace(number);
    let expected = before.unwrap_or_default() + 1;
    if number != expected {
        let message = format!("receipt {number} comes where {expected} should be");
        findings.bad(message);
    }
    let Some(row) = declared::row::<Transaction>(findings, at, row) else {
        return;
    };
    let day = zone::day_of(row.created_at);
    sums(findings).add_row(day, &row);
    let fault = move |summary: DailySummary| {
        (summary.last_receipt_number < Some(number))
            .then(|| format!("receipt {number} is of {day}, whose summary ends before it"))
    };
    findings.claim_here(Claim::agreeing(
        day_key(at.partition, day),
        ProblemKind::MissingReference,
        Some(format!(
            "receipt {number} is of {day}, which has no summary"
        )),
        fault,
    ));
    for claim in findings.partition.registers.add_row(&row) {
        findings.claim(claim);
    }
    links(findings, at, &row);
}

/// Claims: the refunded sale and the order of a journal row exist.
/// The order of a sale must also name the sale.
fn links(findings: &mut Findings, at: &ReadKey, row: &Transaction) {
    let number = row.receipt_number;
    if let Some(sale) = row.refund_of {
        let message = format!("receipt {number} refunds transaction {sale}, which is not there");
        findings.refers_to(Family::TransactionById, sale.uuid(), message);
    }
    let Some(id) = row.order_id else { return };
    let sale = (row.kind == TransactionType::Sale).then_some(row.id);
    findings.partition.sales_of_orders += u64::from(sale.is_some());
    let fault = move |order: Order| {
        let leads_back = sale.is_none() || order.transaction_id == sale;
        (!leads_back).then(|| format!("receipt {number} is of order {id}, which does not name it"))
    };
    let missing = format!("receipt {number} is of order {id}, which is not there");
    findings.claim_here(Claim::agreeing(
        key(at.partition, Family::Order, &[KeyPart::Id(id.uuid())]),
        ProblemKind::MissingReference,
        // It may have been removed for its age.
        (!findings.partition.purges_orders()).then_some(missing),
        fault,
    ));
}

/// Checks an entry from an id to a journal row.
pub(super) fn transaction_by_id(findings: &mut Findings, at: &ReadKey, row: &Value) {
    if receipt_number(findings, row).is_some() {
        declared::entry(findings, at, row);
    }
}

/// Checks a daily summary: it agrees with its key.
/// Its last row must exist, and be of the same day.
pub(super) fn day(findings: &mut Findings, at: &ReadKey, row: &Value) {
    let Some(summary) = findings.parse::<DailySummary>(row) else {
        return;
    };
    let date = summary.date;
    if day_key(at.partition, date) != *findings.key() {
        return findings.bad(format!("the summary is of {date}, which is another day"));
    }
    let last = summary.last_receipt_number;
    sums(findings).add_day(&summary);
    tells_of(findings, last);
    match last {
        Some(last) => leads_to_row(findings, at, last, move |row| {
            zone::day_of(row.created_at) == date
        }),
        None => findings.bad(format!("the summary of {date} is of no row")),
    }
}

/// Checks the articles of a day: they agree with their key.
/// Their last row must exist, and be of the same day.
pub(super) fn articles(findings: &mut Findings, at: &ReadKey, row: &Value) {
    let Some(articles) = findings.parse::<DayArticles>(row) else {
        return;
    };
    let Some(day) = at.number() else { return };
    leads_to_row(findings, at, articles.last_receipt_number, move |row| {
        day_number(zone::day_of(row.created_at)) == day
    });
}

/// Checks the entry of a day later than any before.
/// It holds the receipt number of the day's first row.
pub(super) fn receipt_from(findings: &mut Findings, at: &ReadKey, row: &Value) {
    let Some(number) = receipt_number(findings, row) else {
        return;
    };
    let Some(day) = at.number() else { return };
    sums(findings).add_from(day, number);
    leads_to_row(findings, at, number, move |row| {
        day_number(zone::day_of(row.created_at)) == day
    });
}

/// Checks the entry of a day followed only by later days.
/// All rows after the day's last row are of later days.
pub(super) fn receipt_up_to(findings: &mut Findings, at: &ReadKey, row: &Value) {
    findings.is_empty(row);
    let Some(day) = at.number() else { return };
    sums(findings).add_up_to(day);
    findings.refers(
        key(at.partition, Family::JournalDay, &[KeyPart::Number(day)]),
        "an entry leads to a day that has no summary".to_owned(),
    );
    findings.mended_by(Some(Mend::Remove));
}

/// Checks the sums of a register since its last Z report.
pub(super) fn register_period(findings: &mut Findings, at: &ReadKey, row: &Value) {
    if let (Some(period), Some(register)) = (findings.parse::<RegisterPeriod>(row), at.id()) {
        for claim in findings.partition.registers.add_period(register, &period) {
            findings.claim(claim);
        }
    }
}

/// Checks the key of a Z report, and its entry by closing.
/// Its number and sums are checked with the rows of the journal.
pub(super) fn z_report(findings: &mut Findings, at: &ReadKey, row: &Value) {
    if let Some(report) = declared::row::<ZReport>(findings, at, row) {
        tells_of(findings, report.last_receipt_number);
    }
}

/// The sums of the journal so far.
fn sums(findings: &mut Findings) -> &mut JournalSums {
    Arc::make_mut(&mut findings.partition.journal)
}

/// Records a receipt number named by another row.
/// The receipt itself may be lost.
fn tells_of(findings: &mut Findings, receipt: Option<u64>) {
    let told = &mut findings.partition.told_receipt;
    *told = receipt.unwrap_or_default().max(*told);
}

/// Reads the receipt number in an entry.
fn receipt_number(findings: &mut Findings, row: &Value) -> Option<u64> {
    let number = <[u8; 8]>::try_from(&**row).ok().map(u64::from_be_bytes);
    if number.is_none() {
        findings.bad("the row holds no receipt number".to_owned());
    }
    tells_of(findings, number);
    number
}

/// Claims: a journal row exists, and belongs to this entry.
/// `has` returns true for such a row. The claim has no repair: bounds of days stay after the loss of a
/// row, since other rows still need them.
fn leads_to_row(
    findings: &mut Findings,
    at: &ReadKey,
    number: u64,
    has: impl Fn(&Transaction) -> bool + Send + Sync + 'static,
) {
    let row = key(
        at.partition,
        Family::Transaction,
        &[KeyPart::Number(number)],
    );
    let has = move |row: &Value| serde_json::from_slice(row).map_or(true, |row| has(&row));
    let claim = Claim::row(findings.key(), row, has);
    findings.claim(claim);
    findings.mended_by(None);
}
