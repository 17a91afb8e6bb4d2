//! Rows that a register may not write: each is refused for its own reason, and leaves nothing.

use std::{sync::Arc, time::Duration};

use connect_core::{
    Access, Error, Request, ScreenType,
    storage::{conformance::Distant, memory::MemoryStorage},
    wire::{
        DailySummary, Transaction, TransactionInput, ZReportInput,
        query::{DailySummaryQuery, EventQuery, TransactionQuery, ZReportQuery},
    },
};
use futures_util::future::join_all;
use serde_json::{Value, json};

use crate::shop::{self, Shop, keyed};

/// A shop with a register.
struct Scene {
    shop: Shop,
    till: Access,
}

impl Scene {
    async fn set() -> Self {
        let shop = Shop::open().await;
        let till = shop.screen(ScreenType::Pos, "Till").await;
        Self { shop, till }
    }

    async fn write_as(&self, access: &Access, body: &Value) -> Result<Transaction, Error> {
        let rows = self.shop.connect.location(access).transactions();
        let answer = rows.write_json(Request::json(body.to_string())).await?;
        Ok(answer.decode().unwrap())
    }

    async fn write(&self, body: &Value) -> Result<Transaction, Error> {
        self.write_as(&self.till, body).await
    }

    async fn rows(&self) -> Vec<Transaction> {
        let here = self.shop.connect.location(&self.shop.at);
        let page = here.transactions().list(&TransactionQuery::default()).await;
        page.unwrap().data
    }

    async fn today(&self) -> DailySummary {
        let here = self.shop.connect.location(&self.shop.at);
        let today = here.daily_summary(&DailySummaryQuery::default()).await;
        today.unwrap()
    }
}

fn sale() -> Value {
    json!({
        "type": "sale",
        "totalCents": 500,
        "lines": [{ "name": "Rye", "quantity": 2, "unitPriceCents": 250, "totalCents": 500,
                    "vatRate": 9 }],
        "payments": [{ "method": "card", "amountCents": 500 }],
    })
}

fn refund_of(id: impl std::fmt::Display) -> Value {
    json!({
        "type": "refund",
        "totalCents": -250,
        "lines": [{ "name": "Rye", "quantity": -1, "unitPriceCents": 250, "totalCents": -250,
                    "vatRate": 9 }],
        "payments": [{ "method": "card", "amountCents": -250 }],
        "refundOf": id.to_string(),
    })
}

fn with(mut body: Value, field: &str, value: Value) -> Value {
    body[field] = value;
    body
}

fn in_line(field: &str, value: Value) -> Value {
    let mut body = sale();
    body["lines"][0][field] = value;
    body
}

