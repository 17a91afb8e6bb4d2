//! Examples of what has a form of its own.

use serde_json::{Value, json};

/// An example of a value whose schema tells all that there is to it.
pub(super) fn of_form(schema: &Value) -> Option<Value> {
    let fixed = [
        schema.get("const"),
        schema["enum"].get(0),
        schema["x-extensible-enum"].get(0),
    ];
    let kind = match &schema["type"] {
        Value::Array(kinds) => &kinds[0],
        kind => kind,
    };
    let of_type = || match (kind.as_str()?, schema["format"].as_str()) {
        ("boolean", _) => Some(json!(true)),
        (_, Some("uuid")) => Some(json!("019a8c52-8e20-7c42-8a1f-4c2d6e8fab05")),
        (_, Some("date")) => Some(json!("2026-11-20")),
        (_, Some("date-time")) => Some(json!("2026-11-20T09:15:30.123456Z")),
        _ => None,
    };
    let fixed = fixed.into_iter().flatten().next().cloned();
    fixed.or_else(of_type)
}

/// An example of what every list has, in its query or on its pages.
pub(super) fn of_name(name: &str) -> Option<Value> {
    match name {
        "limit" => Some(json!(100)),
        "cursor" | "nextCursor" => Some(json!("AZqMUo4gfEKKH0wtbo-rBQ")),
        "from" => Some(json!("2026-11-01")),
        "to" => Some(json!("2026-11-30")),
        "sinceReceipt" => Some(json!(4711)),
        "search" => Some(json!("chocolate croi")),
        _ => None,
    }
}
