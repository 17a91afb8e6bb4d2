//! Journals that were damaged on purpose.

use connect_core::{
    ProblemKind, ScreenType,
    storage::Write,
    wire::{TransactionInput, ZReportInput},
};

use super::{Stocked, family, find};

/// A shop whose register wrote rows of three days, the last of them late, and was closed between.
pub(super) async fn open() -> Stocked {
    let stocked = Stocked::open().await;
    let till = stocked.shop.screen(ScreenType::Pos, "Till").await;
    let till = stocked.shop.connect.location(&till);
    for day in [1, 1, 2, 3, 2] {
        let row = format!(
            r#"{{ "type": "cash_in", "totalCents": 100, "createdAt": "2026-12-0{day}T12:00:00Z",
                  "payments": [{{ "method": "cash", "amountCents": 100 }}] }}"#
        );
        let row = TransactionInput::from_json(row.as_bytes()).unwrap();
        till.transactions().write(row).await.unwrap();
        if day == 3 {
            till.z_reports()
                .close(ZReportInput::default())
                .await
                .unwrap();
        }
    }
    stocked
}

#[tokio::test]
async fn a_journal_that_is_as_it_was_written_is_clean() {
    let stocked = open().await;
    let report = stocked.check().await;
    assert_eq!(report.problems, []);
    for (family, count) in [
        ("Transaction", 5),
        ("TransactionById", 5),
        ("JournalDay", 3),
        ("ReceiptFrom", 3),
        // The late row took the third day out.
        ("ReceiptUpTo", 2),
        ("RegisterPeriod", 1),
        ("ZReport", 1),
    ] {
        assert_eq!(report.families[family], count, "{family}");
    }
}

#[tokio::test]
async fn what_is_missing_is_named() {
    for (family, kind) in [
        (family::TRANSACTION_BY_ID, ProblemKind::MissingEntry),
        (family::JOURNAL_DAY, ProblemKind::MissingReference),
        (family::RECEIPT_FROM, ProblemKind::MissingEntry),
        (family::RECEIPT_UP_TO, ProblemKind::MissingEntry),
    ] {
        let stocked = open().await;
        let (key, _) = stocked.first(family).await;
        stocked.write(&key, Write::Remove).await;
        let report = stocked.check().await;
        // A row that refers to one that is not there is reported where it is.
        let reported = match kind {
            ProblemKind::MissingReference => stocked.first(family::TRANSACTION).await.0,
            _ => key,
        };
        find(&report, kind, &reported);
    }
}

#[tokio::test]
async fn a_receipt_that_is_gone_leaves_a_gap() {
    let stocked = open().await;
    let rows = stocked.rows(family::TRANSACTION).await;
    stocked.write(&rows[1].0, Write::Remove).await;
    let report = stocked.check().await;
    let problem = find(&report, ProblemKind::BadRow, &rows[2].0);
    assert_eq!(problem.message, "receipt 3 comes where 2 should be");
    for (entry, held) in stocked.rows(family::TRANSACTION_BY_ID).await {
        if *held == 2_u64.to_be_bytes() {
            find(&report, ProblemKind::StrayEntry, &entry);
        }
    }
}

/// The next receipt would be written over the last one.
#[tokio::test]
async fn a_clock_that_counts_too_few_or_too_many_receipts_is_named() {
    for (counted, kind) in [(4, ProblemKind::ClockBehind), (6, ProblemKind::Count)] {
        let stocked = open().await;
        let mut clocks = stocked.rows(family::CLOCK).await;
        let location = stocked.location();
        clocks.retain(|(key, _)| key.starts_with(location.as_bytes()));
        let other = format!("[128,{counted}]");
        stocked.replace(&clocks[0], "[128,5]", &other).await;
        let report = stocked.check().await;
        find(&report, kind, &clocks[0].0);
        assert_eq!(report.problem_count, 1, "{:#?}", report.problems);
    }
}

#[tokio::test]
async fn entries_that_lead_elsewhere_are_named() {
    let stocked = open().await;
    let entries = stocked.rows(family::TRANSACTION_BY_ID).await;
    stocked.put(&entries[0].0, &entries[1].1).await;
    let from = stocked.rows(family::RECEIPT_FROM).await;
    stocked.put(&from[1].0, &from[0].1).await;
    // The third day, which a late row has taken out.
    let mut up_to = from[2].0.clone();
    up_to[16] = family::RECEIPT_UP_TO;
    stocked.put(&up_to, b"").await;
    let report = stocked.check().await;
    for entry in [&entries[0].0, &from[1].0, &up_to] {
        find(&report, ProblemKind::StrayEntry, entry);
    }
}

#[tokio::test]
async fn a_summary_that_is_not_the_sum_of_its_rows_is_named() {
    let stocked = open().await;
    let day = stocked.first(family::JOURNAL_DAY).await;
    let none = r#""sales":{"count":0,"totalCents":0}"#;
    let one = r#""sales":{"count":1,"totalCents":0}"#;
    stocked.replace(&day, none, one).await;
    find(&stocked.check().await, ProblemKind::BadRow, &day.0);
}

#[tokio::test]
async fn rows_that_do_not_parse_are_named() {
    for family in [
        family::TRANSACTION,
        family::TRANSACTION_BY_ID,
        family::JOURNAL_DAY,
        family::RECEIPT_FROM,
        family::RECEIPT_UP_TO,
    ] {
        let stocked = open().await;
        let (key, _) = stocked.first(family).await;
        stocked.put(&key, b"x").await;
        find(&stocked.check().await, ProblemKind::BadRow, &key);
    }
}
