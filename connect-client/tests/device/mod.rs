//! The device API and the queue of a device, against a scripted transport.

mod client;
mod delivery;
mod restart;

use connect_client::{
    RetryPolicy, Uuid,
    device::DeviceClient,
    wire::{Field, PaymentInput, PaymentMethod, TransactionInput, TransactionType},
};
use serde_json::{Value, json};

use crate::support::{
    records::{single, time},
    script::{Reply, Script, Sent, json as reply},
};

pub(crate) const KEY: &str = "dk_0123456789abcdefghijABCDEFGHIJ0123456789ABC";
pub(crate) const ID: Uuid = Uuid::from_u128(0x0198_0000_0000_7000_8000_0000_0000_00bb);

/// A client that tries each call once.
pub(crate) fn client(script: &Script) -> DeviceClient {
    DeviceClient::builder("http://127.0.0.1:1", KEY)
        .settings(|settings| {
            let settings = settings.transport(script.clone());
            settings.retry(RetryPolicy::never())
        })
        .build()
        .unwrap()
}

/// Cash that is put in, of so many cents.
pub(crate) fn cash_in(cents: i64) -> TransactionInput {
    TransactionInput {
        kind: Field::Value(TransactionType::CashIn),
        total_cents: Field::Value(cents),
        payments: Field::Value(vec![PaymentInput::of(PaymentMethod::Cash, cents)]),
        ..TransactionInput::default()
    }
}

/// The answer to a row that was written.
pub(crate) fn taken() -> Reply {
    reply(201, &single(json!({ "id": ID })))
}

/// The amounts of the rows that were sent.
pub(crate) fn amounts(sent: &[Sent]) -> Vec<i64> {
    let amount = |sent: &Sent| sent.json()["totalCents"].as_i64().unwrap();
    sent.iter().map(amount).collect()
}

/// A journal row as the service prints it.
pub(crate) fn row() -> Value {
    json!({
        "id": ID, "receiptNumber": 7, "type": "cash_in", "employee": null, "currency": "EUR",
        "register": { "id": ID, "name": "Till 1" }, "totalCents": 5, "discountCents": 0,
        "lines": [], "payments": [{ "method": "cash", "amountCents": 5 }], "vat": [],
        "refundOf": null, "orderId": null, "note": null, "createdAt": time(0),
    })
}
