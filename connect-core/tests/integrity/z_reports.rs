//! Z reports that were damaged on purpose, and the sums of registers.

use connect_core::{
    Access, ProblemKind, ScreenType,
    storage::{Entry, Write},
    wire::{TransactionInput, ZReport, ZReportInput},
};

use super::{Stocked, find};
use crate::stored::family::{REGISTER_PERIOD, TRANSACTION, Z_REPORT, Z_REPORT_BY_CLOSING};

async fn pay_in(stocked: &Stocked, till: &Access, cents: i64) {
    let row = format!(
        r#"{{ "type": "cash_in", "totalCents": {cents},
              "payments": [{{ "method": "cash", "amountCents": {cents} }}] }}"#
    );
    let row = TransactionInput::from_json(row.as_bytes()).unwrap();
    let journal = stocked.shop.connect.location(till).transactions();
    journal.write(row).await.unwrap();
}

async fn close(stocked: &Stocked, till: &Access) {
    let reports = stocked.shop.connect.location(till).z_reports();
    reports.close(ZReportInput::default()).await.unwrap();
}

/// A shop with two registers that write by turns. One has a report of receipts 1 and 3, one without
/// rows, one of receipt 5, and receipt 7 since then; the other has a report of receipts 2, 4 and 6.
pub(super) async fn open() -> Stocked {
    let stocked = Stocked::open().await;
    let one = stocked.shop.screen(ScreenType::Pos, "One").await;
    let other = stocked.shop.screen(ScreenType::Pos, "Other").await;
    for till in [&one, &other, &one, &other] {
        pay_in(&stocked, till, 100).await;
    }
    close(&stocked, &one).await;
    close(&stocked, &one).await;
    for till in [&one, &other] {
        pay_in(&stocked, till, 100).await;
    }
    close(&stocked, &one).await;
    close(&stocked, &other).await;
    pay_in(&stocked, &one, 100).await;
    stocked
}

/// The report that ends with a receipt.
async fn ends_with(stocked: &Stocked, last: Option<u64>) -> Entry {
    let mut reports = stocked.rows(Z_REPORT).await;
    reports.retain(|(_, row)| {
        let report: ZReport = serde_json::from_slice(row).unwrap();
        report.last_receipt_number == last
    });
    reports.swap_remove(0)
}

#[tokio::test]
async fn registers_that_are_as_they_were_written_are_clean() {
    let report = open().await.check().await;
    assert_eq!(report.problems, []);
    assert_eq!(report.families["ZReport"], 4);
    assert_eq!(report.families["RegisterPeriod"], 2);
}

#[tokio::test]
async fn a_report_that_is_not_of_its_rows_is_named() {
    for (last, text, other) in [
        // A gap, an overlap with the next one, and an end that no row of the register has.
        (
            Some(3),
            r#""firstReceiptNumber":1"#,
            r#""firstReceiptNumber":3"#,
        ),
        (
            Some(5),
            r#""firstReceiptNumber":5"#,
            r#""firstReceiptNumber":3"#,
        ),
        (
            Some(3),
            r#""lastReceiptNumber":3"#,
            r#""lastReceiptNumber":4"#,
        ),
        (
            Some(6),
            r#""lastReceiptNumber":6"#,
            r#""lastReceiptNumber":7"#,
        ),
        (
            None,
            r#""firstReceiptNumber":null"#,
            r#""firstReceiptNumber":5"#,
        ),
        // Sums that are not those of the rows.
        (Some(3), r#""inCents":200"#, r#""inCents":201"#),
        (Some(3), r#""netCents":0"#, r#""netCents":1"#),
        (Some(5), r#""number":3"#, r#""number":4"#),
    ] {
        let stocked = open().await;
        let report = ends_with(&stocked, last).await;
        stocked.replace(&report, text, other).await;
        find(&stocked.check().await, ProblemKind::BadRow, &report.0);
    }
}

#[tokio::test]
async fn rows_that_change_their_report_are_named() {
    // A report that ends early leaves its last row to the next one that has any.
    let stocked = open().await;
    let first = ends_with(&stocked, Some(3)).await;
    let next = ends_with(&stocked, Some(5)).await;
    let (text, other) = (r#""lastReceiptNumber":3"#, r#""lastReceiptNumber":1"#);
    stocked.replace(&first, text, other).await;
    let report = stocked.check().await;
    for (key, _) in [&first, &next] {
        find(&report, ProblemKind::BadRow, key);
    }
}

#[tokio::test]
async fn what_is_missing_is_named() {
    for (family, kind) in [
        (REGISTER_PERIOD, ProblemKind::BadRow),
        (Z_REPORT_BY_CLOSING, ProblemKind::MissingEntry),
    ] {
        let stocked = open().await;
        let (key, _) = stocked.first(family).await;
        stocked.write(&key, Write::Remove).await;
        find(&stocked.check().await, kind, &key);
    }
    // Without a report its rows fall to the next one.
    let stocked = open().await;
    let (gone, _) = ends_with(&stocked, Some(3)).await;
    let (next, _) = ends_with(&stocked, None).await;
    stocked.write(&gone, Write::Remove).await;
    find(&stocked.check().await, ProblemKind::BadRow, &next);
}

#[tokio::test]
async fn the_sums_since_the_last_report_are_those_of_the_rows() {
    let stocked = open().await;
    let mut periods = stocked.rows(REGISTER_PERIOD).await;
    periods.retain(|(_, row)| String::from_utf8_lossy(row).contains(r#""firstReceiptNumber":7"#));
    for (text, other) in [
        (r#""inCents":100"#, r#""inCents":0"#),
        (r#""firstReceiptNumber":7"#, r#""firstReceiptNumber":5"#),
        (r#""lastZReport":3"#, r#""lastZReport":2"#),
    ] {
        let period = &periods[0];
        stocked.replace(period, text, other).await;
        find(&stocked.check().await, ProblemKind::BadRow, &period.0);
        stocked.put(&period.0, &period.1).await;
    }
    assert_eq!(stocked.check().await.problems, []);
}

#[tokio::test]
async fn a_row_of_another_register_is_named() {
    let stocked = open().await;
    let rows = stocked.rows(TRANSACTION).await;
    let register = |row: &Entry| {
        let row: serde_json::Value = serde_json::from_slice(&row.1).unwrap();
        row["register"]["id"].as_str().unwrap().to_owned()
    };
    let (one, other) = (register(&rows[0]), register(&rows[1]));
    stocked.replace(&rows[2], &one, &other).await;
    let report = stocked.check().await;
    for last in [Some(3), Some(6)] {
        let (key, _) = ends_with(&stocked, last).await;
        find(&report, ProblemKind::BadRow, &key);
    }
}

#[tokio::test]
async fn rows_that_do_not_parse_are_named() {
    for family in [REGISTER_PERIOD, Z_REPORT] {
        let stocked = open().await;
        let (key, _) = stocked.first(family).await;
        stocked.put(&key, b"x").await;
        find(&stocked.check().await, ProblemKind::BadRow, &key);
    }
}
