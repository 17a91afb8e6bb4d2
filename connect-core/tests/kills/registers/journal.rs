//! The receipts, the daily summaries and the Z reports agree.

use std::collections::{BTreeMap, HashSet};

use connect_core::{
    Actor,
    wire::{
        Cash, Timestamp, Totals, Transaction, TransactionType, ZReport, query::DailySummaryQuery,
    },
};

use super::{place::Place, seen::Seen};

/// How many rows lie between two that are read by their ids.
const STEP: usize = 23;

/// Receipts are numbered from 1 without gaps, none was written twice, and each refund is of a sale.
pub(super) async fn rows_are_whole(place: &Place, seen: &Seen) {
    let numbers = seen.rows.iter().map(|row| row.receipt_number);
    assert!(numbers.eq(1..=seen.rows.len() as u64), "a gap");
    let mut notes = HashSet::new();
    let mut sales = HashSet::new();
    for row in &seen.rows {
        assert!(notes.insert(&row.note), "written twice: {row:?}");
        if row.kind == TransactionType::Sale {
            sales.insert(row.id);
        }
        assert!(row.refund_of.is_none_or(|sale| sales.contains(&sale)));
    }
    let here = place.shop.connect.location(&place.shop.at);
    for row in seen.rows.iter().step_by(STEP) {
        assert_eq!(here.transactions().get(row.id).await.unwrap(), *row);
    }
}

/// Each daily summary is the sum of the rows of its day.
pub(super) async fn days_are_sums(place: &Place, seen: &Seen) {
    let mut days = BTreeMap::<i64, Vec<&Transaction>>::new();
    for row in &seen.rows {
        days.entry(day_of(row.created_at)).or_default().push(row);
    }
    let here = place.shop.connect.location(&place.shop.at);
    for (day, rows) in days {
        let noon = Timestamp::from_micros((day * 86_400 + 43_200) * 1_000_000);
        let query = DailySummaryQuery {
            date: Some(noon.to_string()[..10].parse().unwrap()),
        };
        let summary = here.daily_summary(&query).await.unwrap();
        assert_eq!(summary.totals, sum(&rows));
        let last = rows.last().map(|row| row.receipt_number);
        assert_eq!(summary.last_receipt_number, last);
    }
}

/// The number of the day of a time. It is winter.
fn day_of(time: Timestamp) -> i64 {
    (time.seconds() + 3600).div_euclid(86_400)
}

fn sum(rows: &[&Transaction]) -> Totals {
    let mut totals = Totals::default();
    totals.extend(rows.iter().copied());
    totals
}

/// Each Z report of a register is of all its rows since the one before.
pub(super) fn reports_partition(place: &Place, seen: &Seen) {
    let mut reported = 0;
    for access in &place.registers {
        let Actor::Screen { id, .. } = access.actor() else {
            panic!("{:?}", access.actor());
        };
        let rows = seen.rows.iter().filter(|row| row.register.id == id.uuid());
        let rows: Vec<&Transaction> = rows.collect();
        let reports = seen.reports.iter();
        let reports = reports.filter(|report| report.register.id == id.uuid());
        let mut open = &rows[..];
        for (number, report) in (1..).zip(reports) {
            assert_eq!(report.number, number);
            let is_in = |row: &&Transaction| Some(row.receipt_number) <= report.last_receipt_number;
            let (closed, later) = open.split_at(open.partition_point(is_in));
            is_of(report, closed);
            open = later;
            reported += 1;
        }
    }
    assert_eq!(reported, seen.reports.len());
    let counted = seen.reports.iter().map(|report| report.cash.counted_cents);
    let counted: HashSet<_> = counted.collect();
    assert_eq!(counted.len(), seen.reports.len(), "closed twice");
}

/// Checks that a report is of these rows.
fn is_of(report: &ZReport, rows: &[&Transaction]) {
    let numbers = |row: Option<&&Transaction>| row.map(|row| row.receipt_number);
    assert_eq!(report.first_receipt_number, numbers(rows.first()));
    assert_eq!(report.last_receipt_number, numbers(rows.last()));
    assert_eq!(report.totals, sum(rows));
    let mut cash = Cash::default();
    rows.iter().for_each(|row| cash.add(row));
    cash.counted_cents = report.cash.counted_cents;
    let difference = cash
        .counted_cents
        .map(|counted| counted - cash.expected_cents);
    cash.difference_cents = difference;
    assert_eq!(report.cash, cash);
    if let Some(opened) = rows.iter().map(|row| row.created_at).min() {
        assert_eq!(report.opened_at, opened);
    }
}
