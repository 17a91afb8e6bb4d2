//! Query strings.

use super::table::{Bad, anywhere, at_home};

/// Values that a parameter cannot have, for a list that has it.
pub(super) const VALUES: &[(&str, &str, &str)] = &[
    ("limit", "0", "zero"),
    ("limit", "201", "one too many"),
    ("limit", "99999999999999999999", "beyond 64 bits"),
    ("limit", "-1", "below zero"),
    ("limit", "abc", "a word"),
    ("limit", "1.5", "a fraction"),
    ("limit", "10.0", "a fraction of zero"),
    ("limit", "1e2", "an exponent"),
    ("limit", "%2B5", "a plus sign"),
    ("limit", "%205", "a blank before it"),
    ("limit", "0x10", "hexadecimal"),
    ("limit", "%D9%A3", "a digit beyond ASCII"),
    ("limit", "", "empty"),
    ("cursor", "", "empty"),
    ("cursor", "x", "a letter"),
    ("cursor", "null", "null"),
    ("cursor", "00000000000000000000000000000000", "made up"),
    ("cursor", "..%2F..%2Fetc", "a path"),
    ("updatedSince", "", "empty"),
    ("updatedSince", "yesterday", "a word"),
    ("updatedSince", "2026-11-20", "a date"),
    ("updatedSince", "2026-11-20T09:15:30", "without an offset"),
    ("updatedSince", "2026-11-20%2009:15:30Z", "with a blank"),
    ("updatedSince", "2026-11-20T09:15Z", "without seconds"),
    (
        "updatedSince",
        "2026-02-30T09:15:30Z",
        "on a day that is not",
    ),
    (
        "updatedSince",
        "2026-11-20T24:00:00Z",
        "at an hour that is not",
    ),
    ("updatedSince", "2026-11-20T09:15:60Z", "at a leap second"),
    (
        "updatedSince",
        "2026-11-20T09:15:30.Z",
        "without the fraction it announces",
    ),
    (
        "updatedSince",
        "2026-11-20T09:15:30.1234567890Z",
        "with ten fraction digits",
    ),
    (
        "updatedSince",
        "2026-11-20T09:15:30+01:00",
        "with a plus that means a blank",
    ),
    ("updatedSince", "1795166130", "in seconds"),
    ("includeDeleted", "yes", "a word"),
    ("includeDeleted", "1", "a number"),
    ("includeDeleted", "TRUE", "in capitals"),
    ("includeDeleted", "", "empty"),
];

/// Values that a parameter of the list of products cannot have.
const FILTERS: &[(&str, &str, &str)] = &[
    ("barcode", "", "empty"),
    ("categoryId", "", "empty"),
    ("categoryId", "bread", "a word"),
    (
        "categoryId",
        "%7B019a8c52-8e20-7c42-8a1f-4c2d6e8fab02%7D",
        "a UUID in braces",
    ),
    (
        "categoryId",
        "019a8c528e207c428a1f4c2d6e8fab02",
        "a UUID without hyphens",
    ),
    ("externalId", "", "empty"),
];

/// Queries of the list of image jobs.
fn image_jobs() -> Vec<Bad> {
    let of_all = VALUES
        .iter()
        .filter(|(parameter, ..)| matches!(*parameter, "limit" | "cursor"));
    let own = [
        ("status", "", "empty"),
        ("status", "Pending", "in another case"),
        ("status", "cancelled", "that is none"),
        ("status", "pending&status=done", "twice"),
        ("updatedSince", "2026-11-20T09:15:30Z", "of other lists"),
        ("includeDeleted", "true", "of other lists"),
        ("from", "2026-11-20", "of other lists"),
        ("cursor", "{cursor}", "of products"),
        ("cursor", "{job cursor}&status=pending", "of another filter"),
        ("cursor", "{job cursor}0", "with a character too many"),
    ];
    let malformed = |(parameter, value, why): &(&str, &str, &str)| {
        let name = format!("GET image-jobs: {parameter} {why}");
        let request = at_home(&format!("GET image-jobs?{parameter}={value}"));
        Bad::malformed(&name, request, parameter)
    };
    of_all.chain(&own).map(malformed).collect()
}

