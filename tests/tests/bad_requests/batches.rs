//! Batches that are wrong as a whole, and items that fail alone.

use super::table::{Bad, write};

/// The settings of a batch and its list of items.
pub(super) fn table() -> Vec<Bad> {
    let batch = |json: &str| write("POST products/batch", json.to_owned());
    let many = |count: usize| {
        let items = vec![r#"{"name":"Rye"}"#; count].join(",");
        write("POST products/batch", format!(r#"{{"items":[{items}]}}"#))
    };
    let with = |setting: &str| {
        let body = format!(r#"{{{setting},"items":[{{"name":"Rye"}}]}}"#);
        write("POST products/batch", body)
    };
    vec![
        Bad::invalid("batch: no items", batch("{}"), "items"),
        Bad::invalid("batch: items null", batch(r#"{"items":null}"#), "items"),
        Bad::invalid(
            "batch: items an object",
            batch(r#"{"items":{"name":"Rye"}}"#),
            "items",
        ),
        Bad::invalid(
            "batch: items a string",
            batch(r#"{"items":"Rye"}"#),
            "items",
        ),
        Bad::invalid("batch: items a number", batch(r#"{"items":3}"#), "items"),
        Bad::invalid("batch: no item", batch(r#"{"items":[]}"#), "items"),
        Bad::invalid("batch: 501 items", many(501), "items"),
        Bad::invalid("batch: 5000 items", many(5000), "items"),
        Bad::invalid("batch: a list", batch(r#"[{"name":"Rye"}]"#), "body"),
        Bad::invalid("batch: a product", batch(r#"{"name":"Rye"}"#), "name"),
        Bad::invalid(
            "batch: matchBy unknown",
            with(r#""matchBy":"name""#),
            "matchBy",
        ),
        Bad::invalid(
            "batch: matchBy in another case",
            with(r#""matchBy":"ExternalId""#),
            "matchBy",
        ),
        Bad::invalid("batch: matchBy empty", with(r#""matchBy":"""#), "matchBy"),
        Bad::invalid("batch: matchBy a number", with(r#""matchBy":1"#), "matchBy"),
        Bad::invalid("batch: matchBy null", with(r#""matchBy":null"#), "matchBy"),
        Bad::invalid(
            "batch: matchBy a list",
            with(r#""matchBy":["id"]"#),
            "matchBy",
        ),
        Bad::invalid(
            "batch: createMissing in quotes",
            with(r#""createMissing":"true""#),
            "createMissing",
        ),
        Bad::invalid(
            "batch: createMissing 1",
            with(r#""createMissing":1"#),
            "createMissing",
        ),
        Bad::invalid(
            "batch: createMissing null",
            with(r#""createMissing":null"#),
            "createMissing",
        ),
        Bad::invalid("batch: dryRun 1", with(r#""dryRun":1"#), "dryRun"),
        Bad::invalid(
            "batch: dryRun in quotes",
            with(r#""dryRun":"false""#),
            "dryRun",
        ),
        Bad::invalid("batch: dryRun null", with(r#""dryRun":null"#), "dryRun"),
        Bad::invalid(
            "batch: an unknown setting",
            with(r#""atomic":true"#),
            "atomic",
        ),
        Bad::invalid(
            "batch: a setting in another spelling",
            with(r#""dry_run":true"#),
            "dry_run",
        ),
        Bad::malformed(
            "batch: a setting twice",
            with(r#""dryRun":true,"dryRun":false"#),
            "body",
        ),
        Bad::malformed(
            "batch: items twice",
            batch(r#"{"items":[{"name":"Rye"}],"items":[{"name":"Bun"}]}"#),
            "body",
        ),
        // What makes one item malformed makes the text malformed, and with it all items.
        Bad::malformed(
            "batch: a key twice in an item",
            batch(r#"{"items":[{"name":"Rye"},{"name":"Bun","name":"Pie"}]}"#),
            "body",
        ),
        Bad::malformed(
            "batch: a key twice in what an item has ignored",
            batch(r#"{"items":[{"name":"Rye"},{"name":"Bun","updatedAt":{"a":1,"a":2}}]}"#),
            "body",
        ),
        Bad::malformed(
            "batch: a lone surrogate in an item",
            batch(r#"{"items":[{"name":"Rye"},{"name":"\ud83e"}]}"#),
            "body",
        ),
        Bad::malformed(
            "batch: 10 000 lists in each other in an item",
            write(
                "POST products/batch",
                format!(
                    r#"{{"items":[{{"name":{}{}}}]}}"#,
                    "[".repeat(10_000),
                    "]".repeat(10_000)
                ),
            ),
            "body",
        ),
        Bad::malformed(
            "batch: a comma too many",
            batch(r#"{"items":[{"name":"Rye"},]}"#),
            "body",
        ),
        Bad::malformed(
            "batch: cut off",
            batch(r#"{"items":[{"name":"Rye"}"#),
            "body",
        ),
    ]
}

/// Items that fail alone: the batch is answered with 200. The fault is in the first item; where
/// the field alone is at fault, `products.rs` has it. Paths start at the item.
pub(super) fn items() -> Vec<Bad> {
    let failed = |name: &str, batch: &str, code: &'static str, names: &str| {
        let request = write("POST products/batch", batch.to_owned());
        Bad::item(&format!("item: {name}"), request, code, names).unstated()
    };
    let invalid =
        |name: &str, batch: &str, names: &str| failed(name, batch, "validation_failed", names);
    vec![
        invalid(
            "a number",
            r#"{"items":[7]}"#,
            "item: must be a JSON object",
        ),
        invalid(
            "a string",
            r#"{"items":["Rye"]}"#,
            "item: must be a JSON object",
        ),
        invalid("null", r#"{"items":[null]}"#, "item: must be a JSON object"),
        invalid("a list", r#"{"items":[[]]}"#, "item: must be a JSON object"),
        invalid("nothing in it", r#"{"items":[{}]}"#, "name"),
        invalid(
            "no name to make a product with",
            r#"{"items":[{"externalId":"new-1"}]}"#,
            "name",
        ),
        invalid(
            "until before from",
            r#"{"items":[{"name":"Rye","availableFrom":"2026-11-20","availableUntil":"2026-11-19"}]}"#,
            "availableUntil",
        ),
        invalid(
            "until before the from that its product has",
            r#"{"items":[{"externalId":"SCENE-1","availableUntil":"2025-12-31"}]}"#,
            "availableUntil",
        ),
        invalid(
            "a category by id and by name",
            r#"{"items":[{"name":"Rye","categoryId":"{category}","categoryName":"Bread"}]}"#,
            "categoryName",
        ),
        failed(
            "a category of another location",
            r#"{"items":[{"name":"Rye","categoryId":"{theirs}"}]}"#,
            "forbidden_location",
            "categoryId",
        ),
        failed(
            "no product of this id",
            r#"{"matchBy":"id","items":[{"id":"019a8c52-8e20-7c42-8a1f-4c2d6e8fab02","name":"Rye"}]}"#,
            "not_found",
            "id",
        ),
        failed(
            "a product of another location",
            r#"{"matchBy":"id","items":[{"id":"{elsewhere}","name":"Rye"}]}"#,
            "not_found",
            "id",
        ),
        invalid(
            "an id that is none",
            r#"{"matchBy":"id","items":[{"id":"x","name":"Rye"}]}"#,
            "id",
        ),
        invalid(
            "an id that is a number",
            r#"{"matchBy":"id","items":[{"id":7,"name":"Rye"}]}"#,
            "id",
        ),
        failed(
            "no product of this external id, and none is to be made",
            r#"{"createMissing":false,"items":[{"externalId":"new-1","name":"Rye"}]}"#,
            "not_found",
            "externalId",
        ),
        failed(
            "no product of this barcode, and none is to be made",
            r#"{"matchBy":"barcode","createMissing":false,"items":[{"barcode":"404","name":"Rye"}]}"#,
            "not_found",
            "barcode",
        ),
        failed(
            "no external id to match by, and none is to be made",
            r#"{"createMissing":false,"items":[{"name":"Rye"}]}"#,
            "not_found",
            "externalId",
        ),
        failed(
            "no id to match by, and none is to be made",
            r#"{"matchBy":"id","createMissing":false,"items":[{"name":"Rye"}]}"#,
            "not_found",
            "id",
        ),
        failed(
            "a barcode that two products share",
            r#"{"matchBy":"barcode","items":[{"barcode":"SHARED","name":"Rye"}]}"#,
            "conflict",
            "barcode",
        ),
        failed(
            "an external id that is taken",
            r#"{"matchBy":"id","items":[{"name":"Rye","externalId":"SCENE-1"}]}"#,
            "conflict",
            "externalId",
        ),
        failed(
            "a product that is given the external id of another",
            r#"{"matchBy":"id","items":[{"id":"{product}","externalId":"SCENE-2"}]}"#,
            "conflict",
            "externalId",
        ),
    ]
}

#[tokio::test]
async fn wrong_batches_are_refused() {
    super::hold(table()).await;
}

#[tokio::test]
async fn wrong_items_fail_alone() {
    super::hold(items()).await;
}
