//! What a field may hold, said once more, for the values that these tests send.

use serde_json::{Map, Value, json};

/// The fields of a body that count, each as it is shown; `None` when the body has a fault.
pub(crate) fn product_body(body: &Value, counts_id: bool) -> Option<Map<String, Value>> {
    let given = read(body, |name, value| match name {
        "id" if counts_id => Some(nullable(value, uuid)),
        "id" | "currency" | "stockQuantity" | "createdAt" | "updatedAt" => None,
        "externalId" => Some(nullable(value, external_id)),
        "name" => Some(text(value, 1, 200, "", true)),
        "description" => Some(nullable(value, |value| text(value, 0, 2000, "\n", false))),
        "priceCents" => Some(whole(value, 100_000_000)),
        "vatRate" => Some(rate(value)),
        "barcode" => Some(nullable(value, |value| text(value, 1, 64, "", false))),
        "categoryId" => Some(nullable(value, uuid)),
        "categoryName" => Some(text(value, 1, 100, "", true)),
        "isActive" => Some(value.as_bool().map(Value::from)),
        "availableFrom" | "availableUntil" => Some(nullable(value, day)),
        "imageUrl" => Some(nullable(value, link)),
        "optionGroupIds" => Some(value.is_array().then(|| value.clone())),
        _ => Some(None),
    })?;
    let both = given.contains_key("categoryId") && given.contains_key("categoryName");
    (!both).then_some(given)
}

/// As [`product_body`], of a category.
pub(crate) fn category_body(body: &Value) -> Option<Map<String, Value>> {
    read(body, |name, value| match name {
        "id" | "createdAt" | "updatedAt" => None,
        "name" => Some(text(value, 1, 100, "", true)),
        "isActive" => Some(value.as_bool().map(Value::from)),
        "position" => Some(whole(value, 1_000_000)),
        _ => Some(None),
    })
}

/// A name without regard to case.
pub(crate) fn folded(name: &str) -> String {
    name.trim().to_lowercase()
}

/// Reads each field: `None` is ignored, `Some(None)` is a fault.
fn read(
    body: &Value,
    field: impl Fn(&str, &Value) -> Option<Option<Value>>,
) -> Option<Map<String, Value>> {
    let mut given = Map::new();
    for (name, value) in body.as_object()? {
        if let Some(value) = field(name, value) {
            given.insert(name.clone(), value?);
        }
    }
    Some(given)
}

fn nullable(value: &Value, read: impl Fn(&Value) -> Option<Value>) -> Option<Value> {
    if value.is_null() {
        Some(Value::Null)
    } else {
        read(value)
    }
}

fn text(value: &Value, least: usize, most: usize, controls: &str, trim: bool) -> Option<Value> {
    let text = value.as_str()?;
    let text = if trim { text.trim() } else { text };
    let length = text.chars().count();
    let is_clean = text.chars().all(|c| c >= ' ' || controls.contains(c));
    (least <= length && length <= most && is_clean).then(|| json!(text))
}

fn external_id(value: &Value) -> Option<Value> {
    let text = value.as_str()?;
    let is_allowed = text
        .bytes()
        .all(|b| b.is_ascii_alphanumeric() || b" ._-/".contains(&b));
    let is_tight = text == text.trim();
    (is_allowed && is_tight && !text.is_empty() && text.len() <= 100).then(|| json!(text))
}

fn whole(value: &Value, most: i64) -> Option<Value> {
    let number = value.as_f64()?;
    let is_good = number.fract() == 0.0 && number >= 0.0 && number <= most as f64;
    is_good.then(|| json!(number as i64))
}

fn rate(value: &Value) -> Option<Value> {
    let rate = value.as_f64()?;
    let hundredths = (rate * 100.0).round();
    let is_good = hundredths / 100.0 == rate && (0.0..=100.0).contains(&rate);
    is_good.then(|| {
        if rate.fract() == 0.0 {
            json!(rate as i64)
        } else {
            json!(rate)
        }
    })
}

fn day(value: &Value) -> Option<Value> {
    let days = ["2026-01-01", "2026-06-01", "2026-03-01", "2028-02-29"];
    days.contains(&value.as_str()?).then(|| value.clone())
}

fn link(value: &Value) -> Option<Value> {
    let link = value.as_str()?;
    let is_link = link.starts_with("https://") || link.starts_with("http://");
    is_link.then(|| value.clone())
}

fn uuid(value: &Value) -> Option<Value> {
    uuid::Uuid::parse_str(value.as_str()?)
        .ok()
        .map(|id| json!(id))
}
