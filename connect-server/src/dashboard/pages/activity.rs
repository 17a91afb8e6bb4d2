//! Activity: the audit trail of the account, newest first.

use connect_core::{Author, Error, TrailChange, TrailEntry, TrailFilter, TrailScope, UserRight};
use maud::{Markup, html};
use serde_json::Value;
use url::form_urlencoded::Serializer;

use crate::dashboard::{Answer, components, layout, money, page_request::SignedIn};

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
        p.hint {
            "Who changed what: the changes by people, and those of prices, names and stock counts by other software. \
             Sales are in the journal. Entries are kept for " (to.connect.trail_days()) " days."
        }
        (filters(to))
        @if page.entries.is_empty() {
            @let text = match page.next {
                // One page searches only a limited number of entries.
                Some(_) => "Nothing was found so far. The next page continues the search.",
                None => "There is nothing here.",
            };
            (components::empty(text, html! {}))
        } @else { (table(to, &page.entries)) }
        @if let Some(next) = &page.next { p { a href=(next_page(to, next)) { "Older changes" } } }
    };
    Ok(layout::page(to, PATH, "Activity", content))
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
            label for=(KIND) { "About" }
            select id=(KIND) name=(KIND) {
                option value="" { "Everything" }
                @for kind in KINDS { option value=(kind) selected[kind == chosen] { (kind) } }
            }
            button.quiet { "Find" }
            @if !to.query.get(OBJECT).is_empty() || !to.query.get(AUTHOR).is_empty() {
                a href=(PATH) { "All changes" }
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
    let head = html! { th { "Time" } th { "Who" } th { "What" } };
    let rows = html! {
        @for entry in entries {
            tr {
                td { (components::time(entry.at)) }
                td { (who(to, entry)) }
                td {
                    @for change in entry.changes.iter().take(MOST_CHANGES) { (what(to, entry, change)) }
                    @let more = entry.changes.len().saturating_sub(MOST_CHANGES);
                    @if more > 0 { div { "And " (more) " more." } }
                }
            }
        }
    };
    components::table("Activity", head, rows)
}

/// The author, with a link to the other entries of it.
fn who(to: &SignedIn<'_>, entry: &TrailEntry) -> Markup {
    let (name, id) = match &entry.author {
        Author::Operator { .. } => ("The operator".to_owned(), "operator".to_owned()),
        Author::User { id } => {
            let mut users = to.account().users.iter();
            let user = users.find(|user| user.id == *id);
            let name = user.map_or("A former user", |user| &user.name);
            (name.to_owned(), id.to_string())
        }
        Author::Token { id, name } => (format!("Token {name}"), id.to_string()),
        Author::Screen { id, name } => (format!("Screen {name}"), id.to_string()),
        _ => ("The service".to_owned(), "service".to_owned()),
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
    let verb = match &*change.action {
        "create" => "new",
        "change" => "changed",
        "delete" => "deleted",
        other => other,
    };
    let fields = change.before.keys().chain(change.after.keys());
    let mut fields: Vec<&String> = fields.collect();
    fields.sort_unstable();
    fields.dedup();
    let shown = |values: &serde_json::Map<String, Value>, field: &str| {
        value(field, values.get(field).unwrap_or(&Value::Null), currency)
    };
    html! {
        div {
            a href={ (PATH) "?" (OBJECT) "=" (change.id) } {
                (change.object) @if let Some(name) = &change.name { " " (name) }
            }
            ": " (verb)
            @if let (Some(place), true) = (place, locations.len() > 1) { " at " (place.name) }
            @for field in fields {
                div.hint {
                    (label(field)) ": "
                    @match &*change.action {
                        "create" => (shown(&change.after, field)),
                        "delete" => (shown(&change.before, field)),
                        _ => { (shown(&change.before, field)) " → " (shown(&change.after, field)) }
                    }
                }
            }
            @for field in &change.hidden { div.hint { (label(field)) ": changed" } }
        }
    }
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
    words
}

/// A value in words.
fn value(field: &str, value: &Value, currency: &str) -> String {
    match value {
        Value::Null => "none".to_owned(),
        Value::Bool(is_so) => if *is_so { "yes" } else { "no" }.to_owned(),
        Value::String(text) => text.clone(),
        Value::Number(number) if field == "priceCents" => {
            money::money(number.as_i64().unwrap_or_default(), currency)
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
