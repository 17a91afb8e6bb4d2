//! Activity: the audit trail of the account, newest first.

use std::borrow::Cow;

use connect_core::{Author, Error, TrailChange, TrailEntry, TrailFilter, TrailScope, UserRight};
use maud::{Markup, html};
use serde_json::Value;
use url::form_urlencoded::Serializer;

use crate::dashboard::{
    Answer, components, layout, messages::numbers::money, page_request::SignedIn,
};

const PATH: &str = "/dashboard/activity";

/// The filters and the place of the list, as named in the address.
const KIND: &str = "kind";
const OBJECT: &str = "object";
const AUTHOR: &str = "author";
const CURSOR: &str = "cursor";

/// The entries of a page.
const PAGE: usize = 50;

/// The changes shown of an entry. A batch has hundreds.
const MOST_CHANGES: usize = 10;

/// The kinds of objects to choose from.
const KINDS: [&str; 12] = [
    "product",
    "category",
    "option group",
    "option",
    "location",
    "screen",
    "screen key",
    "token",
    "webhook",
    "user",
    "session",
    "account",
];

/// The address of the changes of an object; `None` without the right to read them.
pub(super) fn of_object(to: &SignedIn<'_>, id: &str) -> Option<String> {
    let may_read = to.session.has(UserRight::ReadTrail);
    may_read.then(|| format!("{PATH}?{OBJECT}={id}"))
}

/// Shows a page of the list, by filters.
pub(super) async fn list(to: &SignedIn<'_>) -> Result<Answer, Error> {
    let named = |name| Some(to.query.get(name)).filter(|value| !value.is_empty());
    let object = named(OBJECT).map(|id| components::id::<()>(id).map(|id| id.uuid()));
    let filter = TrailFilter {
        object: object.transpose()?,
        kind: named(KIND).map(str::to_owned),
        author: named(AUTHOR).map(str::to_owned),
        ..TrailFilter::default()
    };
    let scope = TrailScope::Account(to.account().id);
    let page = to
        .connect
        .trail(scope, &filter, named(CURSOR), PAGE)
        .await?;
    let content = html! {
        p.hint { (text!("activity-about", days = to.connect.trail_days())) }
        (filters(to))
        @if page.entries.is_empty() {
            @let text = match page.next {
                // One page searches only a limited number of entries.
                Some(_) => text!("activity-none-so-far"),
                None => text!("activity-none"),
            };
            (components::empty(&text, html! {}))
        } @else { (table(to, &page.entries)) }
        @if let Some(next) = &page.next {
            p { a href=(next_page(to, next)) { (text!("activity-older")) } }
        }
    };
    Ok(layout::page(to, PATH, &text!("section-activity"), content))
}

fn filters(to: &SignedIn<'_>) -> Markup {
    let chosen = to.query.get(KIND);
    html! {
        form.filter method="get" action=(PATH) {
            @for name in [OBJECT, AUTHOR] {
                @if !to.query.get(name).is_empty() {
                    input type="hidden" name=(name) value=(to.query.get(name));
                }
            }
            label for=(KIND) { (text!("activity-kind")) }
            select id=(KIND) name=(KIND) {
                option value="" { (text!("activity-kind-any")) }
                @for kind in KINDS {
                    option value=(kind) selected[kind == chosen] { (object(kind)) }
                }
            }
            button.quiet { (text!("activity-find")) }
            @if !to.query.get(OBJECT).is_empty() || !to.query.get(AUTHOR).is_empty() {
                a href=(PATH) { (text!("activity-all")) }
            }
        }
    }
}

/// The address of the next page, with the same filters.
fn next_page(to: &SignedIn<'_>, cursor: &str) -> String {
    let mut query = Serializer::new(String::new());
    for name in [KIND, OBJECT, AUTHOR] {
        let value = to.query.get(name);
        if !value.is_empty() {
            query.append_pair(name, value);
        }
    }
    query.append_pair(CURSOR, cursor);
    format!("{PATH}?{}", query.finish())
}

fn table(to: &SignedIn<'_>, entries: &[TrailEntry]) -> Markup {
    let head = html! {
        th { (text!("word-time")) } th { (text!("activity-who")) } th { (text!("activity-what")) }
    };
    let rows = html! {
        @for entry in entries {
            tr {
                td { (components::time(entry.at)) }
                td { (who(to, entry)) }
                td {
                    @for change in entry.changes.iter().take(MOST_CHANGES) { (what(to, entry, change)) }
                    @let more = entry.changes.len().saturating_sub(MOST_CHANGES);
                    @if more > 0 { div { (text!("activity-more", count = more)) } }
                }
            }
        }
    };
    components::table(&text!("section-activity"), head, rows)
}

