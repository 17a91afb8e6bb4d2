//! Accepted bodies, and refusals of all other ones.

use super::*;
use crate::wire::{CategoryInput, Field, MatchBy, ProductInput, VatRate};

const ID: &str = "018f2f6e-4c1a-7000-8000-000000000001";

fn product(json: &str) -> Result<ProductInput, String> {
    ProductInput::from_json(json.as_bytes()).map_err(|error| error.to_string())
}

fn refusal_of(json: &str) -> Invalid {
    match ProductInput::from_json(json.as_bytes()) {
        Err(ReadError::Invalid(invalid)) => invalid,
        other => panic!("{json}: {other:?}"),
    }
}

#[test]
fn a_whole_product_is_read() {
    let json = format!(
        r#" {{ "id": 7, "externalId": "A 1", "n\u0061me": "Br\u00f8d", "description": null,
            "priceCents": 3.45e2, "vatRate": 9.50, "barcode": "871", "categoryId": "{}",
            "isActive": false, "availableFrom": "2026-11-20", "optionGroupIds": ["{ID}"],
            "stockQuantity": 1e999, "createdAt": {{ "a": [1, 2] }} }} "#,
        ID.to_uppercase()
    );
    let read = ProductInput {
        external_id: Field::Value("A 1".into()),
        name: Field::Value("Brød".into()),
        description: Field::Null,
        price_cents: Field::Value(345),
        vat_rate: Field::Value(VatRate::from_hundredths(950).unwrap()),
        barcode: Field::Value("871".into()),
        category_id: Field::Value(ID.parse().unwrap()),
        is_active: Field::Value(false),
        available_from: Field::Value("2026-11-20".parse().unwrap()),
        option_group_ids: Field::Value(vec![ID.parse().unwrap()]),
        ..ProductInput::default()
    };
    assert_eq!(product(&json).unwrap(), read);
}

