//! Requests about stock: each field of each body, each state, each scope.

use connect_tests::http::Request;

use super::{
    fields::{Fault, fault, many, no_boolean, no_number, no_string},
    table::{Bad, at_home, write},
};

const ONE: &str = "PUT stock/{product}";
const MANY: &str = "PUT stock";
const ADJUST: &str = "POST stock/adjustments";
const UNKNOWN: &str = "019a8c52-8e20-7c42-8a1f-4c2d6e8fab02";

/// What a quantity cannot be. `null` is among it.
fn no_quantity(field: &'static str) -> Vec<Fault> {
    let mut faults = no_number(field);
    faults.extend([
        fault(field, "1000000000.001", "one thousandth too large"),
        fault(field, "-1000000000.001", "one thousandth too small"),
        fault(field, "1e10", "too large, with an exponent"),
        fault(field, "1e999", "beyond any float"),
        fault(field, "9223372036854775808", "beyond 64 bits"),
        fault(field, "1.2345", "of four fraction digits"),
        fault(field, "1e-4", "a small fraction"),
        // A float reader takes this for 12.
        fault(
            field,
            "12.0000000000000000000001",
            "a fraction beyond a float",
        )
        .unstated(),
    ]);
    faults
}

fn below_zero(field: &'static str) -> Vec<Fault> {
    vec![
        fault(field, "-1", "below zero"),
        fault(field, "-0.001", "a little below zero"),
    ]
}

fn no_note() -> Vec<Fault> {
    let mut faults = no_string("note", true);
    faults.extend([
        fault("note", many("x", 501), "one character too long"),
        fault(
            "note",
            many("🥐", 501),
            "one character of four bytes too long",
        ),
        fault("note", "\"a\\tb\"", "with a tab"),
        fault("note", "\"a\\u0000b\"", "with a NUL"),
    ]);
    faults
}

fn no_product_id() -> Vec<Fault> {
    let mut faults = no_string("productId", false);
    faults.extend([
        fault("productId", "\"\"", "empty"),
        fault("productId", "\"RYE\"", "a code"),
        fault(
            "productId",
            "\"019a8c528e207c428a1f4c2d6e8fab02\"",
            "without hyphens",
        ),
    ]);
    faults
}

fn no_external_id() -> Vec<Fault> {
    let mut faults = no_string("externalId", true);
    faults.extend([
        fault("externalId", "\"\"", "empty"),
        fault("externalId", "\" A\"", "with a blank before it"),
        fault("externalId", "\"é\"", "with a letter beyond ASCII"),
        fault("externalId", many("x", 101), "one character too long"),
    ]);
    faults
}

