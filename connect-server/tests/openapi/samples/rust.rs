//! The sample in Rust, with the SDK: a compiled function of the SDK's tests.

use serde_json::Value;

use super::operation::Operation;

/// The module with all samples.
pub(crate) const MODULE: &str = include_str!("../../../../connect-client/tests/samples.rs");

/// The body of the function with the name of an operation. It shows the values of the operation's examples.
pub(super) fn sample(operation: &Operation<'_>) -> String {
    let name = function(operation.id);
    let start = format!("\nasync fn {name}() -> Result {{\n");
    let rest = MODULE.split_once(&start);
    let (_, rest) = rest.unwrap_or_else(|| panic!("connect-client/tests/samples.rs has no {name}"));
    let (body, _) = rest.split_once("\n    Ok(())\n}\n").unwrap();
    let lines = body.lines();
    let lines = lines.map(|line| line.strip_prefix("    ").unwrap_or(line));
    let source = lines.collect::<Vec<_>>().join("\n");
    let mut shown = Vec::new();
    if let Some(example) = operation.body {
        // Of a batch, its items.
        leaves(example.get("items").unwrap_or(example), &mut shown);
    }
    shown.extend(operation.ids.iter().map(|(_, id)| (*id).to_owned()));
    for value in shown {
        let is_there = plain(&source).contains(&plain(&value));
        assert!(is_there, "the sample {name} does not show {value}");
    }
    source
}

/// `listProducts` as `list_products`.
pub(crate) fn function(name: &str) -> String {
    let letters = name.chars().flat_map(|letter| {
        let underscore = letter.is_ascii_uppercase().then_some('_');
        underscore.into_iter().chain([letter.to_ascii_lowercase()])
    });
    letters.collect()
}

/// The plain values in an example.
fn leaves(example: &Value, found: &mut Vec<String>) {
    match example {
        Value::Object(fields) => fields.values().for_each(|value| leaves(value, found)),
        Value::Array(entries) => entries.iter().for_each(|entry| leaves(entry, found)),
        Value::String(text) => found.push(text.clone()),
        other => found.push(other.to_string()),
    }
}

/// A text without the differences of JSON and Rust: `dine_in` is `DineIn`.
fn plain(text: &str) -> String {
    text.replace('_', "").to_lowercase()
}
