//! Fields of a product.

use super::{
    fields::{Fault, fault, many, no_boolean, no_integer, no_name, no_number, no_string},
    table::{Bad, write},
};

/// The faults that a product's fields can have by themselves.
fn faults() -> Vec<Fault> {
    let mut all = Vec::new();
    all.extend(no_string("name", false));
    all.extend(no_name("name", 200));
    all.extend(external_ids());
    all.extend(no_string("description", true));
    all.extend(descriptions());
    all.extend(no_number("priceCents"));
    all.extend(no_integer("priceCents", 100_000_000));
    all.extend(no_number("vatRate"));
    all.extend(vat_rates());
    all.extend(no_string("barcode", true));
    all.extend(barcodes());
    all.extend(categories());
    all.extend(no_boolean("isActive"));
    all.extend(dates("availableFrom"));
    all.extend(dates("availableUntil"));
    all.extend(image_urls());
    all.extend(option_groups());
    all.extend(unknown_fields());
    all
}

fn external_ids() -> Vec<Fault> {
    let mut all = no_string("externalId", true);
    for (value, why) in [
        ("\"\"", "empty"),
        ("\" \"", "only a blank"),
        ("\" A-1\"", "a blank at the start"),
        ("\"A-1 \"", "a blank at the end"),
        ("\"A\\u00a01\"", "a blank beyond ASCII"),
        ("\"A\\t1\"", "a tab"),
        ("\"A,1\"", "a comma"),
        ("\"A+1\"", "a plus sign"),
        ("\"A#1\"", "a number sign"),
        ("\"A:1\"", "a colon"),
        ("\"A\\\\1\"", "a backslash"),
        ("\"é-1\"", "a letter beyond ASCII"),
        ("\"٣\"", "a digit beyond ASCII"),
        ("\"🥐\"", "a pictogram"),
    ] {
        all.push(fault("externalId", value, why));
    }
    all.push(fault("externalId", many("x", 101), "101 characters"));
    all
}

fn descriptions() -> Vec<Fault> {
    vec![
        fault("description", many("x", 2001), "2001 characters"),
        fault(
            "description",
            many("é", 2001),
            "2001 characters of two bytes",
        ),
        fault("description", "\"a\\tb\"", "a tab"),
        fault("description", "\"a\\r\\nb\"", "a carriage return"),
        fault("description", "\"a\\u0000b\"", "a NUL"),
        fault(
            "description",
            "\"a\\u009fb\"",
            "a control character beyond ASCII",
        ),
    ]
}

fn vat_rates() -> Vec<Fault> {
    vec![
        fault("vatRate", "-1", "below zero"),
        fault("vatRate", "-0.01", "a little below zero"),
        fault("vatRate", "100.01", "above a hundred"),
        fault("vatRate", "101", "more above a hundred"),
        fault("vatRate", "9.999", "three fraction digits"),
        fault("vatRate", "0.001", "three small fraction digits"),
        fault("vatRate", "1e999", "beyond any float"),
        fault("vatRate", "\"9%\"", "with its unit"),
        // A float reader takes this for 9.
        fault(
            "vatRate",
            "9.00000000000000000000001",
            "digits beyond a float",
        )
        .unstated(),
    ]
}

fn barcodes() -> Vec<Fault> {
    vec![
        fault("barcode", "\"\"", "empty"),
        fault("barcode", many("1", 65), "65 characters"),
        fault("barcode", many("é", 65), "65 characters of two bytes"),
        fault("barcode", "\"87\\n11\"", "a line feed"),
        fault(
            "barcode",
            "8711000000007",
            "a number for a string of digits",
        ),
    ]
}