/// The author, with a link to the other entries of it.
fn who(to: &SignedIn<'_>, entry: &TrailEntry) -> Markup {
    let (name, id) = match &entry.author {
        Author::Operator { .. } => (text!("activity-operator"), "operator".to_owned()),
        Author::User { id } => {
            let mut users = to.account().users.iter();
            let user = users.find(|user| user.id == *id);
            let name = user.map(|user| Cow::from(&*user.name));
            (
                name.unwrap_or_else(|| text!("activity-former-user")),
                id.to_string(),
            )
        }
        Author::Token { id, name } => (text!("activity-token", name = name), id.to_string()),
        Author::Screen { id, name } => (text!("activity-screen", name = name), id.to_string()),
        _ => (text!("activity-service"), "service".to_owned()),
    };
    html! {
        a href={ (PATH) "?" (AUTHOR) "=" (id) } { (name) }
        @if let Some(address) = entry.origin.address { div.hint { (address) } }
    }
}

/// A change in words, with a link to the other changes of its object.
fn what(to: &SignedIn<'_>, entry: &TrailEntry, change: &TrailChange) -> Markup {
    let locations = &to.account().locations;
    let place = locations.iter().find(|at| at.id.uuid() == entry.chain);
    let currency = place.map_or("EUR", |place| &place.currency);
    let action = action(&change.action);
    let object = object(&change.object);
    let object = match &change.name {
        Some(name) => Cow::Owned(format!("{object} {name}")),
        None => object,
    };
    let link = |words: &str| html! { a href={ (PATH) "?" (OBJECT) "=" (change.id) } { (words) } };
    let fields = change.before.keys().chain(change.after.keys());
    let mut fields: Vec<&String> = fields.collect();
    fields.sort_unstable();
    fields.dedup();
    let shown = |values: &serde_json::Map<String, Value>, field: &str| {
        value(field, values.get(field).unwrap_or(&Value::Null), currency)
    };
    html! {
        div {
            @if let (Some(place), true) = (place, locations.len() > 1) {
                (marked!(
                    "activity-change-at",
                    [object = &*object, action = &*action, location = &place.name],
                    a = link,
                ))
            } @else {
                (marked!("activity-change", [object = &*object, action = &*action], a = link))
            }
            @for field in fields {
                div.hint {
                    @let (name, before) = (label(field), shown(&change.before, field));
                    @let after = shown(&change.after, field);
                    @match &*change.action {
                        "create" => (text!("activity-value", field = name, value = after)),
                        "delete" => (text!("activity-value", field = name, value = before)),
                        _ => (text!(
                            "activity-values",
                            field = name,
                            before = before,
                            after = after,
                        )),
                    }
                }
            }
            @for field in &change.hidden {
                div.hint { (text!("activity-hidden", field = label(field))) }
            }
        }
    }
}

/// The name of a kind of objects.
fn object(kind: &str) -> Cow<'_, str> {
    let name = text_of!("activity-object", &kind.replace(' ', "-"));
    name.unwrap_or(Cow::Borrowed(kind))
}

/// An action in a word or two.
fn action(action: &str) -> Cow<'_, str> {
    let words = text_of!("activity-action", &action.replace(' ', "-"));
    words.unwrap_or(Cow::Borrowed(action))
}

/// The name of a field in words: `priceCents` is the price.
fn label(field: &str) -> String {
    let field = match field {
        "priceCents" => "price",
        "stockQuantity" => "stock",
        "defaultVatRate" => "vatRate",
        other => other,
    };
    let mut words = String::new();
    for (place, letter) in field.char_indices() {
        match letter {
            _ if place == 0 => words.extend(letter.to_uppercase()),
            'A'..='Z' => {
                words.push(' ');
                words.extend(letter.to_lowercase());
            }
            _ => words.push(letter),
        }
    }
    let name = words.to_lowercase().replace(' ', "-");
    text_of!("activity-field", &name).map_or(words, Cow::into_owned)
}

/// A value in words.
fn value(field: &str, value: &Value, currency: &str) -> String {
    match value {
        Value::Null => text!("activity-no-value").into_owned(),
        Value::Bool(true) => text!("activity-yes").into_owned(),
        Value::Bool(false) => text!("activity-no").into_owned(),
        Value::String(text) => text.clone(),
        Value::Number(number) if field == "priceCents" => {
            money(number.as_i64().unwrap_or_default(), currency)
        }
        Value::Array(values) if values.iter().all(Value::is_string) => {
            let texts: Vec<_> = values.iter().filter_map(Value::as_str).collect();
            texts.join(", ")
        }
        other => other.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn fields_and_values_are_told_in_words() {
        for (field, sent, name, told) in [
            ("priceCents", json!(345), "Price", "€3.45"),
            ("isActive", json!(true), "Is active", "yes"),
            ("stockQuantity", json!(12), "Stock", "12"),
            ("description", json!(null), "Description", "none"),
            ("events", json!(["a", "b"]), "Events", "a, b"),
        ] {
            assert_eq!(label(field), name);
            assert_eq!(value(field, &sent, "EUR"), told);
        }
    }
}