#[tokio::test]
async fn wrong_rows_are_refused_and_leave_nothing() {
    let scene = Scene::set().await;
    let there = shop::location(&scene.shop.connect, scene.shop.account, "There").await;
    let mut float = sale();
    float["type"] = json!("opening_float");
    let good = scene.write(&sale()).await.unwrap();
    let refund = scene.write(&refund_of(good.id)).await.unwrap();
    let before = (scene.rows().await, scene.today().await);
    let line = sale()["lines"][0].clone();
    let unknown = "018f2f6e-4c1a-7000-8000-000000000001";
    for (body, field, words) in [
        (json!([]), "body", "must be a JSON object"),
        (with(sale(), "colour", json!(1)), "colour", "is not a field"),
        (
            with(sale(), "type", json!("gift")),
            "type",
            "must be one of",
        ),
        (
            with(sale(), "type", Value::Null),
            "type",
            "must not be null",
        ),
        (
            with(sale(), "totalCents", json!("500")),
            "totalCents",
            "whole number",
        ),
        (
            with(sale(), "totalCents", json!(500.5)),
            "totalCents",
            "whole number",
        ),
        (
            with(sale(), "totalCents", json!(1_000_000_000_001_i64)),
            "totalCents",
            "must be from",
        ),
        (
            with(sale(), "totalCents", json!(501)),
            "totalCents",
            "must be 500",
        ),
        (
            with(sale(), "discountCents", json!(-1)),
            "discountCents",
            "must be from 0",
        ),
        (with(sale(), "lines", json!({})), "lines", "array"),
        (with(sale(), "lines", json!([])), "lines", "at least one"),
        (
            with(sale(), "lines", json!(vec![line; 501])),
            "lines",
            "0 to 500",
        ),
        (
            with(sale(), "payments", json!([])),
            "payments",
            "must add up to 500",
        ),
        (with(sale(), "employee", json!("")), "employee", "1 to 100"),
        (with(sale(), "note", json!("n".repeat(501))), "note", "500"),
        (with(sale(), "note", json!("\u{7}")), "note", "control"),
        (
            with(sale(), "createdAt", json!("today")),
            "createdAt",
            "RFC 3339",
        ),
        (
            with(sale(), "createdAt", json!("2027-01-16T08:00:00.000001Z")),
            "createdAt",
            "24 hours ahead",
        ),
        (
            with(sale(), "orderId", json!(unknown)),
            "orderId",
            "there is no order",
        ),
        (
            with(sale(), "refundOf", json!(good.id)),
            "refundOf",
            "only be in a refund",
        ),
        (refund_of(unknown), "refundOf", "there is no sale"),
        (refund_of(refund.id), "refundOf", "is a row of type refund"),
        (refund_of("Rye"), "refundOf", "UUID"),
        (in_line("name", json!(" ")), "lines[0].name", "1 to 200"),
        (
            in_line("quantity", json!(0)),
            "lines[0].quantity",
            "above 0",
        ),
        (
            in_line("quantity", json!(2.0001)),
            "lines[0].quantity",
            "fraction digits",
        ),
        (
            in_line("quantity", json!("2")),
            "lines[0].quantity",
            "number",
        ),
        (
            in_line("unitPriceCents", json!(-250)),
            "lines[0].unitPriceCents",
            "from 0",
        ),
        (in_line("vatRate", json!(100.5)), "lines[0].vatRate", "100"),
        (
            in_line("vatRate", Value::Null),
            "lines[0].vatRate",
            "must not be null",
        ),
        (
            in_line("totalCents", json!(499)),
            "lines[0].totalCents",
            "must be 500, not 499",
        ),
        (
            in_line("price", json!(250)),
            "lines[0].price",
            "is not a field",
        ),
        (
            in_line("options", json!([{ "name": "" }])),
            "lines[0].options[0].name",
            "1 to 100",
        ),
        (
            in_line("options", json!([{ "name": "Cut", "priceCents": 10 }])),
            "lines[0].totalCents",
            "must be 520, not 500",
        ),
        (float, "lines", "only be in a sale or a refund"),
    ] {
        let refused = scene.write(&body).await.unwrap_err();
        let Error::Invalid(reason) = &refused else {
            panic!("{refused}");
        };
        assert_eq!(reason.field.as_deref(), Some(field), "{refused}");
        assert!(reason.problem.contains(words), "{refused}");
    }
    // A sale of another location is none of this one.
    let elsewhere = scene.shop.connect.location(&there).transactions();
    assert!(elsewhere.get(good.id).await.is_err());
    for broken in [
        &br#"{"type":"sale""#[..],
        br#"{"type":1,"type":1}"#,
        b"\xFF",
    ] {
        let rows = scene.shop.connect.location(&scene.till).transactions();
        let refused = rows.write_json(Request::json(broken)).await.unwrap_err();
        assert!(matches!(refused.error, Error::Malformed(_)), "{refused}");
    }
    assert_eq!((scene.rows().await, scene.today().await), before);
    let next = scene.write(&sale()).await.unwrap();
    assert_eq!(next.receipt_number, 3);
}

/// A clock may be a day ahead, and behind by any time.
#[tokio::test]
async fn a_clock_may_be_a_day_ahead() {
    let scene = Scene::set().await;
    for time in [
        "2027-01-16T08:00:00Z",
        "1970-01-01T00:00:00Z",
        "0000-01-01T00:00:00Z",
    ] {
        let row = scene.write(&with(sale(), "createdAt", json!(time))).await;
        assert!(row.unwrap().created_at.to_string().starts_with(&time[..19]));
    }
    let here = scene.shop.connect.location(&scene.shop.at);
    for (date, count) in [("0000-01-01", 1), ("1970-01-01", 1), ("2027-01-15", 0)] {
        let query = DailySummaryQuery {
            date: date.parse().ok(),
        };
        let summary = here.daily_summary(&query).await.unwrap();
        assert_eq!(summary.totals.sales.count, count, "{date}");
    }
    let report = scene.shop.connect.check(&mut |_| {}).await.unwrap();
    assert_eq!(report.problems, []);
}

