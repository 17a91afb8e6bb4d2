//! What fields are given: values that are good, and values that are not.

use proptest::{collection::vec, option::weighted, prelude::*, sample::select};
use serde_json::{Map, Value, json};

/// The external ids. Upper and lower case differ.
pub(crate) const CODES: [&str; 5] = ["A", "B", "C", "a", "X-1 2/3"];
/// The barcodes.
pub(crate) const BARCODES: [&str; 3] = ["111", "222", "333"];

/// A field: its name, how often of 100 it is given, and its values.
pub(super) type Field = (&'static str, u32, BoxedStrategy<Value>);

/// One of these values.
pub(super) fn one_of(values: Value) -> BoxedStrategy<Value> {
    select(values.as_array().unwrap().clone()).boxed()
}

/// A reference to a record; most lead to something.
pub(super) fn pick(of: &'static str) -> BoxedStrategy<Value> {
    let text = move |which: &str| json!(format!("@{of}/{which}"));
    prop_oneof![
        20 => any::<u8>().prop_map(move |number| text(&format!("live/{number}"))),
        2 => any::<u8>().prop_map(move |number| text(&format!("gone/{number}"))),
        1 => Just(text("unknown/0")),
        1 => Just(text("foreign/0")),
    ]
    .boxed()
}

pub(super) fn code() -> BoxedStrategy<Value> {
    one_of(json!(CODES))
}

/// References, each at most a few times.
pub(super) fn picks(of: &'static str) -> BoxedStrategy<Value> {
    vec(pick(of), 0..3).prop_map(Value::from).boxed()
}

/// A value, present so often of 100.
fn sometimes<V: std::fmt::Debug + Clone + 'static>(
    percent: u32,
    values: impl Strategy<Value = V> + 'static,
) -> BoxedStrategy<Option<V>> {
    match percent {
        0 => Just(None).boxed(),
        100 => values.prop_map(Some).boxed(),
        _ => weighted(f64::from(percent) / 100.0, values).boxed(),
    }
}

/// An object, which so often of 100 has a fault. `known` has for each field how often of 100 it is
/// given, and its values; `faults` has values that a field cannot have.
pub(super) fn object(
    known: Value,
    more: Vec<Field>,
    faults: Value,
    percent: u32,
) -> BoxedStrategy<Value> {
    let mut fields = Vec::new();
    for (name, values) in known.as_object().unwrap().clone() {
        let often = values[0].as_u64().unwrap() as u32;
        let values = values.as_array().unwrap()[1..].to_vec();
        fields.push((name, often, select(values).boxed()));
    }
    let more = more.into_iter();
    fields.extend(more.map(|(name, often, values)| (name.to_owned(), often, values)));
    let field = |(name, often, values): (String, u32, BoxedStrategy<Value>)| {
        sometimes(often, values.prop_map(move |value| (name.clone(), value)))
    };
    let fields: Vec<_> = fields.into_iter().map(field).collect();
    let faults = faults
        .as_object()
        .unwrap()
        .iter()
        .flat_map(|(name, values)| {
            let values = values.as_array().unwrap().iter();
            values.map(|value| (name.clone(), value.clone()))
        });
    let fault = match faults.collect::<Vec<_>>() {
        none if none.is_empty() => Just(None).boxed(),
        faults => sometimes(percent, select(faults)),
    };
    (fields, fault)
        .prop_map(|(fields, fault)| {
            Value::Object(Map::from_iter(fields.into_iter().flatten().chain(fault)))
        })
        .boxed()
}