#[test]
fn a_field_is_refused_by_its_path_and_what_it_can_be() {
    let long = format!(r#"{{"{}":1}}"#, "x".repeat(1000));
    let long_path = format!("{}...", "x".repeat(60));
    for (json, field, problem) in [
        ("[]", "body", "must be a JSON object, not an array"),
        (" 1e999", "body", "must be a JSON object, not a number"),
        (r#"{"name":12}"#, "name", "must be a string, not a number"),
        (
            r#"{"isActive":"true"}"#,
            "isActive",
            "must be true or false, not a string",
        ),
        (
            r#"{"priceCents":"12"}"#,
            "priceCents",
            "must be a whole number, not a string; amounts are in cents",
        ),
        (
            r#"{"priceCents":" 3.45 "}"#,
            "priceCents",
            "must be a whole number, not a string; amounts are in cents: send 345",
        ),
        (
            r#"{"priceCents":"3,45"}"#,
            "priceCents",
            "must be a whole number, not a string; amounts are in cents",
        ),
        (
            r#"{"priceCents":[3.45]}"#,
            "priceCents",
            "must be a whole number, not an array",
        ),
        (
            r#"{"priceCents":12.5}"#,
            "priceCents",
            "must be a whole number, not 12.5; amounts are in cents: send 1250",
        ),
        (
            r#"{"priceCents":12.00000000000000000001}"#,
            "priceCents",
            "must be a whole number, not 12.00000000000000000001; amounts are in cents",
        ),
        (
            r#"{"priceCents":1e999}"#,
            "priceCents",
            "must be from 0 to 100000000, not 1e999",
        ),
        (
            r#"{"vatRate":9.999}"#,
            "vatRate",
            "must be a number with at most 2 fraction digits, not 9.999",
        ),
        (
            r#"{"vatRate":101}"#,
            "vatRate",
            "must be a percentage from 0 to 100, not 101",
        ),
        (
            r#"{"categoryId":7}"#,
            "categoryId",
            "must be a UUID, not a number",
        ),
        (
            r#"{"availableFrom":"2026-1-1"}"#,
            "availableFrom",
            "must be a date of the form YYYY-MM-DD, such as 2026-11-20",
        ),
        (
            r#"{"optionGroupIds":{}}"#,
            "optionGroupIds",
            "must be an array, not an object",
        ),
        (
            r#"{"optionGroupIds":1.5}"#,
            "optionGroupIds",
            "must be an array, not a number",
        ),
        (
            r#"{"optionGroupIds":[[]]}"#,
            "optionGroupIds[0]",
            "must be a UUID, not an array",
        ),
        (
            &long,
            &long_path,
            "is not a field of this request; allowed: externalId, name, description, priceCents, \
             vatRate, barcode, categoryId, categoryName, isActive, availableFrom, \
             availableUntil, imageUrl, optionGroupIds",
        ),
    ] {
        assert_eq!(refusal_of(json), Invalid::new(field, problem), "{json}");
    }
    let unhyphenated = format!(r#"{{"categoryId":"{}"}}"#, ID.replace('-', ""));
    assert_eq!(refusal_of(&unhyphenated).field, "categoryId");
}

#[test]
fn malformed_text_is_told_apart_wherever_its_fault_is() {
    for (json, problem) in [
        ("", "is empty"),
        (r#"{"name":"a","name":"b"}"#, "has the key \"name\" twice"),
        (
            r#"{"colour":1,"name":"a","n\u0061me":"b"}"#,
            "has the key \"name\" twice",
        ),
        (r#"{"id":1,"id":2}"#, "has the key \"id\" twice"),
        (r#"{"id":{"a":1,"a":2}}"#, "has the key \"a\" twice"),
        (r#"{"colour":{"a":1,"a":2}}"#, "has the key \"a\" twice"),
        (
            r#"{"name":"\ud83e"}"#,
            "has an escape that is not a valid character",
        ),
        (
            r#"{"createdAt":["\ud83e"]}"#,
            "has an escape that is not a valid character",
        ),
    ] {
        let told = format!("body: {problem}; send one JSON object in UTF-8");
        assert_eq!(product(json), Err(told), "{json}");
    }
    let deep = format!(
        r#"{{"createdAt":{}{}}}"#,
        "[".repeat(10_000),
        "]".repeat(10_000)
    );
    assert!(product(&deep).unwrap_err().contains("nested deeper"));
    assert!(CategoryInput::from_json(b"{\"name\":\"\xff\"}").is_err());
}

#[test]
fn values_are_checked_against_their_forms() {
    let mut trimmed = product(r#"{"name":" Rye "}"#).unwrap();
    trimmed.check().unwrap();
    assert_eq!(trimmed, ProductInput::named("Rye"));
    for (json, field, problem) in [
        (
            r#"{"name":null}"#,
            "name",
            "must not be null; leave it out instead",
        ),
        (
            r#"{"name":" "}"#,
            "name",
            "must have 1 to 200 characters, not 0",
        ),
        (
            r#"{"priceCents":-1}"#,
            "priceCents",
            "must be from 0 to 100000000, not -1",
        ),
        (
            r#"{"externalId":"é"}"#,
            "externalId",
            "may only have the letters A to Z and a to z, digits, blanks and . _ - /",
        ),
    ] {
        let refused = product(json).unwrap().check().unwrap_err();
        assert_eq!(refused, Invalid::new(field, problem), "{json}");
    }
    let twice = format!(r#"{{"optionGroupIds":["{ID}","{ID}"]}}"#);
    let refused = product(&twice).unwrap().check().unwrap_err();
    assert_eq!(refused.field, "optionGroupIds[1]");
}

#[test]
fn the_items_of_a_batch_are_refused_alone() {
    let json = r#"{"items":[{"name":"Rye"},7,{"externalId":"A","priceCents":"x"},{"id":"x"}]}"#;
    let batch = BatchRequest::<ProductInput>::from_json(json.as_bytes()).unwrap();
    assert_eq!(batch.match_by, MatchBy::ExternalId);
    assert!(batch.create_missing && !batch.dry_run);
    let refused = |field: &str, problem: &str| Invalid::new(field, problem);
    assert_eq!(
        batch.items,
        [
            Ok(ProductInput::named("Rye")),
            Err((refused("item", "must be a JSON object, not a number"), None)),
            Err((
                refused(
                    "priceCents",
                    "must be a whole number, not a string; amounts are in cents"
                ),
                Some("A".into())
            )),
            Ok(ProductInput::default()),
        ]
    );
    // The id counts in a batch that is matched by it, wherever the setting is.
    let json =
        format!(r#"{{"items":[{{"id":"{ID}"}},{{"id":"x"}}],"matchBy":"id","dryRun":true}}"#);
    let batch = BatchRequest::<ProductInput>::from_json(json.as_bytes()).unwrap();
    assert!(batch.dry_run);
    assert_eq!(
        batch.items[0].as_ref().unwrap().id,
        Field::Value(ID.parse().unwrap())
    );
    assert_eq!(batch.items[1].as_ref().unwrap_err().0.field, "id");
}

#[test]
fn a_batch_is_refused_for_its_settings() {
    for (json, told) in [
        ("{}", "items: is required"),
        (
            r#"{"items":[]}"#,
            "items: must have 1 to 500 entries, not 0",
        ),
        (r#"{"items":null}"#, "items: must be an array, not null"),
        (
            r#"{"items":[{}],"matchBy":"name"}"#,
            "matchBy: must be one of externalId, barcode, id, not \"name\"",
        ),
        (
            r#"{"items":[{}],"createMissing":null}"#,
            "createMissing: must not be null; leave it out instead",
        ),
        (
            r#"{"items":[{}],"atomic":true}"#,
            "atomic: is not a field of this request; allowed: matchBy, createMissing, dryRun, items",
        ),
        (
            r#"{"items":[{"name":"a","name":"b"}]}"#,
            "body: has the key \"name\" twice; send one JSON object in UTF-8",
        ),
        (
            r#" [{"name":"Rye"}]"#,
            "body: must be a JSON object, not an array; send {\"items\": [...]}",
        ),
        ("7", "body: must be a JSON object, not a number"),
    ] {
        let refused = BatchRequest::<ProductInput>::from_json(json.as_bytes()).unwrap_err();
        assert_eq!(refused.to_string(), told, "{json}");
    }
    let dry = |json: &str| BatchRequest::<ProductInput>::asks_for_dry_run(json.as_bytes());
    assert!(dry(r#"{"atomic":1,"dryRun":true}"#));
    assert!(!dry(r#"{"dryRun":"true"}"#) && !dry(r#"{"items":[]}"#) && !dry(""));
}

/// A derived reader takes an array for a struct.
#[test]
fn an_array_has_no_fields() {
    for json in ["[true]", "[[]]", r#"["abc"]"#, r#"[{"name":"Rye"}]"#] {
        let json = json.as_bytes();
        assert!(BatchRequest::<ProductInput>::faults(json).is_empty());
        assert!(CountsRequest::faults(json).is_empty());
        assert!(!BatchRequest::<ProductInput>::asks_for_dry_run(json));
    }
    let batch = BatchRequest::<ProductInput>::from_json(br#"{"items":[["abc"]]}"#).unwrap();
    let refused = Invalid::new("item", "must be a JSON object, not an array");
    assert_eq!(batch.items, [Err((refused, None))]);
}