fn categories() -> Vec<Fault> {
    let mut all = no_string("categoryId", true);
    for (value, why) in [
        ("\"\"", "empty"),
        ("\"bread\"", "a name for an id"),
        (
            "\"{019a8c52-8e20-7c42-8a1f-4c2d6e8fab02}\"",
            "a UUID in braces",
        ),
        (
            "\"019a8c528e207c428a1f4c2d6e8fab02\"",
            "a UUID without hyphens",
        ),
        (
            "\"urn:uuid:019a8c52-8e20-7c42-8a1f-4c2d6e8fab02\"",
            "a UUID as a URN",
        ),
        (
            "\"019a8c52-8e20-7c42-8a1f-4c2d6e8fab0g\"",
            "a letter beyond f",
        ),
    ] {
        all.push(fault("categoryId", value, why));
    }
    all.push(
        fault(
            "categoryId",
            "\"019a8c52-8e20-7c42-8a1f-4c2d6e8fab02\"",
            "a category that is not",
        )
        .unstated(),
    );
    // It is no field of the record, so there is nothing that null could clear.
    all.extend(no_string("categoryName", false));
    all.extend(no_name("categoryName", 100));
    all
}

fn dates(field: &'static str) -> Vec<Fault> {
    let mut all = no_string(field, true);
    for (value, why) in [
        ("\"\"", "empty"),
        ("\"2026-02-30\"", "a day that the month does not have"),
        ("\"2026-02-29\"", "a leap day in a common year"),
        ("\"2026-13-01\"", "a thirteenth month"),
        ("\"2026-00-10\"", "a month zero"),
        ("\"2026-1-1\"", "digits missing"),
        ("\"20261120\"", "hyphens missing"),
        ("\"20-11-2026\"", "the day first"),
        ("\"2026-11-20T00:00:00Z\"", "a time"),
        ("\" 2026-11-20\"", "a blank"),
        ("\"+2026-11-20\"", "a sign"),
        ("\"tomorrow\"", "a word"),
        ("20261120", "a number"),
    ] {
        all.push(fault(field, value, why));
    }
    all
}

fn image_urls() -> Vec<Fault> {
    let mut all = no_string("imageUrl", true);
    for (value, why) in [
        ("\"\"", "empty"),
        ("\"ftp://img.example/a.png\"", "FTP"),
        ("\"img.example/a.png\"", "no scheme"),
        ("\"//img.example/a.png\"", "no scheme but slashes"),
        ("\"https://\"", "no host"),
        ("\"https:///a.png\"", "an empty host"),
        ("\"https:img.example\"", "no slashes"),
        ("\"https://me@img.example/a.png\"", "a user name"),
        (
            "\"https://me:secret@img.example/a.png\"",
            "a user name and password",
        ),
        ("\"https://@img.example/a.png\"", "an empty user name"),
        ("\"https://img.example/a b.png\"", "a blank"),
        ("\" https://img.example/a.png\"", "a blank at the start"),
        ("\"https://img.example/a\\nb\"", "a line feed"),
        ("\"data:image/png;base64,AA==\"", "the image itself"),
        ("\"javascript:alert(1)\"", "a script"),
        ("\"not a link\"", "words"),
    ] {
        all.push(fault("imageUrl", value, why));
    }
    let long = format!("\"https://img.example/{}\"", "x".repeat(1981));
    all.push(fault("imageUrl", long, "2001 characters"));
    for (value, why) in [
        ("\"https://img.example:99999/a\"", "a port beyond 65535"),
        ("\"http://img.example/a.png\"", "not HTTPS"),
        ("\"https://img.example:8443/a.png\"", "a port"),
        ("\"https://10.0.0.1/a.png\"", "a private address"),
        ("\"https://0x7f.1/a.png\"", "a private address in disguise"),
        (
            "\"https://[::ffff:10.0.0.1]/a.png\"",
            "a mapped private address",
        ),
    ] {
        all.push(fault("imageUrl", value, why).unstated());
    }
    all
}

