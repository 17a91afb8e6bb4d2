//! Objects, actions, fields and values of entries in words.

use std::borrow::Cow;

use connect_core::{Grant, PlannedErasure, UserRole, wire::Date};
use serde::de::DeserializeOwned;
use serde_json::Value;

use crate::dashboard::{
    messages::{
        self, dates,
        numbers::{money, number, percent},
    },
    pages::{screens, tokens, users},
};

/// Finds the name of an object by its kind and id.
pub(super) type FindName<'n> = &'n dyn Fn(&str, &str) -> String;

/// The name of a kind of objects.
pub(super) fn object(kind: &str) -> Cow<'_, str> {
    let name = text_of!("activity-object", &hyphened(kind));
    name.unwrap_or(Cow::Borrowed(kind))
}

/// An action in a word or two.
/// Some objects have words of their own for it.
pub(super) fn action<'a>(object: &str, action: &'a str) -> Cow<'a, str> {
    let name = hyphened(action);
    let of_object = text_of!("activity-action", &format!("{}-{name}", hyphened(object)));
    let words = of_object.or_else(|| text_of!("activity-action", &name));
    words.unwrap_or(Cow::Borrowed(action))
}

fn hyphened(words: &str) -> String {
    words.replace(' ', "-")
}

/// The name of a field in words: `priceCents` is the price.
pub(super) fn label(field: &str) -> String {
    let name = match field {
        "priceCents" => "price".to_owned(),
        "stockQuantity" => "stock".to_owned(),
        "defaultVatRate" => "vat-rate".to_owned(),
        other => parts(other),
    };
    text_of!("activity-field", &name).map_or_else(|| field.to_owned(), Cow::into_owned)
}

/// The parts of a name: `externalId` is `external-id`.
fn parts(name: &str) -> String {
    let mut parts = String::new();
    for letter in name.chars() {
        if letter.is_ascii_uppercase() {
            parts.push('-');
        }
        parts.push(letter.to_ascii_lowercase());
    }
    parts
}

/// A value in words.
pub(super) fn value(field: &str, value: &Value, currency: &str, name: FindName<'_>) -> String {
    let of_field = value_of_field(field, value, currency, name);
    of_field.unwrap_or_else(|| plain(value))
}

/// The value of a field with a form of its own.
fn value_of_field(
    field: &str,
    value: &Value,
    currency: &str,
    name: FindName<'_>,
) -> Option<String> {
    let sent = value.as_str();
    let told = match field {
        "priceCents" => money(value.as_i64()?, currency),
        "vatRate" | "defaultVatRate" if value.is_number() => percent(value),
        "rows" => number(value.as_i64()?),
        "availableFrom" | "availableUntil" => {
            let day: Date = sent?.parse().ok()?;
            dates::date(day.into()).into_owned()
        }
        "categoryId" => name("category", sent?),
        "locationId" => name("location", sent?),
        "locationIds" if value.as_array()?.is_empty() => text!("word-all").into_owned(),
        "locationIds" => list(value, |id: &String| name("location", id))?,
        "optionGroupIds" => list(value, |id: &String| name("option group", id))?,
        "language" => messages::name_of(messages::of_tag(sent?)?).into_owned(),
        "switchedOff" if value.is_null() => text!("activity-no").into_owned(),
        "switchedOff" => text_of!("activity-off", sent?)?.into_owned(),
        "type" => screens::words(read(value)?).into_owned(),
        "roles" => list(value, |of| role(of, name))?,
        "grants" => list(value, |of| grant(of, name))?,
        "erasures" => list(value, |of| erasure(of, name))?,
        "retention" => retention(value)?,
        _ if field.ends_with("At") => dates::date_time(sent?.parse().ok()?).into_owned(),
        _ => return None,
    };
    Some(told)
}

/// The value of any other field.
fn plain(value: &Value) -> String {
    match value {
        Value::Null => text!("activity-no-value").into_owned(),
        Value::Bool(true) => text!("activity-yes").into_owned(),
        Value::Bool(false) => text!("activity-no").into_owned(),
        Value::String(text) => text.clone(),
        Value::Array(values) if !values.is_empty() => {
            let texts: Vec<_> = values.iter().map(plain).collect();
            texts.join(", ")
        }
        Value::Array(_) => text!("activity-no-value").into_owned(),
        Value::Object(fields) if fields.is_empty() => text!("activity-no-value").into_owned(),
        other => other.to_string(),
    }
}

fn read<T: DeserializeOwned>(value: &Value) -> Option<T> {
    serde_json::from_value(value.clone()).ok()
}

