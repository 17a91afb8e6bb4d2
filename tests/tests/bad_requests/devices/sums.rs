//! Journal rows that are well-formed, and do not add up or do not fit to what is there.

use serde_json::{Value, json};

use super::{Bad, by, line, transactions::sale};

/// A row that moves cash only.
fn cash(kind: &str, cents: i64) -> Value {
    json!({
        "type": kind,
        "totalCents": cents,
        "payments": [{ "method": "cash", "amountCents": cents }],
    })
}

/// A refund of what [`sale`] sold.
fn refund() -> Value {
    let mut line = line();
    line["quantity"] = (-2).into();
    line["totalCents"] = (-400).into();
    json!({
        "type": "refund",
        "totalCents": -400,
        "lines": [line],
        "payments": [{ "method": "card", "amountCents": -400 }],
        "refundOf": "{sale}",
    })
}

/// A body with some of its fields changed, or added.
fn with(mut body: Value, changes: &[(&str, Value)]) -> Value {
    for (pointer, value) in changes {
        let (parent, last) = pointer.rsplit_once('/').expect("a pointer");
        body.pointer_mut(parent).expect("what it is part of")[last] = value.clone();
    }
    body
}

/// What is wrong, the row, and what the message says: the figure expected and the one found.
fn rows() -> Vec<(&'static str, Value, &'static str)> {
    let change = |pointer: &str, value: Value| with(sale(), &[(pointer, value)]);
    let at = |pointer, value: i64| change(pointer, value.into());
    let rate =
        |rate: i64| json!({ "vatRate": rate, "netCents": 367, "vatCents": 33, "grossCents": 400 });
    vec![
        (
            "a line that costs something else",
            at("/lines/0/totalCents", 399),
            "lines[0].totalCents: must be 400, not 399",
        ),
        (
            "a line whose discount was not taken off",
            at("/lines/0/discountCents", 50),
            "lines[0].totalCents: must be 350, not 400",
        ),
        (
            "a line whose discount is more than its price",
            at("/lines/0/discountCents", 401),
            "lines[0].discountCents: must be at most 400, the price of the line, not 401",
        ),
        (
            "a line of nothing",
            at("/lines/0/quantity", 0),
            "lines[0].quantity: must be above 0, not 0",
        ),
        (
            "a sale of less than nothing",
            at("/lines/0/quantity", -2),
            "lines[0].quantity: must be above 0, not -2",
        ),
        (
            "a total that is not that of the lines",
            at("/totalCents", 401),
            "totalCents: must be 400, the sum of the lines, not 401",
        ),
        (
            "payments that are too low",
            at("/payments/0/amountCents", 399),
            "payments: must add up to 400, which is totalCents, not 399",
        ),
        (
            "no payment of a sale that costs something",
            change("/payments", json!([])),
            "payments: must add up to 400",
        ),
        (
            "a discount that the lines do not have",
            at("/discountCents", 1),
            "discountCents: must be 0, the discount of all lines, not 1",
        ),
        (
            "a sale without lines",
            change("/lines", json!([])),
            "lines: must have at least one entry in a sale",
        ),
        (
            "a VAT that is a cent too low",
            at("/vat/0/vatCents", 32),
            "vat[0].vatCents: must be 33",
        ),
        (
            "a net amount that is a cent too high",
            at("/vat/0/netCents", 368),
            "vat[0].netCents: must be 367",
        ),
        (
            "a gross amount that is a cent too high",
            at("/vat/0/grossCents", 401),
            "vat[0].grossCents: must be 400",
        ),
        (
            "VAT of a rate that no line has",
            change("/vat", json!([rate(21)])),
            "vat[0].vatRate: must be a rate of the lines, not 21",
        ),
        (
            "VAT of a rate twice",
            change("/vat", json!([rate(9), rate(9)])),
            "vat[1].vatRate: repeats the rate 9 of an earlier entry",
        ),
        (
            "no VAT of a rate",
            change("/vat", json!([])),
            "vat: must have the rate 9 of the lines, with vatCents 33",
        ),
        (
            "a sale that refunds",
            change("/refundOf", "{sale}".into()),
            "refundOf: can only be in a refund, not in a row of type sale",
        ),
        (
            "a sale of tomorrow's tomorrow",
            change("/createdAt", "2026-11-21T10:00:01Z".into()),
            "createdAt: must be at most 24 hours ahead",
        ),
        (
            "an order that is not",
            change("/orderId", "019a8c52-8e20-7c42-8a1f-4c2d6e8fab02".into()),
            "orderId: there is no order",
        ),
        (
            "an order of another location",
            change("/orderId", "{away order}".into()),
            "orderId: there is no order",
        ),
        (
            "a refund of more than nothing",
            with(refund(), &[("/lines/0/quantity", 2.into())]),
            "lines[0].quantity: must be below 0 in a refund, not 2",
        ),
        (
            "a refund that takes money",
            with(refund(), &[("/totalCents", 400.into())]),
            "totalCents: must be -400, the sum of the lines, not 400",
        ),
        (
            "a refund of nothing that was sold",
            with(refund(), &[("/refundOf", "{order}".into())]),
            "refundOf: there is no sale",
        ),
        (
            "a refund of a sale of another location",
            with(refund(), &[("/refundOf", "{away sale}".into())]),
            "refundOf: there is no sale",
        ),
        (
            "a refund of what is no sale",
            with(refund(), &[("/refundOf", "{float}".into())]),
            "refundOf: must be a sale, and ",
        ),
        (
            "an opening float below zero",
            cash("opening_float", -1),
            "totalCents: must be 0 or more in a row of type opening_float, not -1",
        ),
        (
            "nothing put in",
            cash("cash_in", 0),
            "totalCents: must be above 0 in a row of type cash_in, not 0",
        ),
        (
            "cash taken out that is put in",
            cash("cash_out", 5),
            "totalCents: must be below 0 in a row of type cash_out, not 5",
        ),
        (
            "cash by card",
            with(cash("cash_in", 5), &[("/payments/0/method", "card".into())]),
            "payments[0].method: must be cash in a row of type cash_in, not card",
        ),
        (
            "cash that is another amount",
            with(cash("cash_in", 5), &[("/payments/0/amountCents", 4.into())]),
            "payments[0].amountCents: must be 5, which is totalCents, not 4",
        ),
        (
            "cash without a payment",
            with(cash("cash_out", -5), &[("/payments", json!([]))]),
            "payments: must have one entry of method cash in a row of type cash_out, not 0",
        ),
        (
            "cash with lines",
            with(cash("cash_in", 400), &[("/lines", json!([line()]))]),
            "lines: can only be in a sale or a refund, not in a row of type cash_in",
        ),
        (
            "cash for an order",
            with(cash("cash_in", 400), &[("/orderId", "{order}".into())]),
            "orderId: can only be in a sale or a refund, not in a row of type cash_in",
        ),
        (
            "cash with VAT",
            with(cash("cash_in", 400), &[("/vat", json!([rate(9)]))]),
            "vat[0].vatRate: must be a rate of the lines, not 9",
        ),
    ]
}

pub(super) fn table() -> Vec<Bad> {
    let bad = |(why, row, says): (&str, Value, &str)| {
        let sent = by("register", "POST transactions", row.to_string());
        // A schema knows no sums.
        Bad::invalid(&format!("device, sums: {why}"), sent, says).unstated()
    };
    let mut table: Vec<Bad> = rows().into_iter().map(bad).collect();
    for (why, order, says) in [
        (
            "an order that was paid",
            "{paid order}",
            "was paid by transaction",
        ),
        ("a cancelled order", "{cancelled order}", "is cancelled"),
    ] {
        let row = with(sale(), &[("/orderId", order.into())]).to_string();
        let sent = by("register", "POST transactions", row.clone());
        table.push(Bad::conflict(&format!("device, sums: {why}"), sent, says));
    }
    let other = by("register", "POST transactions", sale().to_string()).key("used");
    let name = "device: a key that another row was sent with";
    table.push(Bad::conflict(name, other, "Idempotency-Key: was used"));
    table
}

#[tokio::test]
async fn rows_that_do_not_add_up_are_refused() {
    super::super::hold(table()).await;
}
