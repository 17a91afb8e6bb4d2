//! Bodies on their way through the whole core.
//! A written record reads back the same, and can be sent again as read.

use connect_core::{
    Answer, Error, Refusal, Request, Resource,
    wire::{Category, OptionGroup, Order, Product, Transaction},
};
use serde_json::Value;
use uuid::Uuid;

use crate::{
    Target, Verdict,
    shop::{Place, Shop},
};

/// The most records in one shop, to bound its memory.
const MOST: usize = 2000;

thread_local! {
    static SHOP: Place<(Shop, usize)> = const { Place::new() };
}

/// Returns a target for each kind of record.
pub(super) fn targets() -> Vec<Target> {
    let bodies = super::body::targets();
    let words = |body: &str| {
        let body = bodies.iter().find(|target| target.name == body);
        body.map(|body| body.words.clone()).unwrap_or_default()
    };
    let line =
        r#"{"name":"Rye bread","quantity":2.5,"unitPriceCents":395,"totalCents":988,"vatRate":9}"#;
    let order = format!(r#"{{"fulfilment":"takeaway","lines":[{line}],"customerName":"Kim"}}"#);
    let sale = format!(
        r#"{{"type":"sale","totalCents":988,"lines":[{line}],"payments":[{{"method":"cash","amountCents":988}}]}}"#
    );
    let target = |name: &str, body: &str, seeds: &[&str], run| Target {
        words: words(body),
        ..Target::new(name, seeds, &[], run)
    };
    vec![
        target(
            "record-product",
            "product",
            &[
                r#"{"externalId":"RYE-800","name":" Rye bread ","description":"Dark","priceCents":3.95e2,"vatRate":9.5,"barcode":"87","categoryName":"Bread","availableFrom":"2026-11-20","imageUrl":"https://example.com/rye.jpg"}"#,
            ],
            record::<Product>,
        ),
        target(
            "record-category",
            "category",
            &[r#"{"name":" Straße ","isActive":false,"position":7}"#],
            record::<Category>,
        ),
        target(
            "record-group",
            "option-group",
            &[super::body::GROUP],
            record::<OptionGroup>,
        ),
        target("record-order", "order", &[&order], order_made),
        target(
            "record-row",
            "transaction",
            &[
                &sale,
                r#"{"type":"cash_in","totalCents":500,"payments":[{"method":"cash","amountCents":500}],"createdAt":"2027-01-15T08:00:00Z"}"#,
            ],
            row_written,
        ),
    ]
}

/// Does a write with a body, in the shop of this thread.
fn write(body: &[u8], work: impl FnOnce(&Shop, Vec<u8>) -> Result<(), Refusal>) -> Verdict {
    SHOP.with(|place| {
        let (outcome, is_full) = place.with(
            || (Shop::open(), 0),
            |(shop, written)| {
                let outcome = work(shop, body.to_vec());
                *written += usize::from(outcome.is_ok());
                (outcome, *written >= MOST)
            },
        );
        if is_full {
            place.clear();
        }
        if let Err(Refusal {
            error: error @ Error::Internal(_),
            ..
        }) = &outcome
        {
            panic!("a fault of ours: {error:?}");
        }
        Verdict::of(outcome.is_ok())
    })
}

/// The record in an answer.
fn data(body: &[u8]) -> Value {
    let mut single: Value = serde_json::from_slice(body).unwrap();
    single["data"].take()
}

fn id(record: &Value) -> Uuid {
    record["id"].as_str().unwrap().parse().unwrap()
}

fn record<R: Resource>(body: &[u8]) -> Verdict {
    write(body, |shop, body| {
        let records = shop.connect.location(&shop.at).json::<R>();
        let created = data(&shop.wait(records.create(Request::json(body)))?.body);
        let id = id(&created);
        let read = shop
            .wait(records.get(id))
            .unwrap_or_else(|e| panic!("{e:?}"));
        assert_eq!(data(&read.into_bytes()), created, "read");
        let sent = serde_json::to_vec(&created).unwrap();
        let again = shop.wait(records.update(id, Request::json(sent)));
        assert_eq!(data(&done(again).body), created, "sent again");
        done(shop.wait(records.delete(id, Request::json(Vec::new()))));
        Ok(())
    })
}

/// Unwraps the answer to a write expected to succeed.
fn done(answer: Result<Answer, Refusal>) -> Answer {
    answer.unwrap_or_else(|refusal| panic!("refused: {:?}", refusal.error))
}

fn order_made(body: &[u8]) -> Verdict {
    write(body, |shop, body| {
        let orders = || shop.connect.location(shop.kiosk()).orders();
        let made = data(&shop.wait(orders().create_json(Request::json(body)))?.body);
        let order: Order = serde_json::from_value(made.clone()).unwrap();
        let read = shop
            .wait(orders().get_json(order.id))
            .unwrap_or_else(|e| panic!("{e:?}"));
        assert_eq!(data(&read.into_bytes()), made, "read");
        let sent = serde_json::to_vec(&made).unwrap();
        let again = data(&done(shop.wait(orders().create_json(Request::json(sent)))).body);
        for field in [
            "lines",
            "totalCents",
            "fulfilment",
            "note",
            "tableLabel",
            "customerName",
        ] {
            assert_eq!(again[field], made[field], "{field}");
        }
        Ok(())
    })
}

fn row_written(body: &[u8]) -> Verdict {
    write(body, |shop, body| {
        let rows = shop.connect.location(shop.till()).transactions();
        let written = data(&shop.wait(rows.write_json(Request::json(body)))?.body);
        let row: Transaction = serde_json::from_value(written.clone()).unwrap();
        let read = shop
            .wait(rows.get_json(row.id.uuid()))
            .unwrap_or_else(|e| panic!("{e:?}"));
        assert_eq!(data(&read.into_bytes()), written, "read");
        let sent = serde_json::to_vec(&written).unwrap();
        let again = data(&done(shop.wait(rows.write_json(Request::json(sent)))).body);
        for field in [
            "type",
            "lines",
            "payments",
            "vat",
            "totalCents",
            "createdAt",
        ] {
            assert_eq!(again[field], written[field], "{field}");
        }
        Ok(())
    })
}
