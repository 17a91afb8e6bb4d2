//! The journal, through the SDK and against the document. Registers write by the core's own API.

use connect_client::wire::{
    Changed, Date, ErrorCode, EventType, Id, Quantity, Totals, Transaction, TransactionInput,
    TransactionType, ZReport,
    query::{EventQuery, Moment, TransactionQuery, ZReportQuery},
};
use connect_core::{
    Access, ScreenType,
    wire::{Field, LineInput, PaymentInput, PaymentMethod, Scope, VatRate, ZReportInput},
};
use connect_tests::shop::Shop;
use uuid::Uuid;

use super::{client, open};

/// A sale of some pieces at 2.50, paid by card.
fn sale(pieces: i64, created_at: &str) -> TransactionInput {
    goods(TransactionType::Sale, pieces, created_at)
}

fn goods(kind: TransactionType, pieces: i64, created_at: &str) -> TransactionInput {
    let total = 250 * pieces;
    let line = LineInput {
        name: "Rye".into(),
        quantity: Quantity::from_thousandths(1000 * pieces).unwrap().into(),
        unit_price_cents: Field::Value(250),
        total_cents: Field::Value(total),
        vat_rate: VatRate::percent(9).into(),
        ..LineInput::default()
    };
    TransactionInput {
        kind: kind.into(),
        total_cents: Field::Value(total),
        lines: Field::Value(vec![line]),
        payments: Field::Value(vec![PaymentInput::of(PaymentMethod::Card, total)]),
        created_at: time(created_at),
        ..TransactionInput::default()
    }
}

fn cash(kind: TransactionType, cents: i64, created_at: &str) -> TransactionInput {
    TransactionInput {
        kind: kind.into(),
        total_cents: Field::Value(cents),
        payments: Field::Value(vec![PaymentInput::of(PaymentMethod::Cash, cents)]),
        created_at: time(created_at),
        ..TransactionInput::default()
    }
}

/// A time; none for an empty text.
fn time<F: connect_core::wire::form::Form<Value = connect_core::wire::Timestamp>>(
    text: &str,
) -> Field<F> {
    text.parse().map_or(Field::Absent, Field::Value)
}

async fn write(shop: &Shop, register: &Access, row: TransactionInput) -> Transaction {
    let rows = shop.connect.location(register).transactions();
    rows.write(row).await.unwrap()
}

fn numbers(rows: &[Transaction]) -> Vec<u64> {
    rows.iter().map(|row| row.receipt_number).collect()
}

/// The query of the rows of a time.
fn period(from: &str, to: &str) -> TransactionQuery {
    let mut query = TransactionQuery::default();
    query.period.from = from.parse().ok();
    query.period.to = to.parse().ok();
    query
}

#[tokio::test]
async fn a_follower_gets_every_row_once_by_receipt_number() {
    let (shop, watch, client) = open().await;
    let journal = client.location(shop.here).transactions();
    let tills = [
        shop.screen(ScreenType::Pos, "Till 1").await,
        shop.screen(ScreenType::Pos, "Till 2").await,
    ];
    let mut last = 0;
    let mut seen: Vec<Transaction> = Vec::new();
    for round in 1..=3 {
        for till in &tills {
            write(&shop, till, sale(round, "")).await;
            // One that was offline delivers a row of an earlier day.
            write(&shop, till, sale(1, "2026-11-18T09:00:00Z")).await;
        }
        let mut rows = journal.after(last);
        while let Some(row) = rows.next().await {
            let row = row.unwrap();
            last = row.receipt_number;
            seen.push(row);
        }
        assert_eq!(last, 4 * round as u64);
    }
    assert!(journal.after(last).next().await.is_none());
    assert_eq!(numbers(&seen), (1..=12).collect::<Vec<_>>());
    assert_eq!(seen[0].register.name, "Till 1");
    assert_eq!(
        seen[0].created_at.to_string(),
        "2026-11-20T10:00:00.000000Z"
    );
    assert_eq!(journal.get(seen[5].id).await.unwrap(), seen[5]);

    // Each row is told by an event.
    let mut told = client.location(shop.here).events().stream(&EventQuery {
        kind: Some(EventType::TransactionCreated),
        ..EventQuery::default()
    });
    for row in &seen {
        let event = told.next().await.unwrap().unwrap();
        assert_eq!(event.data_as::<Transaction>().unwrap(), *row);
        assert!(event.data_as::<Changed<Transaction>>().is_err());
    }
    // Page by page it is the same.
    watch.passed();
    let mut by_five = TransactionQuery::default();
    by_five.paging.limit = Some(5);
    assert_eq!(journal.stream(&by_five).all().await.unwrap(), seen);
    assert_eq!(watch.passed().len(), 3);
    let there = client.location(shop.there).transactions();
    assert!(there.after(0).next().await.is_none());
    let elsewhere = there.get(seen[0].id).await.unwrap_err();
    assert_eq!(elsewhere.api().unwrap().code, Some(ErrorCode::NotFound));
    assert_eq!(shop.connect.check(&mut |_| {}).await.unwrap().problems, []);
}

