//! The rules of fields, said once more, for the values of these tests.

use serde_json::{Map, Value, json};

use super::{Kind, No};

/// Reads a field as it is shown; `None` for an invalid value.
type Rule = fn(&Value) -> Option<Value>;
type Rules = &'static [(&'static str, Rule)];

const CATEGORY: Rules = &[
    ("name", |it| text(it, 1, 100, "", true)),
    ("isActive", boolean),
    ("position", |it| whole(it, 1_000_000)),
];

const PRODUCT: Rules = &[
    ("externalId", |it| nullable(it, external_id)),
    ("name", |it| text(it, 1, 200, "", true)),
    ("description", |it| {
        nullable(it, |it| text(it, 0, 2000, "\n", false))
    }),
    ("priceCents", |it| whole(it, 100_000_000)),
    ("vatRate", rate),
    ("barcode", |it| {
        nullable(it, |it| text(it, 1, 64, "", false))
    }),
    ("categoryId", |it| nullable(it, id)),
    ("categoryName", |it| text(it, 1, 100, "", true)),
    ("isActive", boolean),
    ("availableFrom", |it| nullable(it, day)),
    ("availableUntil", |it| nullable(it, day)),
    ("imageUrl", |it| nullable(it, link)),
    ("optionGroupIds", distinct),
];

const GROUP: Rules = &[
    ("externalId", |it| nullable(it, external_id)),
    ("name", |it| text(it, 1, 100, "", true)),
    ("minSelect", |it| whole(it, 100)),
    ("maxSelect", |it| whole(it, 100)),
    ("position", |it| whole(it, 1_000_000)),
    ("options", options),
];

pub(super) const OPTION: Rules = &[
    ("id", id),
    ("externalId", |it| nullable(it, external_id)),
    ("name", |it| text(it, 1, 100, "", true)),
    ("priceCents", |it| whole(it, 100_000_000)),
    ("isAvailable", boolean),
];

const IGNORED: [&str; 5] = ["id", "currency", "stockQuantity", "createdAt", "updatedAt"];

/// The known fields of a body. With `counts_id` it names its record.
pub(super) fn given(kind: Kind, body: &Value, counts_id: bool) -> Result<Map<String, Value>, No> {
    let rules = match kind {
        Kind::Category => CATEGORY,
        Kind::Product => PRODUCT,
        _ => GROUP,
    };
    let mut given = read(rules, body)?;
    if counts_id && let Some(sent) = body.get("id") {
        let sent = nullable(sent, id).ok_or_else(|| No::of("validation_failed", "id"))?;
        given.insert("id".to_owned(), sent);
    }
    Ok(given)
}

/// Reads each field by its rule. Unknown fields are faults, those that only the service writes not.
pub(super) fn read(rules: Rules, body: &Value) -> Result<Map<String, Value>, No> {
    let fields = body
        .as_object()
        .ok_or_else(|| No::of("validation_failed", ""))?;
    let (mut given, mut faults) = (Map::new(), Vec::new());
    for (name, value) in fields {
        let rule = rules.iter().find(|(known, _)| known == name);
        match rule.map(|(_, rule)| rule(value)) {
            Some(Some(value)) => drop(given.insert(name.clone(), value)),
            None if IGNORED.contains(&&**name) => {}
            _ => faults.push(("validation_failed", name.clone())),
        }
    }
    if fields.contains_key("categoryId") && fields.contains_key("categoryName") {
        faults.push(("validation_failed", "categoryName".to_owned()));
    }
    if faults.is_empty() {
        Ok(given)
    } else {
        Err(No(faults))
    }
}

/// A name without regard to case.
pub(super) fn folded(name: &Value) -> String {
    name.as_str().unwrap().to_lowercase()
}

fn nullable(value: &Value, read: impl Fn(&Value) -> Option<Value>) -> Option<Value> {
    if value.is_null() {
        Some(Value::Null)
    } else {
        read(value)
    }
}

fn boolean(value: &Value) -> Option<Value> {
    value.as_bool().map(Value::from)
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
    let is_allowed = |b: u8| b.is_ascii_alphanumeric() || b" ._-/".contains(&b);
    let is_good = text.bytes().all(is_allowed) && text == text.trim();
    (is_good && !text.is_empty() && text.len() <= 100).then(|| json!(text))
}

fn whole(value: &Value, most: i64) -> Option<Value> {
    let number = value.as_f64()?;
    let is_good = number.fract() == 0.0 && number >= 0.0 && number <= most as f64;
    is_good.then(|| json!(number as i64))
}

fn rate(value: &Value) -> Option<Value> {
    let hundredths = (value.as_f64()? * 100.0).round();
    let is_good = hundredths / 100.0 == value.as_f64()? && (0.0..=10_000.0).contains(&hundredths);
    is_good.then(|| super::decimal(hundredths as i64, 100))
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

/// An id of the service, or the number of a record in the model.
fn id(value: &Value) -> Option<Value> {
    let text = value.as_str()?;
    let is_id = text.starts_with('#') || uuid::Uuid::parse_str(text).is_ok();
    is_id.then(|| value.clone())
}

fn distinct(value: &Value) -> Option<Value> {
    let ids = value.as_array()?;
    let mut earlier = ids.iter().enumerate().map(|(at, id)| (&ids[..at], id));
    (!earlier.any(|(before, id)| before.contains(id))).then(|| value.clone())
}

fn options(value: &Value) -> Option<Value> {
    let options = value
        .as_array()?
        .iter()
        .map(|option| read(OPTION, option).ok());
    options.map(|option| option.map(Value::Object)).collect()
}