fn option_groups() -> Vec<Fault> {
    let id = "019a8c52-8e20-7c42-8a1f-4c2d6e8fab02";
    vec![
        fault("optionGroupIds", "null", "null for what cannot be empty"),
        fault("optionGroupIds", "{}", "an object"),
        fault("optionGroupIds", "12", "a number"),
        fault(
            "optionGroupIds",
            format!("\"{id}\""),
            "one id that is not in a list",
        ),
        fault("optionGroupIds", "[7]", "a number in the list").named("optionGroupIds[0]"),
        fault("optionGroupIds", "[\"x\"]", "no UUID in the list").named("optionGroupIds[0]"),
        fault(
            "optionGroupIds",
            format!("[\"{id}\"]"),
            "a group that is not",
        )
        .named("optionGroupIds[0]")
        .unstated(),
        fault(
            "optionGroupIds",
            format!("[\"{id}\",\"{id}\"]"),
            "an id twice",
        )
        .named("optionGroupIds["),
    ]
}

fn unknown_fields() -> Vec<Fault> {
    vec![
        fault("colour", "\"red\"", "a field that is not"),
        fault("price_cents", "12", "a field in another spelling"),
        fault("NAME", "\"Rye\"", "a field in capitals"),
        fault("", "1", "a field without a name").named("field"),
        fault("vat", "null", "an unknown field that is null"),
        fault("__proto__", "{}", "a field that is something elsewhere"),
    ]
}

/// Each fault in a create, in an update and in an item of a batch.
pub(super) fn table() -> Vec<Bad> {
    let mut table = Vec::new();
    for Fault {
        field,
        value,
        why,
        names,
        unstated,
    } in faults()
    {
        // The other fields are good; a name is needed to make a product.
        let name = if field == "name" {
            ""
        } else {
            r#""name":"Rye loaf","#
        };
        let body = format!(r#"{{{name}"{field}":{value}}}"#);
        let batch = format!(r#"{{"items":[{body}]}}"#);
        let called = |request: &str| format!("{request}: {field} is {why}");
        let cases = [
            Bad::invalid(
                &called("POST product"),
                write("POST products", body.clone()),
                names,
            ),
            Bad::invalid(
                &called("PATCH product"),
                write("PATCH products/{product}", body),
                names,
            ),
            Bad::item(
                &called("batch"),
                write("POST products/batch", batch),
                "validation_failed",
                names,
            ),
        ];
        table.extend(cases.map(|bad| if unstated { bad.unstated() } else { bad }));
    }
    table.extend(together());
    table
}

/// Fields that are wrong only together, or only in one kind of write.
fn together() -> Vec<Bad> {
    let post = |json: &'static str| write("POST products", json);
    let patch = |json: &'static str| write("PATCH products/{product}", json);
    vec![
        Bad::invalid("POST product: no name", post(r#"{"priceCents":1}"#), "name"),
        Bad::invalid("POST product: nothing at all", post("{}"), "name"),
        Bad::invalid(
            "POST product: until before from",
            post(r#"{"name":"Rye","availableFrom":"2026-11-20","availableUntil":"2026-11-19"}"#),
            "availableUntil",
        )
        .unstated(),
        // The product of the scene is available from 2026-01-01 until 2026-12-31.
        Bad::invalid(
            "PATCH product: until before the from that it has",
            patch(r#"{"availableUntil":"2025-12-31"}"#),
            "availableUntil",
        )
        .unstated(),
        Bad::invalid(
            "PATCH product: from after the until that it has",
            patch(r#"{"availableFrom":"2027-01-01"}"#),
            "availableFrom",
        )
        .unstated(),
        Bad::invalid(
            "POST product: a category by id and by name",
            post(r#"{"name":"Rye","categoryId":"{category}","categoryName":"Bread"}"#),
            "categoryName",
        ),
        Bad::invalid(
            "PATCH product: no category and a category by name",
            patch(r#"{"categoryId":null,"categoryName":"Bread"}"#),
            "categoryName",
        ),
    ]
}

#[tokio::test]
async fn wrong_products_are_refused() {
    super::hold(table()).await;
}