#[tokio::test]
async fn filters_narrow_the_list_down_together() {
    let (shop, _watch, client) = open().await;
    let journal = client.location(shop.here).transactions();
    let till = shop.screen(ScreenType::Pos, "Till").await;
    // In the location's time zone the second is of the 19th, and the fourth came late.
    for row in [
        sale(1, "2026-11-18T22:59:59Z"),
        sale(2, "2026-11-18T23:00:00Z"),
        goods(TransactionType::Refund, -1, "2026-11-19T12:00:00Z"),
        sale(3, "2026-11-18T12:00:00Z"),
        cash(TransactionType::CashOut, -500, "2026-11-19T13:00:00Z"),
        sale(4, "2026-11-20T08:00:00Z"),
    ] {
        write(&shop, &till, row).await;
    }
    let since = |receipt, query| TransactionQuery {
        since_receipt: Some(receipt),
        ..query
    };
    let of = |kind, query| TransactionQuery {
        kind: Some(kind),
        ..query
    };
    for (query, expected) in [
        (period("2026-11-18", "2026-11-18"), vec![1, 4]),
        (period("2026-11-19", "2026-11-19"), vec![2, 3, 5]),
        (period("2026-11-19", ""), vec![2, 3, 5, 6]),
        (period("", "2026-11-18T23:00:00Z"), vec![1, 4]),
        (
            period("2026-11-19T12:00:00Z", "2026-11-19T13:00:00Z"),
            vec![3],
        ),
        (period("2026-11-21", ""), vec![]),
        (period("", "2026-11-17"), vec![]),
        (since(3, period("2026-11-18", "2026-11-19")), vec![4, 5]),
        (since(1_000_000, period("", "")), vec![]),
        (
            of(TransactionType::Sale, period("2026-11-19", "")),
            vec![2, 6],
        ),
        (of(TransactionType::OpeningFloat, period("", "")), vec![]),
    ] {
        let rows = journal.stream(&query).all().await.unwrap();
        assert_eq!(numbers(&rows), expected, "{query:?}");
        // A page at a time, the bounds are looked up again for each.
        let mut singly = query.clone();
        singly.paging.limit = Some(1);
        let rows = journal.stream(&singly).all().await.unwrap();
        assert_eq!(numbers(&rows), expected, "{singly:?}");
    }
}

#[tokio::test]
async fn a_daily_summary_is_the_sum_of_the_rows_of_its_day() {
    let (shop, _watch, client) = open().await;
    let here = client.location(shop.here);
    let till = shop.screen(ScreenType::Pos, "Till").await;
    let day: Date = "2026-11-19".parse().unwrap();
    let empty = here.daily_summary(Some(day)).await.unwrap();
    assert_eq!((empty.date, &*empty.currency), (day, "EUR"));
    assert_eq!(empty.time_zone, "Europe/Amsterdam");
    assert_eq!(empty.totals, Totals::default());
    assert_eq!(empty.last_receipt_number, None);
    for row in [
        cash(
            TransactionType::OpeningFloat,
            15_000,
            "2026-11-19T07:00:00Z",
        ),
        sale(3, "2026-11-19T12:00:00Z"),
        sale(2, ""),
        goods(TransactionType::Refund, -1, "2026-11-19T22:59:59Z"),
    ] {
        write(&shop, &till, row).await;
    }
    let summary = here.daily_summary(Some(day)).await.unwrap();
    assert_eq!(summary.last_receipt_number, Some(4));
    assert_eq!(summary.totals.net_cents, 500);
    let rows = here.transactions().of_day(day).all().await.unwrap();
    let mut totals = Totals::default();
    totals.extend(&rows);
    assert_eq!(totals, summary.totals);
    let today = here.daily_summary(None).await.unwrap();
    assert_eq!(today.date.to_string(), "2026-11-20");
    assert_eq!(today.totals.sales.total_cents, 500);
    let future = here.daily_summary("2030-01-01".parse().ok()).await.unwrap();
    assert_eq!(future.totals, Totals::default());

    // The sums of two days add up to those of both.
    let mut both = summary.totals.clone();
    both.merge(&today.totals);
    totals.extend(&[here.transactions().after(2).next().await.unwrap().unwrap()]);
    assert_eq!(both, totals);
}