/// A list in words; `None` if it is empty.
fn list<T: DeserializeOwned>(value: &Value, words: impl Fn(&T) -> String) -> Option<String> {
    let values: Vec<T> = read(value)?;
    let words: Vec<_> = values.iter().map(words).collect();
    (!words.is_empty()).then(|| words.join("; "))
}

fn role(of: &UserRole, name: FindName<'_>) -> String {
    let role = users::name_of(of.role);
    let at = of.location_id.map(|id| name("location", &id.to_string()));
    let words = match at {
        Some(location) => text!("users-role-at", role = role, location = location),
        None => role,
    };
    words.into_owned()
}

fn grant(of: &Grant, name: FindName<'_>) -> String {
    let tasks = tokens::tasks(&of.scopes);
    let location = name("location", &of.location_id.to_string());
    text!("activity-value", field = location, value = tasks).into_owned()
}

fn erasure(of: &PlannedErasure, name: FindName<'_>) -> String {
    let what = match of.location_id {
        Some(id) => name("location", &id.to_string()),
        None => text!("activity-whole-account").into_owned(),
    };
    let time = dates::date_time(of.erase_at);
    text!("activity-value", field = what, value = time).into_owned()
}

/// The days to keep personal data; `None` if none are set.
fn retention(value: &Value) -> Option<String> {
    let days = value.as_object()?.iter().filter_map(|(field, days)| {
        let name = text_of!("activity-retention", &parts(field))?;
        let days = text!("activity-days", count = days.as_u64()?);
        Some(text!("activity-value", field = name, value = days))
    });
    let days: Vec<_> = days.collect();
    (!days.is_empty()).then(|| days.join("; "))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    const ID: &str = "0199e3a1-7c00-7000-8000-000000000001";

    #[test]
    fn fields_and_values_are_told_in_words() {
        let name = |kind: &str, id: &str| format!("{kind} {}", &id[..4]);
        for (field, sent, label_of_it, told) in [
            ("priceCents", json!(345), "Price", "€3.45"),
            ("priceCents", json!(null), "Price", "none"),
            ("vatRate", json!(5.5), "VAT", "5.5 %"),
            ("isActive", json!(true), "For sale", "yes"),
            ("stockQuantity", json!(12), "Stock", "12"),
            ("description", json!(null), "Description", "none"),
            ("events", json!(["a", "b"]), "Events", "a, b"),
            ("events", json!([]), "Events", "none"),
            ("rows", json!(1234), "Records", "1,234"),
            (
                "expiresAt",
                json!("2026-07-01T22:30:00Z"),
                "Expires",
                "2 Jul 2026, 00:30",
            ),
            ("expiresAt", json!("soon"), "Expires", "soon"),
            (
                "availableFrom",
                json!("2026-07-01"),
                "Available from",
                "1 Jul 2026",
            ),
            ("categoryId", json!(ID), "Category", "category 0199"),
            ("locationIds", json!([]), "Locations", "All"),
            ("locationIds", json!([ID]), "Locations", "location 0199"),
            ("language", json!("nl"), "Language", "Nederlands"),
            ("type", json!("order_kiosk"), "Type", "Order kiosk"),
            ("type", json!("x"), "Type", "x"),
            (
                "switchedOff",
                json!("owner"),
                "Switched off",
                "by the owner",
            ),
            (
                "roles",
                json!([{ "locationId": null, "role": "manager" }]),
                "Roles",
                "manager",
            ),
            (
                "grants",
                json!([{ "locationId": ID, "scopes": ["pos:read", "stock:read"] }]),
                "Tasks",
                "location 0199: Read sales, Read stock",
            ),
            (
                "erasures",
                json!([{ "locationId": null, "eraseAt": "2026-07-01T22:30:00Z" }]),
                "Planned erasures",
                "the whole account: 2 Jul 2026, 00:30",
            ),
            (
                "retention",
                json!({ "orderDays": 1400, "x": 1 }),
                "How long data is kept",
                "orders: 1,400 days",
            ),
            ("unheardOf", json!({ "a": 1 }), "unheardOf", "{\"a\":1}"),
        ] {
            assert_eq!(label(field), label_of_it);
            assert_eq!(value(field, &sent, "EUR", &name), told, "{field}");
        }
    }

    #[test]
    fn objects_and_actions_are_told_in_words() {
        for (kind, sent, expected) in [
            ("option group", "create", "option group: new"),
            ("session", "create", "session: signed in"),
            (
                "location",
                "blank orders",
                "location: names removed from orders",
            ),
            ("planet", "orbit", "planet: orbit"),
        ] {
            assert_eq!(
                format!("{}: {}", object(kind), action(kind, sent)),
                expected
            );
        }
    }
}