/// Queries of the list of events.
fn events() -> Vec<Bad> {
    let of_all = VALUES
        .iter()
        .filter(|(parameter, ..)| matches!(*parameter, "limit" | "cursor"));
    let own = [
        ("type", "", "empty"),
        ("type", "catalog", "that is half of one"),
        ("type", "ping", "of no location"),
        (
            "type",
            "catalog.product.changed&type=catalog.product.changed",
            "twice",
        ),
        ("after", "", "empty"),
        ("after", "7", "as a number"),
        ("after", "{product}", "of a product"),
        ("after", "019a8c52-8e20-7000-8000-00016e8fab08", "made up"),
        ("after", "{event elsewhere}", "of another location"),
        ("after", "{event}&after={event}", "twice"),
        ("updatedSince", "2026-11-20T09:15:30Z", "of other lists"),
        ("includeDeleted", "true", "of other lists"),
        ("from", "2026-11-20", "of other lists"),
        ("cursor", "{job cursor}", "of image jobs"),
        (
            "cursor",
            "{event cursor}&after={event}",
            "of a list without after",
        ),
        ("cursor", "{event cursor}0", "with a character too many"),
    ];
    let malformed = |(parameter, value, why): &(&str, &str, &str)| {
        let name = format!("GET events: {parameter} {why}");
        let request = at_home(&format!("GET events?{parameter}={value}"));
        Bad::malformed(&name, request, parameter)
    };
    of_all.chain(&own).map(malformed).collect()
}