#[tokio::test]
async fn a_z_report_has_what_its_register_wrote_since_the_one_before() {
    let (shop, _watch, client) = open().await;
    let reports = client.location(shop.here).z_reports();
    let (till, other) = (
        shop.screen(ScreenType::Pos, "Till").await,
        shop.screen(ScreenType::Pos, "Other").await,
    );
    write(
        &shop,
        &till,
        cash(TransactionType::OpeningFloat, 15_000, ""),
    )
    .await;
    write(&shop, &other, sale(9, "")).await;
    write(&shop, &till, sale(2, "2026-11-20T08:30:00Z")).await;
    write(&shop, &till, cash(TransactionType::CashOut, -5000, "")).await;
    let close = async |counted| {
        shop.clock.advance(60);
        let closing = shop.connect.location(&till).z_reports();
        let input = ZReportInput {
            counted_cents: counted,
        };
        closing.close(input).await.unwrap()
    };
    let first: ZReport = close(Field::Value(9_900)).await;
    assert_eq!((first.number, first.register.name.as_str()), (1, "Till"));
    assert_eq!(first.first_receipt_number, Some(1));
    assert_eq!(first.last_receipt_number, Some(4));
    assert_eq!(first.opened_at.to_string(), "2026-11-20T08:30:00.000000Z");
    assert_eq!(first.totals.net_cents, 500);
    assert_eq!(first.cash.expected_cents, 10_000);
    assert_eq!(first.cash.difference_cents, Some(-100));

    // One without rows, which nobody counted for.
    let second = close(Field::Null).await;
    assert_eq!((second.number, second.first_receipt_number), (2, None));
    assert_eq!(second.opened_at, first.closed_at);
    assert_eq!(second.cash.difference_cents, None);
    assert_eq!(reports.get(first.id).await.unwrap(), first);
    let all = reports
        .stream(&ZReportQuery::default())
        .all()
        .await
        .unwrap();
    assert_eq!(all, [first.clone(), second.clone()]);
    let mut later = ZReportQuery::default();
    later.period.from = Some(Moment::At(second.closed_at));
    assert_eq!(reports.stream(&later).all().await.unwrap(), [second]);
    let unknown = reports.get(Id::new(Uuid::now_v7())).await.unwrap_err();
    assert_eq!(unknown.api().unwrap().code, Some(ErrorCode::NotFound));
    assert_eq!(shop.connect.check(&mut |_| {}).await.unwrap().problems, []);
}

#[tokio::test]
async fn the_journal_needs_a_scope_and_a_register() {
    let (shop, watch, _) = open().await;
    let token = shop.token_for(shop.here, &[Scope::CatalogRead]).await;
    let here = client(&watch, &token).location(shop.here);
    let refused = [
        here.transactions().after(0).next().await.unwrap().err(),
        here.daily_summary(None).await.err(),
        here.z_reports().list(&ZReportQuery::default()).await.err(),
    ];
    for error in refused.map(Option::unwrap) {
        assert_eq!(error.api().unwrap().code, Some(ErrorCode::ForbiddenScope));
    }
    let kiosk = shop.screen(ScreenType::OrderKiosk, "Kiosk").await;
    let rows = shop.connect.location(&kiosk).transactions();
    let refused = rows.write(sale(1, "")).await.unwrap_err();
    assert!(refused.to_string().contains("type pos"), "{refused}");
    let reports = shop.connect.location(&kiosk).z_reports();
    let refused = reports.close(ZReportInput::default()).await.unwrap_err();
    assert!(refused.to_string().contains("type pos"), "{refused}");
}