/// A body that has a fault, beside the fields that it needs to be whole.
fn with(fault: &Fault, rest: &[(&str, &str)]) -> String {
    let (field, value) = (fault.field, &fault.value);
    let rest = rest.iter().filter(|(name, _)| *name != field);
    // The code is judged by itself.
    let rest = rest.filter(|(name, _)| *name != "productId" || field != "externalId");
    let rest: String = rest
        .map(|(name, value)| format!(r#""{name}":{value},"#))
        .collect();
    format!(r#"{{{rest}"{field}":{value}}}"#)
}

fn of_bodies() -> Vec<Bad> {
    let quantity = [("quantity", "1")];
    let adjustment = [("productId", "\"{product}\""), ("quantityChange", "1")];
    let mut counts = no_quantity("quantity");
    counts.extend(below_zero("quantity"));
    counts.extend(no_quantity("expectedQuantity"));
    counts.extend(no_note());
    counts.extend([
        fault("quantityChange", "1", "a field of adjustments"),
        fault("dryRun", "true", "a field of many counts"),
        fault("type", "\"count\"", "a field of movements"),
    ]);
    let mut adjustments = no_product_id();
    adjustments.extend(no_external_id());
    adjustments.extend(no_quantity("quantityChange"));
    adjustments.extend(no_string("type", false));
    adjustments.extend(no_note());
    adjustments.extend([
        fault("quantityChange", "0", "nothing").unstated(),
        fault("quantityChange", "0.000", "nothing, with a point").unstated(),
        fault("type", "\"\"", "empty"),
        fault("type", "\"Delivery\"", "in another case"),
        fault("type", "\"count\"", "a type of movements"),
        fault("type", "\"sale\"", "a type of registers"),
        fault("quantity", "1", "a field of counts"),
        fault("expectedQuantity", "1", "a field of counts"),
        fault("updatedAt", "\"2026-11-20T09:15:30Z\"", "a field of levels"),
    ]);
    let mut table = Vec::new();
    let mut add = |request: &str, faults: Vec<Fault>, rest: &[(&str, &str)]| {
        for fault in faults {
            let name = format!("{request}: {} is {}", fault.field, fault.why);
            let body = write(request, with(&fault, rest));
            let bad = Bad::invalid(&name, body, fault.names);
            table.push(if fault.unstated { bad.unstated() } else { bad });
        }
    };
    add(ONE, counts, &quantity);
    add(ADJUST, adjustments, &adjustment);
    table
}

fn many_counts(rest: &str) -> Request {
    write(MANY, format!("{{{rest}}}"))
}

fn of_many() -> Vec<Bad> {
    let items = r#""items":[{"productId":"{product}","quantity":1}]"#;
    let mut table = Vec::new();
    let mut faults = no_note();
    faults.extend(no_boolean("dryRun"));
    faults.extend([
        fault("matchBy", "\"id\"", "a field of batches"),
        fault("reason", "\"count\"", "a field of events"),
    ]);
    for fault in faults {
        let (field, value) = (fault.field, &fault.value);
        let name = format!("{MANY}: {field} is {}", fault.why);
        let request = many_counts(&format!(r#"{items},"{field}":{value}"#));
        table.push(Bad::invalid(&name, request, fault.names));
    }
    let too_many = vec!["{}"; 1001].join(",");
    for (why, rest) in [
        ("no items at all", r#""note":"A""#.to_owned()),
        ("an empty list of items", r#""items":[]"#.to_owned()),
        ("items of null", r#""items":null"#.to_owned()),
        ("items in an object", r#""items":{}"#.to_owned()),
        (
            "a thousand items and one",
            format!(r#""items":[{too_many}]"#),
        ),
    ] {
        let name = format!("{MANY}: {why}");
        table.push(Bad::invalid(&name, many_counts(&rest), "items"));
    }
    let twice = many_counts(r#""items":[{"productId":"{product}","quantity":1,"quantity":2}]"#);
    table.push(Bad::malformed(
        &format!("{MANY}: a field of an item twice"),
        twice,
        "\"quantity\" twice",
    ));
    table
}

/// Items that fail alone.
pub(super) fn items() -> Vec<Bad> {
    let rest = [("productId", "\"{product}\""), ("quantity", "1")];
    let mut faults = no_product_id();
    faults.extend(no_external_id());
    faults.extend(no_quantity("quantity"));
    faults.extend(below_zero("quantity"));
    faults.extend(no_quantity("expectedQuantity"));
    faults.extend([
        fault("note", "\"A\"", "a field of the whole"),
        fault("quantityChange", "1", "a field of adjustments"),
    ]);
    let mut table = Vec::new();
    for fault in faults {
        let name = format!("counted item: {} is {}", fault.field, fault.why);
        let request = many_counts(&format!(r#""items":[{}]"#, with(&fault, &rest)));
        let bad = Bad::item(&name, request, "validation_failed", fault.names);
        table.push(if fault.unstated { bad.unstated() } else { bad });
    }
    let item = |why: &str, item: &str, code, names: &str| {
        let name = format!("counted item: {why}");
        Bad::item(
            &name,
            many_counts(&format!(r#""items":[{item}]"#)),
            code,
            names,
        )
    };
    let invalid = "validation_failed";
    table.extend([
        item(
            "no quantity",
            r#"{"productId":"{product}"}"#,
            invalid,
            "quantity",
        ),
        item("a number", "7", invalid, "item"),
        item("null", "null", invalid, "item"),
    ]);
    table.extend(
        [
            item("no product", r#"{"quantity":1}"#, invalid, "productId"),
            item(
                "no product but null",
                r#"{"externalId":null,"quantity":1}"#,
                invalid,
                "productId",
            ),
            item(
                "the names of two products",
                r#"{"productId":"{product}","externalId":"SCENE-2","quantity":1}"#,
                "conflict",
                "externalId",
            ),
            item(
                "an unknown id",
                &format!(r#"{{"productId":"{UNKNOWN}","quantity":1}}"#),
                "not_found",
                "productId",
            ),
            item(
                "an unknown code",
                r#"{"externalId":"NOWHERE","quantity":1}"#,
                "not_found",
                "externalId",
            ),
            item(
                "a product of another location",
                r#"{"productId":"{elsewhere}","quantity":1}"#,
                "forbidden_location",
                "productId",
            ),
            item(
                "another stock than expected",
                r#"{"productId":"{tracked}","quantity":1,"expectedQuantity":2}"#,
                "conflict",
                "expectedQuantity",
            ),
            item(
                "none of the stock that is expected",
                r#"{"productId":"{product}","quantity":1,"expectedQuantity":0}"#,
                "conflict",
                "expectedQuantity",
            ),
        ]
        .map(Bad::unstated),
    );
    table
}

/// Requests that are good but for what is there.
fn of_states() -> Vec<Bad> {
    let one = |product: &str, body: &str| write(&format!("PUT stock/{product}"), body.to_owned());
    let adjust = |body: &str| write(ADJUST, body.to_owned());
    let mut table = vec![
        Bad::not_found("GET stock: not tracked", at_home("GET stock/{product}")),
        Bad::not_found(
            "GET stock: of another location",
            at_home("GET stock/{elsewhere}"),
        ),
        Bad::not_found(
            "GET stock: unknown",
            at_home(&format!("GET stock/{UNKNOWN}")),
        ),
        Bad::not_found("GET stock: no UUID", at_home("GET stock/RYE")),
        Bad::not_found(
            "PUT stock: of another location",
            one("{elsewhere}", r#"{"quantity":1}"#),
        ),
        Bad::not_found("PUT stock: unknown", one(UNKNOWN, r#"{"quantity":1}"#)),
        Bad::not_found(
            "PUT stock: a category",
            one("{category}", r#"{"quantity":1}"#),
        ),
        Bad::conflict(
            "PUT stock: another stock than expected",
            one("{tracked}", r#"{"quantity":1,"expectedQuantity":4.999}"#),
            "expectedQuantity",
        ),
        // Also when it would change nothing.
        Bad::conflict(
            "PUT stock: another stock than expected, and the same as counted",
            one("{tracked}", r#"{"quantity":5,"expectedQuantity":4}"#),
            "expectedQuantity",
        ),
        Bad::conflict(
            "PUT stock: none of the stock that is expected",
            one("{product}", r#"{"quantity":1,"expectedQuantity":0}"#),
            "expectedQuantity",
        ),
        Bad::invalid(
            "PUT stock: nothing at all",
            one("{product}", "{}"),
            "quantity",
        ),
        Bad::invalid(
            "adjustment: no quantity",
            adjust(r#"{"productId":"{product}"}"#),
            "quantityChange",
        ),
        Bad::conflict(
            "adjustment: more than a shop can hold",
            adjust(r#"{"productId":"{tracked}","quantityChange":999999995.001}"#),
            "quantityChange",
        ),
        Bad::conflict(
            "adjustment: the names of two products",
            adjust(r#"{"productId":"{product}","externalId":"SCENE-2","quantityChange":1}"#),
            "externalId",
        ),
        Bad::forbidden(
            "adjustment: a product of another location",
            adjust(r#"{"productId":"{elsewhere}","quantityChange":1}"#),
            "forbidden_location",
        ),
    ];
    let unstated = [
        ("no product", r#"{"quantityChange":1}"#, "productId"),
        (
            "no product but null",
            r#"{"externalId":null,"quantityChange":1}"#,
            "productId",
        ),
        (
            "an unknown code",
            r#"{"externalId":"NOWHERE","quantityChange":1}"#,
            "externalId",
        ),
        (
            "an unknown id",
            r#"{"productId":"019a8c52-8e20-7c42-8a1f-4c2d6e8fab02","quantityChange":1}"#,
            "productId",
        ),
        (
            "a delivery of less than nothing",
            r#"{"productId":"{product}","quantityChange":-1,"type":"delivery"}"#,
            "quantityChange",
        ),
    ];
    table.extend(unstated.map(|(why, body, names)| {
        Bad::invalid(&format!("adjustment: {why}"), adjust(body), names).unstated()
    }));
    table.extend([
        Bad::no_method("DELETE stock", at_home("DELETE stock/{tracked}")),
        Bad::no_method("PATCH stock", write("PATCH stock/{tracked}", "{}")),
        Bad::no_method("POST stock", write("POST stock", "{}")),
        Bad::no_method("GET adjustments", at_home("GET stock/adjustments")),
        Bad::no_method("POST movements", write("POST stock/movements", "{}")),
        Bad::not_found(
            "one movement",
            at_home(&format!("GET stock/movements/{UNKNOWN}")),
        ),
    ]);
    table
}

fn of_callers() -> Vec<Bad> {
    let mut table = Vec::new();
    let bodies = [
        (ONE, r#"{"quantity":1}"#),
        (MANY, r#"{"items":[]}"#),
        (ADJUST, "{}"),
    ];
    let reads = ["GET stock", "GET stock/{tracked}", "GET stock/movements"];
    let mut forbidden = |request: &str, sent: Request, token: &str, code| {
        let sent = sent.header("authorization", format!("Bearer {{{token}}}"));
        table.push(Bad::forbidden(
            &format!("{request}: by the {token}"),
            sent,
            code,
        ));
    };
    for (request, body) in bodies {
        for token in ["stock reader", "writer"] {
            forbidden(request, write(request, body), token, "forbidden_scope");
        }
        forbidden(
            request,
            write(request, body),
            "elsewhere token",
            "forbidden_location",
        );
    }
    for request in reads {
        // Writing does not include reading.
        for token in ["till", "reader"] {
            forbidden(request, at_home(request), token, "forbidden_scope");
        }
        forbidden(
            request,
            at_home(request),
            "elsewhere token",
            "forbidden_location",
        );
    }
    for request in reads.into_iter().chain(bodies.map(|(request, _)| request)) {
        let nobody = match request.starts_with("GET") {
            true => at_home(request),
            false => write(request, "{}"),
        };
        let nobody = nobody.header("x-no-token", "1");
        table.push(Bad::unauthorized(&format!("{request}: by nobody"), nobody));
    }
    table
}

fn of_queries() -> Vec<Bad> {
    let malformed = |request: &str, query: &str, why: &str| {
        let (parameter, _) = query.split_once('=').expect("a pair");
        let name = format!("{request}: {parameter} {why}");
        Bad::malformed(&name, at_home(&format!("{request}?{query}")), parameter)
    };
    let mut table: Vec<Bad> = [
        ("limit=0", "of zero"),
        ("limit=201", "one too many"),
        ("cursor=x", "a letter"),
        ("cursor={cursor}", "of products"),
        ("updatedSince=yesterday", "a word"),
        ("updatedSince=2026-11-20", "a date"),
        ("includeDeleted=yes", "a word"),
        ("from=2026-11-20", "of other lists"),
        ("externalId=RYE", "of products"),
        ("productId={tracked}", "of movements"),
    ]
    .map(|(query, why)| malformed("GET stock", query, why))
    .into();
    table.push(Bad::malformed(
        "GET stock: deletions from before tombstones are kept",
        at_home("GET stock?includeDeleted=true&updatedSince=2026-08-22T09:59:59Z"),
        "updatedSince",
    ));
    table.push(Bad::malformed(
        "GET stock: a cursor of a list without deleted levels",
        at_home("GET stock?limit=1&includeDeleted=true&cursor={level cursor}"),
        "cursor",
    ));
    table.extend(
        [
            ("limit=-1", "below zero"),
            ("cursor={level cursor}", "of levels"),
            ("cursor={movement cursor}0", "with a character too many"),
            ("productId=RYE", "a code"),
            ("productId=", "empty"),
            ("type=", "empty"),
            ("type=Count", "in another case"),
            ("type=theft", "that is none"),
            ("from=yesterday", "a word"),
            ("to=2026-02-30", "a day that is not"),
            ("updatedSince=2026-11-20T09:15:30Z", "of other lists"),
            ("includeDeleted=true", "of other lists"),
            ("externalId=RYE", "of products"),
        ]
        .map(|(query, why)| malformed("GET stock/movements", query, why)),
    );
    for (filter, why) in [
        ("productId={tracked}", "product"),
        ("type=count", "type"),
        ("from=2020-01-01", "period"),
    ] {
        table.push(Bad::malformed(
            &format!("GET stock/movements: a cursor of another {why}"),
            at_home(&format!(
                "GET stock/movements?cursor={{movement cursor}}&{filter}"
            )),
            "cursor",
        ));
    }
    table.push(Bad::malformed(
        "GET stock/movements: a period that ends before it begins",
        at_home("GET stock/movements?from=2026-11-21&to=2026-11-20"),
        "to",
    ));
    table.push(Bad::malformed(
        "GET one stock: a parameter of lists",
        at_home("GET stock/{tracked}?limit=5"),
        "limit",
    ));
    for (request, body) in [(ONE, r#"{"quantity":1}"#), (MANY, "{}"), (ADJUST, "{}")] {
        let name = format!("{request}: a query parameter");
        let request = write(&format!("{request}?dryRun=true"), body);
        table.push(Bad::malformed(&name, request, "dryRun"));
    }
    table
}

pub(super) fn table() -> Vec<Bad> {
    let mut table = of_bodies();
    table.extend(of_many());
    table.extend(of_states());
    table.extend(of_callers());
    table.extend(of_queries());
    table
}

#[tokio::test]
async fn wrong_requests_about_stock_are_refused() {
    super::hold(table()).await;
}

#[tokio::test]
async fn wrong_items_of_counts_fail_alone() {
    super::hold(items()).await;
}
