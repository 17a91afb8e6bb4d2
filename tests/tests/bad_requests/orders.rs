//! Orders as integrators ask for them.

use super::{
    journal::MOMENTS,
    queries::VALUES,
    table::{Bad, at_home, write},
};

/// Values that only the list of orders has.
const OWN: &[(&str, &str, &str)] = &[
    ("status", "", "empty"),
    ("status", "New", "in another case"),
    ("status", "paid", "that is none"),
    ("status", "new&status=ready", "twice"),
    ("source", "", "empty"),
    ("source", "pos", "that makes no orders"),
    ("source", "kiosk&source=kiosk", "twice"),
    ("paymentStatus", "paid", "that is no filter"),
    ("sinceReceipt", "1", "of transactions"),
    ("type", "sale", "of transactions"),
    ("cursor", "{cursor}", "of products"),
    ("cursor", "{transaction cursor}", "of transactions"),
    ("cursor", "{order cursor}0", "with a character too many"),
    ("cursor", "{order cursor}&status=new", "of another filter"),
    (
        "cursor",
        "{order cursor}&updatedSince=2026-11-01T00:00:00Z",
        "of another order",
    ),
];

/// Periods that end before they begin.
const BACKWARDS: &[(&str, &str)] = &[
    ("from=2026-11-21&to=2026-11-20", "a day"),
    (
        "from=2026-11-20T09:00:00Z&to=2026-11-20T08:59:59Z",
        "a second",
    ),
];

fn malformed(query: &str, parameter: &str, why: &str) -> Bad {
    let name = format!("GET orders: {parameter} {why}");
    Bad::malformed(&name, at_home(&format!("GET orders?{query}")), parameter)
}

pub(super) fn table() -> Vec<Bad> {
    let mut table = Vec::new();
    for (parameter, value, why) in VALUES.iter().chain(OWN) {
        table.push(malformed(&format!("{parameter}={value}"), parameter, why));
    }
    for (value, why) in MOMENTS {
        for name in ["from", "to"] {
            let value = value.replace("{name}", name);
            table.push(malformed(&format!("{name}={value}"), name, why));
        }
    }
    for (query, by) in BACKWARDS {
        table.push(malformed(query, "from", &format!("{by} too late")));
    }
    for (id, why) in [
        ("{product}", "the id of a product"),
        ("{away order}", "an order of another location"),
        ("019a8c52-8e20-7c42-8a1f-4c2d6e8fab02", "an id of no order"),
        ("1", "a number"),
        ("%7B{order}%7D", "an id in braces"),
    ] {
        let request = at_home(&format!("GET orders/{id}"));
        table.push(Bad::not_found(&format!("GET orders: {why}"), request));
    }
    let query = at_home("GET orders/{order}?limit=5");
    table.push(Bad::malformed("GET order: a query", query, "limit"));
    // Orders are made at kiosks, not with tokens.
    for method in ["POST", "PUT", "PATCH", "DELETE"] {
        for path in ["orders", "orders/{order}"] {
            let request = format!("{method} {path}");
            table.push(Bad::no_method(&request, write(&request, "{}")));
        }
    }
    for path in ["orders", "orders/{order}"] {
        for token in ["reader", "till"] {
            let key = format!("Bearer {{{token}}}");
            let request = at_home(&format!("GET {path}")).header("authorization", key);
            let name = format!("GET {path}: by the {token}");
            table.push(Bad::forbidden(&name, request, "forbidden_scope"));
        }
    }
    table
}

#[tokio::test]
async fn wrong_requests_about_orders_are_refused() {
    super::hold(table()).await;
}