pub(super) fn table() -> Vec<Bad> {
    let mut table = image_jobs();
    table.extend(events());
    for list in ["products", "categories", "image-jobs"] {
        for cursor in ["job cursor", "event cursor"] {
            if (list, cursor) == ("image-jobs", "job cursor") {
                continue;
            }
            let request = at_home(&format!("GET {list}?cursor={{{cursor}}}"));
            let name = format!("GET {list}: {cursor}");
            table.push(Bad::malformed(&name, request, "cursor"));
        }
    }
    for list in ["categories", "products"] {
        for (parameter, value, why) in VALUES {
            let name = format!("GET {list}: {parameter} {why}");
            let request = at_home(&format!("GET {list}?{parameter}={value}"));
            table.push(Bad::malformed(&name, request, parameter));
        }
        for parameter in [
            "limit=5",
            "includeDeleted=true",
            "updatedSince=2026-11-20T09:15:30Z",
        ] {
            let (parameter, value) = parameter.split_once('=').expect("a pair");
            let name = format!("GET {list}: {parameter} twice");
            let request = at_home(&format!(
                "GET {list}?{parameter}={value}&{parameter}={value}"
            ));
            table.push(Bad::malformed(&name, request, parameter));
        }
        for (query, names, why) in [
            ("colour=red", "colour", "an unknown parameter"),
            ("Limit=5", "Limit", "a parameter in another case"),
            (
                "updated_since=2026-11-20T09:15:30Z",
                "updated_since",
                "a parameter in another spelling",
            ),
            ("limit", "limit", "a parameter without a value"),
            (
                "limit=5&li%6dit=5",
                "limit",
                "a parameter twice, once escaped",
            ),
            ("limit=%", "query", "a lone percent sign"),
            ("limit=%4", "query", "half an escape"),
            ("limit=%zz", "query", "an escape without digits"),
            ("cursor=%ff%fe", "query", "a value that is not UTF-8"),
            ("%ff=5", "query", "a name that is not UTF-8"),
            // 90 days and a second before the scene's now.
            (
                "includeDeleted=true&updatedSince=2026-08-22T09:59:59Z",
                "updatedSince",
                "deletions from before tombstones are kept",
            ),
        ] {
            let name = format!("GET {list}: {why}");
            table.push(Bad::malformed(
                &name,
                at_home(&format!("GET {list}?{query}")),
                names,
            ));
        }
        table.extend(cursors(list));
    }
    for (parameter, value, why) in FILTERS {
        let name = format!("GET products: {parameter} {why}");
        let request = at_home(&format!("GET products?{parameter}={value}"));
        table.push(Bad::malformed(&name, request, parameter));
    }
    for (parameter, length) in [("barcode", 65), ("externalId", 101)] {
        let name = format!("GET products: {parameter} of {length} characters");
        let request = at_home(&format!("GET products?{parameter}={}", "x".repeat(length)));
        table.push(Bad::malformed(&name, request, parameter));
    }
    for filter in ["barcode=1", "categoryId={category}", "externalId=A"] {
        let name = format!("GET categories: {filter}, a filter of products");
        let (parameter, _) = filter.split_once('=').expect("a pair");
        table.push(Bad::malformed(
            &name,
            at_home(&format!("GET categories?{filter}")),
            parameter,
        ));
    }
    for request in ["GET products/{product}", "GET categories/{category}"] {
        let name = format!("{request}: a parameter of lists");
        table.push(Bad::malformed(
            &name,
            at_home(&format!("{request}?limit=5")),
            "limit",
        ));
    }
    let locations = anywhere("GET /v1/locations?limit=5");
    table.push(Bad::malformed(
        "GET locations: a parameter of lists with pages",
        locations,
        "limit",
    ));
    let document = anywhere("GET /v1/openapi.json?version=1");
    table.push(Bad::malformed(
        "GET openapi.json: a parameter",
        document,
        "version",
    ));
    for request in [
        "POST products",
        "PATCH products/{product}",
        "POST products/batch",
        "POST categories",
    ] {
        let name = format!("{request}: a query parameter");
        let request = super::table::write(&format!("{request}?dryRun=true"), r#"{"name":"Rye"}"#);
        table.push(Bad::malformed(&name, request, "dryRun"));
    }
    for request in ["DELETE products/{product}", "DELETE categories/{category}"] {
        let name = format!("{request}: a query parameter");
        table.push(Bad::malformed(
            &name,
            at_home(&format!("{request}?force=true")),
            "force",
        ));
    }
    table
}

/// Good cursors where they do not belong, and cursors with one character changed. `{cursor}` is
/// one of `GET products?limit=1`, `{changed N}` is it with its character at N replaced.
fn cursors(list: &str) -> Vec<Bad> {
    let mut table = Vec::new();
    let mut add = |why: &str, query: &str| {
        let name = format!("GET {list}: a cursor {why}");
        table.push(Bad::malformed(
            &name,
            at_home(&format!("GET {list}?{query}")),
            "cursor",
        ));
    };
    if list == "categories" {
        add("of another list", "limit=1&cursor={cursor}");
        return table;
    }
    add(
        "of another filter",
        "limit=1&cursor={cursor}&barcode=SHARED",
    );
    add(
        "of a list without deleted records",
        "limit=1&cursor={cursor}&includeDeleted=true",
    );
    add(
        "of another updatedSince",
        "cursor={cursor}&updatedSince=2026-01-01T00:00:00Z",
    );
    add("of another location", "limit=1&cursor={foreign cursor}");
    add("twice", "cursor={cursor}&cursor={cursor}");
    add("cut off", "cursor={cut cursor}");
    add("with a character too many", "cursor={cursor}0");
    add("in capitals", "cursor={loud cursor}");
    for part in 0..8 {
        let query = format!("limit=1&cursor={{changed {part}}}");
        add(&format!("changed in part {part} of 8"), &query);
    }
    table
}

#[tokio::test]
async fn wrong_queries_are_refused() {
    super::hold(table()).await;
}
