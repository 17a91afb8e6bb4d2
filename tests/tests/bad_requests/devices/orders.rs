//! Orders and their changes.

use serde_json::{Value, json};

use super::{
    Bad, by,
    faults::{no_id, no_list, no_name_or_null, no_text, no_word},
    invalid, line, lines, missing, spoilt,
};
use crate::bad_requests::fields::fault;

/// An order with all of its fields.
fn order() -> Value {
    json!({
        "fulfilment": "dine_in",
        "lines": [line()],
        "tableLabel": "12",
        "customerName": "Noor",
        "note": "No sugar",
        "paymentStatus": "unpaid",
    })
}

fn creations() -> Vec<Bad> {
    const POST: &str = "POST orders";
    let order = order();
    let mut no_lines = no_list(&line(), 500);
    no_lines.push(fault("", "[]", "empty"));
    let fields = [
        ("/fulfilment", no_word()),
        ("/lines", no_lines),
        ("/tableLabel", no_name_or_null(50)),
        ("/customerName", no_name_or_null(100)),
        ("/note", no_text(500)),
        ("/paymentStatus", no_word()),
        ("/colour", vec![fault("", "1", "an unknown field")]),
    ];
    let mut table = Vec::new();
    for (pointer, faults) in fields {
        table.extend(invalid(POST, "kiosk", &order, pointer, faults));
    }
    table.extend(missing(POST, "kiosk", &order, &["/fulfilment", "/lines"]));
    table.extend(lines(POST, "phone", &order));
    for (pointer, value, says) in [
        (
            "/lines/0/totalCents",
            "399",
            "lines[0].totalCents: must be 400, not 399",
        ),
        (
            "/lines/0/quantity",
            "-2",
            "lines[0].quantity: must be above 0, not -2",
        ),
    ] {
        let sent = by("kiosk", POST, spoilt(&order, pointer, value));
        let name = format!("device, {POST}: {says}");
        table.push(Bad::invalid(&name, sent, says).unstated());
    }
    table
}

fn changes() -> Vec<Bad> {
    const PATCH: &str = "PATCH orders/{order}";
    let mut table = Vec::new();
    let change = json!({});
    for (pointer, faults) in [
        ("/status", no_word()),
        ("/paymentStatus", no_word()),
        ("/transactionId", no_id()),
        ("/colour", vec![fault("", "1", "an unknown field")]),
        // Only the status of an order changes, never what was ordered.
        (
            "/note",
            vec![fault("", "\"No milk\"", "a field of an order")],
        ),
    ] {
        table.extend(invalid(PATCH, "register", &change, pointer, faults));
    }
    for (sale, why) in [
        ("{sale}", "a sale of no order"),
        ("{float}", "a row that is no sale"),
        ("{away sale}", "a sale of another location"),
        ("{order}", "the id of the order"),
    ] {
        let body = json!({ "transactionId": sale }).to_string();
        let name = format!("device, {PATCH}: {why}");
        let bad = Bad::invalid(
            &name,
            by("register", PATCH, body),
            "transactionId: there is no sale",
        );
        table.push(bad.unstated());
    }
    for status in ["new", "ready", "completed"] {
        let request = "PATCH orders/{cancelled order}";
        let body = json!({ "status": status }).to_string();
        let name = format!("device, {request}: {status}");
        let says = "status: is cancelled, which an order does not leave";
        table.push(Bad::conflict(&name, by("register", request, body), says));
    }
    let ready = r#"{"status":"ready"}"#;
    for (screen, order, why) in [
        ("kiosk", "{other order}", "the order of another kiosk"),
        ("phone", "{order}", "the order of a kiosk, by Scan & Order"),
        ("register", "{away order}", "an order of another location"),
        ("register", "{sale}", "the id of a sale"),
        ("kiosk", "019a8c52-8e20-7c42-8a1f-4c2d6e8fab02", "no order"),
        ("kiosk", "7", "a number for an id"),
        ("kiosk", "%7B{order}%7D", "an id in braces"),
        ("kiosk", "..", "a step back"),
    ] {
        let sent = by(screen, &format!("PATCH orders/{order}"), ready);
        table.push(Bad::not_found(&format!("device, PATCH: {why}"), sent));
    }
    table
}

pub(super) fn table() -> Vec<Bad> {
    creations().into_iter().chain(changes()).collect()
}

#[tokio::test]
async fn wrong_orders_are_refused() {
    super::super::hold(table()).await;
}