/// A product with option groups so often of 100.
pub(super) fn product(groups: u32) -> BoxedStrategy<Value> {
    let known = json!({
        "externalId": [70, "A", "B", "C", "a", "X-1 2/3", null],
        "name": [75, "Bread", "bread", " Tea ", "Crème brûlée"],
        "barcode": [50, "111", "222", "333", null],
        "categoryName": [25, "Food", "food", " FOOD ", "Été", "ÉTÉ", "Drinks"],
        "priceCents": [30, 0, 250, 250.0, 100_000_000],
        "vatRate": [20, 21, 9.0, 5.5, 0],
        "description": [10, null, "", "two\nlines"],
        "isActive": [15, true, false],
        "availableFrom": [10, null, "2026-01-01", "2026-06-01"],
        "availableUntil": [10, null, "2026-03-01", "2028-02-29"],
        "imageUrl": [15, null, "https://img.example/a", "https://img.example/b"],
        "stockQuantity": [3, 7],
        "updatedAt": [3, "yesterday"],
    });
    let more = vec![
        ("optionGroupIds", groups, picks("group")),
        ("id", 60, pick("product")),
        ("categoryId", 12, pick("category")),
    ];
    let faults = json!({
        "externalId": ["", " A", "é", "A".repeat(101), 5],
        "name": [null, "  ", "a\tb", "x".repeat(201)],
        "barcode": ["", "1".repeat(65), 111],
        "categoryId": ["nowhere"],
        "categoryName": [null, " "],
        "priceCents": [-1, 100_000_001, 12.5, "12"],
        "vatRate": [100.01, 1.234],
        "description": ["a\tb"],
        "isActive": ["yes"],
        "availableFrom": ["2026-02-30"],
        "availableUntil": ["1 May"],
        "imageUrl": ["http://img.example/a", ""],
        // So that a failed item has asked for a category that nobody has.
        "optionGroupIds": [
            ["018f2f6e-4c1a-7000-8000-000000000001"],
            ["018f2f6e-4c1a-7000-8000-000000000002"],
            "none",
        ],
        "colour": ["red"],
    });
    let other = one_of(json!([5, null, [], {}]));
    // With many groups, which may be faults themselves, there are fewer others.
    let percent = if groups > 50 { 4 } else { 20 };
    prop_oneof![40 => object(known, more, faults, percent), 1 => other].boxed()
}

pub(super) fn category() -> BoxedStrategy<Value> {
    let known = json!({
        "name": [75, "Food", "food", " FOOD ", "Été", "ÉTÉ", "Drinks", "New"],
        "isActive": [30, true, false],
        "position": [30, 0, 3, 1_000_000],
        "createdAt": [5, null],
    });
    let faults = json!({
        "name": [null, "", "x".repeat(101)],
        "isActive": [null],
        "position": [-1, 1_000_001, 0.5],
        "colour": ["red"],
    });
    object(known, Vec::new(), faults, 20)
}

/// An option of a group, sometimes named by its id.
pub(super) fn option(is_named: bool) -> BoxedStrategy<Value> {
    let known = json!({
        "externalId": [40, "x", "y", null],
        "name": [90, "P", " P ", "Q", "R", "q", "S"],
        "priceCents": [30, 0, 50, 50.0],
        "isAvailable": [30, true, false],
    });
    let id = ("id", if is_named { 20 } else { 0 }, pick("option"));
    let faults = json!({ "name": [""], "priceCents": [0.5], "colour": ["red"] });
    object(known, vec![id], faults, 3)
}

pub(super) fn group() -> BoxedStrategy<Value> {
    let known = json!({
        "externalId": [60, "A", "B", "C", null],
        "name": [90, "Sizes", "Sauces", " Sizes "],
        "minSelect": [20, 0, 1, 2, 3],
        "maxSelect": [20, 0, 1, 2],
        "position": [10, 0, 1],
        "currency": [5, "XXX"],
    });
    let options = vec(option(true), 1..5).prop_map(Value::from);
    let more = vec![("options", 80, options.boxed()), ("id", 60, pick("group"))];
    let faults = json!({
        "name": [null], "externalId": [" A"], "minSelect": [-1], "options": ["none"],
        "colour": ["red"],
    });
    object(known, more, faults, 5)
}
