//! The journal: lists, single rows and daily summaries.

use super::{
    queries::VALUES,
    table::{Bad, at_home, write},
};

/// Values that neither `from` nor `to` can have.
pub(super) const MOMENTS: &[(&str, &str)] = &[
    ("", "empty"),
    ("yesterday", "a word"),
    ("2026-02-30", "a day that is not"),
    ("2026-2-1", "a day without its zeros"),
    ("20261120", "a day without hyphens"),
    ("2026-11-20T09:15:30", "a time without an offset"),
    ("2026-11-20T24:00:00Z", "an hour that is not"),
    (
        "2026-11-20T09:15:30+01:00",
        "a time with a plus that means a blank",
    ),
    ("1795166130", "a time in seconds"),
    ("2026-11-20&{name}=2026-11-20", "twice"),
];

/// Values of the parameters that only the list of transactions has.
const TRANSACTIONS: &[(&str, &str, &str)] = &[
    ("type", "", "empty"),
    ("type", "Sale", "in another case"),
    ("type", "gift", "that is none"),
    ("type", "sale&type=refund", "twice"),
    ("sinceReceipt", "", "empty"),
    ("sinceReceipt", "-1", "below zero"),
    ("sinceReceipt", "1.5", "a fraction"),
    ("sinceReceipt", "1e3", "with an exponent"),
    ("sinceReceipt", "%2B5", "with a plus sign"),
    ("sinceReceipt", "ten", "a word"),
    ("sinceReceipt", "99999999999999999999", "beyond 64 bits"),
    ("sinceReceipt", "5&sinceReceipt=6", "twice"),
    ("register", "Till", "a filter that is not"),
    ("date", "2026-11-20", "of daily summaries"),
];

/// Values of the day of a summary.
const DAYS: &[(&str, &str)] = &[
    ("", "empty"),
    ("today", "a word"),
    ("2026-02-30", "a day that is not"),
    ("2026-2-1", "without its zeros"),
    ("20261120", "without hyphens"),
    ("+2026-11-20", "with a sign"),
    ("2026-11-20T00:00:00Z", "a time"),
    ("2026-11-20&date=2026-11-20", "twice"),
];

fn malformed(target: &str, parameter: &str, why: &str) -> Bad {
    let (path, _) = target.split_once('?').unwrap_or((target, ""));
    let name = format!("GET {path}: {parameter} {why}");
    Bad::malformed(&name, at_home(&format!("GET {target}")), parameter)
}

/// The queries of both lists.
fn lists() -> Vec<Bad> {
    let mut table = Vec::new();
    for (list, own_cursor, other_cursor) in [
        ("transactions", "transaction cursor", "Z cursor"),
        ("z-reports", "Z cursor", "transaction cursor"),
    ] {
        let of_all = VALUES
            .iter()
            .filter(|(parameter, ..)| matches!(*parameter, "limit" | "cursor"));
        for (parameter, value, why) in of_all {
            let target = format!("{list}?{parameter}={value}");
            table.push(malformed(&target, parameter, why));
        }
        for (value, why) in MOMENTS {
            for name in ["from", "to"] {
                let value = value.replace("{name}", name);
                table.push(malformed(&format!("{list}?{name}={value}"), name, why));
            }
        }
        for (query, parameter, why) in [
            ("from=2026-11-21&to=2026-11-20", "from", "a day too late"),
            (
                "from=2026-11-20T09:00:00Z&to=2026-11-20T08:59:59Z",
                "from",
                "a second too late",
            ),
            (
                "from=2026-11-20T23:00:00Z&to=2026-11-20",
                "from",
                "after the day that ends the period",
            ),
            (
                "updatedSince=2026-11-20T09:15:30Z",
                "updatedSince",
                "of other lists",
            ),
            ("includeDeleted=true", "includeDeleted", "of other lists"),
        ] {
            table.push(malformed(&format!("{list}?{query}"), parameter, why));
        }
        for (cursor, query, why) in [
            (other_cursor, "", "of the other list"),
            ("cursor", "", "of products"),
            ("event cursor", "", "of events"),
            (own_cursor, "&from=2026-11-01", "of a list without from"),
            (own_cursor, "0", "with a character too many"),
        ] {
            let target = format!("{list}?cursor={{{cursor}}}{query}");
            table.push(malformed(&target, "cursor", why));
        }
    }
    table
}

pub(super) fn table() -> Vec<Bad> {
    let mut table = lists();
    for (parameter, value, why) in TRANSACTIONS {
        let target = format!("transactions?{parameter}={value}");
        table.push(malformed(&target, parameter, why));
    }
    for (parameter, value) in [("type", "sale"), ("sinceReceipt", "1")] {
        let target = format!("z-reports?{parameter}={value}");
        table.push(malformed(&target, parameter, "of transactions"));
    }
    for (value, why) in DAYS {
        let target = format!("daily-summary?date={value}");
        table.push(malformed(&target, "date", why));
    }
    for parameter in ["limit=5", "cursor=x", "from=2026-11-20"] {
        let (name, _) = parameter.split_once('=').expect("a pair");
        let target = format!("daily-summary?{parameter}");
        table.push(malformed(&target, name, "of lists"));
    }
    for (kind, id) in [("transactions", "transaction"), ("z-reports", "Z report")] {
        let target = format!("{kind}/{{{id}}}?limit=5");
        table.push(malformed(&target, "limit", "of lists"));
        let theirs = format!("{{their {id}}}");
        for (id, why) in [
            ("{product}", "the id of a product"),
            (theirs.as_str(), "one of another location"),
            ("019a8c52-8e20-7c42-8a1f-4c2d6e8fab02", "an id of no record"),
            ("1", "a number"),
            ("%7B%7D", "braces"),
        ] {
            let name = format!("GET {kind}: {why}");
            table.push(Bad::not_found(&name, at_home(&format!("GET {kind}/{id}"))));
        }
        for method in ["POST", "PUT", "PATCH", "DELETE"] {
            let name = format!("{method} {kind}");
            table.push(Bad::no_method(
                &name,
                write(&format!("{method} {kind}"), "{}"),
            ));
            let name = format!("{method} {kind}/id");
            let request = write(&format!("{method} {kind}/{{{id}}}"), "{}");
            table.push(Bad::no_method(&name, request));
        }
    }
    for path in [
        "transactions",
        "transactions/{transaction}",
        "z-reports",
        "z-reports/{Z report}",
        "daily-summary",
    ] {
        let request = at_home(&format!("GET {path}")).header("authorization", "Bearer {reader}");
        let name = format!("GET {path}: a token without the scope");
        table.push(Bad::forbidden(&name, request, "forbidden_scope"));
    }
    table
}

#[tokio::test]
async fn wrong_requests_about_the_journal_are_refused() {
    super::hold(table()).await;
}
