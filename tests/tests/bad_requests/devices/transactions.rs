//! The form of journal rows and Z reports.

use serde_json::{Value, json};

use super::{
    Bad,
    faults::{no_amount, no_entry, no_id, no_list, no_name_or_null, no_text, no_whole, no_word},
    invalid, line, lines, missing,
};
use crate::bad_requests::fields::{fault, no_number, no_string};

/// Times that are none.
const TIMES: &[(&str, &str)] = &[
    ("", "empty"),
    ("yesterday", "a word"),
    ("2026-11-20", "a date"),
    ("2026-11-20T09:15:30", "without an offset"),
    ("2026-11-20 09:15:30Z", "with a blank"),
    ("2026-02-30T09:15:30Z", "on a day that is not"),
    ("2026-11-20T24:00:00Z", "at an hour that is not"),
    ("2026-11-20T09:15:60Z", "at a leap second"),
];

/// A sale with all of its fields.
pub(super) fn sale() -> Value {
    json!({
        "type": "sale",
        "employee": "Noor",
        "totalCents": 400,
        "discountCents": 0,
        "lines": [line()],
        "payments": [{ "method": "card", "amountCents": 400 }],
        "vat": [{ "vatRate": 9, "netCents": 367, "vatCents": 33, "grossCents": 400 }],
        "refundOf": null,
        "orderId": null,
        "note": "To go",
        "createdAt": "2026-11-20T09:15:30Z",
    })
}

pub(super) fn table() -> Vec<Bad> {
    const POST: &str = "POST transactions";
    let sale = sale();
    let mut times = no_string("", false);
    for (value, why) in TIMES {
        times.push(fault("", format!("{value:?}"), why));
    }
    let mut rate = no_number("");
    rate.push(fault("", "100.01", "above a hundred"));
    let unknown = || vec![fault("", "1", "an unknown field")];
    let fields = [
        ("/type", no_word()),
        ("/employee", no_name_or_null(100)),
        ("/totalCents", no_amount()),
        ("/discountCents", no_whole(1_000_000_000_000)),
        ("/lines", no_list(&line(), 500)),
        ("/payments", no_list(&sale["payments"][0], 50)),
        ("/payments/0", no_entry()),
        ("/payments/0/method", no_word()),
        ("/payments/0/amountCents", no_amount()),
        ("/payments/0/colour", unknown()),
        ("/vat", no_list(&sale["vat"][0], 50)),
        ("/vat/0", no_entry()),
        ("/vat/0/vatRate", rate),
        ("/vat/0/netCents", no_amount()),
        ("/vat/0/vatCents", no_amount()),
        ("/vat/0/grossCents", no_amount()),
        ("/vat/0/colour", unknown()),
        ("/refundOf", no_id()),
        ("/orderId", no_id()),
        ("/note", no_text(500)),
        ("/createdAt", times),
        ("/colour", unknown()),
        ("/Type", unknown()),
    ];
    let mut table = Vec::new();
    for (pointer, faults) in fields {
        table.extend(invalid(POST, "register", &sale, pointer, faults));
    }
    let required = [
        "/type",
        "/totalCents",
        "/payments",
        "/payments/0/method",
        "/payments/0/amountCents",
        "/vat/0/vatRate",
        "/vat/0/netCents",
        "/vat/0/vatCents",
        "/vat/0/grossCents",
    ];
    table.extend(missing(POST, "register", &sale, &required));
    table.extend(lines(POST, "register", &sale));

    let counted = json!({ "countedCents": 100 });
    let mut cents = no_whole(1_000_000_000_000);
    cents.retain(|fault| fault.value != "null");
    for (pointer, faults) in [("/countedCents", cents), ("/colour", unknown())] {
        let close = "POST z-reports";
        table.extend(invalid(close, "register", &counted, pointer, faults));
    }
    table
}

#[tokio::test]
async fn malformed_rows_are_refused() {
    super::super::hold(table()).await;
}