#[tokio::test]
async fn only_registers_write() {
    let scene = Scene::set().await;
    let (token, _) = scene.shop.token().await;
    let kiosk = scene.shop.screen(ScreenType::OrderKiosk, "Kiosk").await;
    let phones = scene.shop.screen(ScreenType::ScanAndOrder, "Phones").await;
    for access in [&token, &kiosk, &phones, &scene.shop.at] {
        let refused = scene.write_as(access, &sale()).await.unwrap_err();
        assert!(matches!(refused, Error::ForbiddenScope(_)), "{refused}");
        let reports = scene.shop.connect.location(access).z_reports();
        let refused = reports.close(ZReportInput::default()).await.unwrap_err();
        assert!(matches!(refused, Error::ForbiddenScope(_)), "{refused}");
    }
    assert_eq!(scene.rows().await, []);
    let here = scene.shop.connect.location(&scene.shop.at);
    let reports = here.z_reports().list(&ZReportQuery::default()).await;
    assert_eq!(reports.unwrap().data, []);
    let events = here.events().list(&EventQuery::default()).await;
    assert_eq!(events.unwrap().data, []);
}

/// A key belongs to the register that sent it.
#[tokio::test]
async fn registers_do_not_share_their_keys() {
    let scene = Scene::set().await;
    let other = scene.shop.screen(ScreenType::Pos, "Other").await;
    let write = async |access: &Access| {
        let row = TransactionInput::from_json(sale().to_string().as_bytes()).unwrap();
        let rows = scene.shop.connect.location(access).transactions();
        let answer = rows.write_json(keyed(row.into(), "1")).await.unwrap();
        let row: Transaction = answer.decode().unwrap();
        (answer.replayed, row.receipt_number)
    };
    assert_eq!(write(&scene.till).await, (false, 1));
    assert_eq!(write(&other).await, (false, 2));
    assert_eq!(write(&scene.till).await, (true, 1));
    assert_eq!(write(&other).await, (true, 2));
    assert_eq!(scene.today().await.totals.sales.count, 2);
}

/// Receipts with many lines share a commit with fewer others.
#[tokio::test]
async fn receipts_that_are_written_at_once_share_commits_by_their_lines() {
    let store = Arc::new(Distant::new(Arc::new(MemoryStorage::new()), Duration::ZERO));
    let shop = Shop::on(store).await;
    let till = shop.screen(ScreenType::Pos, "Till").await;
    let line = &sale()["lines"][0];
    let body = with(sale(), "lines", json!(vec![line; 100]));
    let body = with(body, "totalCents", json!(50_000));
    let body = with(
        body,
        "payments",
        json!([{ "method": "card", "amountCents": 50_000 }]),
    );
    let body = body.to_string();
    let write = async || {
        let rows = shop.connect.location(&till).transactions();
        rows.write_json(Request::json(body.clone())).await.unwrap();
    };
    write().await;
    let before = shop.storage.trips();
    join_all((0..40).map(|_| write())).await;
    // A read and a commit for each nine of them.
    assert_eq!(shop.storage.trips() - before, 2 * 5);
}

/// Eight registers write at once to two processes on one storage.
#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn registers_of_two_processes_write_one_journal() {
    const ROWS: u64 = 20;
    let shop = Shop::open().await;
    let beside = shop.beside();
    let mut tills = Vec::new();
    for number in 0..8 {
        let till = shop
            .screen(ScreenType::Pos, &format!("Till {number}"))
            .await;
        let connect = [&shop.connect, &beside][number % 2].clone();
        tills.push(tokio::spawn(async move {
            let here = connect.location(&till);
            for row in 0..ROWS {
                // Every fourth row comes a day late.
                let time = match row % 4 {
                    3 => "2027-01-14T12:00:00Z",
                    _ => "2027-01-15T07:00:00Z",
                };
                let row = with(sale(), "createdAt", json!(time)).to_string();
                let row = TransactionInput::from_json(row.as_bytes()).unwrap();
                here.transactions().write(row).await.unwrap();
            }
            here.z_reports()
                .close(ZReportInput::default())
                .await
                .unwrap()
        }));
    }
    for till in tills {
        let report = till.await.unwrap();
        assert_eq!(report.totals.sales.count, ROWS);
    }
    let here = shop.connect.location(&shop.at);
    let mut query = TransactionQuery::default();
    query.paging.limit = Some(200);
    let rows = here.transactions().list(&query).await.unwrap().data;
    let numbers: Vec<u64> = rows.iter().map(|row| row.receipt_number).collect();
    assert_eq!(numbers, (1..=8 * ROWS).collect::<Vec<_>>());
    for (date, part) in [("2027-01-14", 1), ("2027-01-15", 3)] {
        let query = DailySummaryQuery {
            date: date.parse().ok(),
        };
        let summary = here.daily_summary(&query).await.unwrap();
        assert_eq!(summary.totals.sales.count, 8 * ROWS * part / 4, "{date}");
    }
    let report = shop.connect.check(&mut |_| {}).await.unwrap();
    assert_eq!(report.problems, []);
}
