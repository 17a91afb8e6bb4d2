//! Registers, kiosks and Scan & Order: what they write over the owner's listener, and what
//! integrators see of it.

mod journal;
mod keys;
mod orders;
mod queue;
mod repeats;

use connect_tests::shop::Shop;
use serde_json::{Value, json};

/// A sale of one article, paid by card.
pub(crate) fn sale(name: &str, cents: i64) -> Value {
    json!({
        "type": "sale",
        "totalCents": cents,
        "lines": [line(name, 1, cents)],
        "payments": [{ "method": "card", "amountCents": cents }],
    })
}

/// A line of some pieces of an article at 9 % VAT.
fn line(name: &str, quantity: i64, unit_cents: i64) -> Value {
    json!({
        "name": name,
        "quantity": quantity,
        "unitPriceCents": unit_cents,
        "totalCents": quantity * unit_cents,
        "vatRate": 9,
    })
}

/// A row that moves cash only.
fn cash(kind: &str, cents: i64) -> Value {
    json!({
        "type": kind,
        "totalCents": cents,
        "payments": [{ "method": "cash", "amountCents": cents }],
    })
}

/// An order of one soup.
fn soup() -> Value {
    json!({ "fulfilment": "dine_in", "lines": [line("Soup", 1, 450)] })
}

fn id(record: &Value) -> String {
    record["id"].as_str().expect("an id").to_owned()
}

/// The data of the events of this type, oldest first.
async fn events(shop: &Shop, kind: &str) -> Vec<Value> {
    let events = shop.all("events", &format!("type={kind}&limit=200")).await;
    events.into_iter().map(|mut e| e["data"].take()).collect()
}

/// The fields of `record` that `expected` has are as in it.
#[track_caller]
fn holds(record: &Value, expected: &Value) {
    for (field, value) in expected.as_object().expect("an object") {
        assert_eq!(record[field], *value, "{field} of {record}");
    }
}
