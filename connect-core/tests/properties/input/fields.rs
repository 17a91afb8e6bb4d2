//! What fields are given: values that are good, and values that are not.

use serde_json::{Value, json};

/// The external ids. Upper and lower case differ.
pub(crate) const EXTERNAL_IDS: [&str; 5] = ["A", "B", "C", "a", "X-1 2/3"];
/// The barcodes.
pub(crate) const BARCODES: [&str; 3] = ["111", "222", "333"];

/// The fields of a product, each with how often it is given (of 100) and its good values.
/// References are not among them.
pub(crate) fn product_fields() -> Vec<(&'static str, u32, Vec<Value>)> {
    let texts = |texts: &[&str]| texts.iter().map(|text| json!(text)).collect::<Vec<_>>();
    let or_null = |mut values: Vec<Value>| {
        values.push(Value::Null);
        values
    };
    vec![
        ("externalId", 70, or_null(texts(&EXTERNAL_IDS))),
        (
            "name",
            75,
            texts(&["Bread", "bread", " Tea ", "Crème brûlée"]),
        ),
        ("barcode", 50, or_null(texts(&BARCODES))),
        (
            "categoryName",
            25,
            texts(&["Food", "food", " FOOD ", "Été", "ÉTÉ", "Drinks"]),
        ),
        (
            "priceCents",
            30,
            vec![json!(0), json!(250), json!(250.0), json!(100_000_000)],
        ),
        (
            "vatRate",
            20,
            vec![json!(21), json!(9.0), json!(5.5), json!(0)],
        ),
        ("description", 10, or_null(texts(&["", "two\nlines"]))),
        ("isActive", 15, vec![json!(true), json!(false)]),
        (
            "availableFrom",
            10,
            or_null(texts(&["2026-01-01", "2026-06-01"])),
        ),
        (
            "availableUntil",
            10,
            or_null(texts(&["2026-03-01", "2028-02-29"])),
        ),
        (
            "imageUrl",
            15,
            or_null(texts(&["https://img.example/a", "https://img.example/b"])),
        ),
        ("optionGroupIds", 5, vec![json!([])]),
        ("stockQuantity", 3, vec![json!(7)]),
        ("updatedAt", 3, vec![json!("yesterday")]),
    ]
}

/// Fields of a product with values that they cannot have.
pub(crate) fn product_faults() -> Vec<(&'static str, Value)> {
    let mut faults = vec![
        ("externalId", json!("")),
        ("externalId", json!(" A")),
        ("externalId", json!("é")),
        ("externalId", json!("A".repeat(101))),
        ("externalId", json!(5)),
        ("name", Value::Null),
        ("name", json!("  ")),
        ("name", json!("a\tb")),
        ("name", json!("x".repeat(201))),
        ("barcode", json!("")),
        ("barcode", json!("1".repeat(65))),
        ("barcode", json!(111)),
        ("categoryId", json!("nowhere")),
        ("categoryName", Value::Null),
        ("categoryName", json!(" ")),
        ("priceCents", json!(-1)),
        ("priceCents", json!(100_000_001)),
        ("priceCents", json!(12.5)),
        ("priceCents", json!("12")),
        ("vatRate", json!(100.01)),
        ("vatRate", json!(1.234)),
        ("description", json!("a\tb")),
        ("isActive", json!("yes")),
        ("availableFrom", json!("2026-02-30")),
        ("availableUntil", json!("1 May")),
        ("imageUrl", json!("http://img.example/a")),
        ("imageUrl", json!("")),
        (
            "optionGroupIds",
            json!(["018f2f6e-4c1a-7000-8000-000000000001"]),
        ),
        ("optionGroupIds", json!("none")),
        ("colour", json!("red")),
    ];
    // So that a failed item has asked for a category that nobody has.
    faults.push((
        "optionGroupIds",
        json!(["018f2f6e-4c1a-7000-8000-000000000002"]),
    ));
    faults
}

/// As [`product_fields`], of a category.
pub(crate) fn category_fields() -> Vec<(&'static str, u32, Vec<Value>)> {
    let names = ["Food", "food", " FOOD ", "Été", "ÉTÉ", "Drinks", "New"];
    vec![
        ("name", 75, names.iter().map(|name| json!(name)).collect()),
        ("isActive", 30, vec![json!(true), json!(false)]),
        ("position", 30, vec![json!(0), json!(3), json!(1_000_000)]),
        ("createdAt", 5, vec![json!(null)]),
    ]
}

/// As [`product_faults`], of a category.
pub(crate) fn category_faults() -> Vec<(&'static str, Value)> {
    vec![
        ("name", Value::Null),
        ("name", json!("")),
        ("name", json!("x".repeat(101))),
        ("isActive", Value::Null),
        ("position", json!(-1)),
        ("position", json!(1_000_001)),
        ("position", json!(0.5)),
        ("colour", json!("red")),
    ]
}
