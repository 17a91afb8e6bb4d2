//! A change in words: on the page with links and a table of fields, in a file as text.

use std::collections::BTreeSet;

use connect_core::{AccountLocation, TrailChange, TrailEntry};
use maud::{Markup, html};
use serde_json::{Map, Value};

use super::{
    filters::Filters,
    link::changes_link,
    objects::{ObjectPage, Objects},
    words,
};
use crate::dashboard::page_request::SignedIn;

/// The location of an entry; `None` for the account.
pub(super) fn place<'t>(to: &'t SignedIn<'_>, entry: &TrailEntry) -> Option<&'t AccountLocation> {
    let mut locations = to.account().locations.iter();
    locations.find(|at| at.id.uuid() == entry.chain)
}

fn currency(place: Option<&AccountLocation>) -> &str {
    place.map_or("EUR", |place| &place.currency)
}

/// A change as text, with its fields before and after.
pub(super) fn told(
    to: &SignedIn<'_>,
    objects: &Objects<'_>,
    (entry, change): (&TrailEntry, &TrailChange),
) -> String {
    let currency = currency(place(to, entry));
    let find_name = |kind: &str, id: &str| objects.name(kind, id);
    let sides = sides(change);
    let shown = names(change).into_iter().map(|name| {
        let values = sides.iter().map(|side| {
            let sent = side.get(name).unwrap_or(&Value::Null);
            words::value(name, sent, currency, &find_name)
        });
        let values: Vec<_> = values.collect();
        (name, values.join(" → "))
    });
    let hidden = change.hidden.iter();
    let hidden = hidden.map(|name| (name, text!("activity-not-shown").into_owned()));
    let pair = |field: String, value: String| {
        text!("activity-value", field = field, value = value).into_owned()
    };
    let fields = shown.chain(hidden);
    let fields: Vec<_> = fields
        .map(|(name, value)| pair(words::label(name), value))
        .collect();
    let action = words::action(&change.object, &change.action).into_owned();
    let said = pair(objects.title(change), action);
    match fields.is_empty() {
        true => said,
        false => format!("{said} ({})", fields.join("; ")),
    }
}

/// A change in words, with links to its object and to the other changes of it.
pub(super) fn what(
    to: &SignedIn<'_>,
    filters: &Filters,
    objects: &Objects<'_>,
    (entry, change): (&TrailEntry, &TrailChange),
) -> Markup {
    let has_several = to.account().locations.len() > 1;
    let place = place(to, entry);
    let action = words::action(&change.object, &change.action);
    let object = objects.title(change);
    let page = objects.page(entry, change);
    let link = |words: &str| {
        html! {
            @match &page {
                ObjectPage::At(path) => { a href=(path) { (words) } }
                _ => { (words) }
            }
        }
    };
    // A deletion says it already.
    let is_gone = matches!(page, ObjectPage::Gone) && change.action != "delete";
    let find_name = |kind: &str, id: &str| objects.name(kind, id);
    let currency = currency(place);
    let value = |field: &str, sent: &Value| words::value(field, sent, currency, &find_name);
    html! {
        div {
            @if let (Some(place), true) = (place, has_several) {
                (marked!(
                    "activity-change-at",
                    [object = &*object, action = &*action, location = &*place.name],
                    a = link,
                ))
            } @else {
                (marked!("activity-change", [object = &*object, action = &*action], a = link))
            }
            @if is_gone { " " span.tag { (text!("problem-gone")) } }
            @if filters.object != Some(change.id) { " " (changes_link(to, change.id, &object)) }
        }
        (fields(change, &value))
    }
}

/// The names of the changed fields with values.
fn names(change: &TrailChange) -> BTreeSet<&String> {
    change.before.keys().chain(change.after.keys()).collect()
}

/// The values of the fields, before and after.
fn sides(change: &TrailChange) -> Vec<&Map<String, Value>> {
    let (before, after) = (&change.before, &change.after);
    // A new or a deleted object has one value of each field.
    match (before.is_empty(), after.is_empty()) {
        (false, false) => vec![before, after],
        (false, true) => vec![before],
        (true, _) => vec![after],
    }
}

/// The fields of a change, before and after.
fn fields(change: &TrailChange, value: &dyn Fn(&str, &Value) -> String) -> Markup {
    let (names, sides) = (names(change), sides(change));
    let has_both = sides.len() > 1;
    html! {
        @if !names.is_empty() || !change.hidden.is_empty() {
            table.narrow {
                caption.hidden { (text!("activity-fields")) }
                thead {
                    tr {
                        th { (text!("activity-field")) }
                        @if has_both {
                            th { (text!("activity-before")) } th { (text!("activity-after")) }
                        } @else { th { (text!("activity-field-value")) } }
                    }
                }
                tbody {
                    @for name in names {
                        tr {
                            th scope="row" { (words::label(name)) }
                            @for side in &sides {
                                td.wide { (value(name, side.get(name).unwrap_or(&Value::Null))) }
                            }
                        }
                    }
                    @for name in &change.hidden {
                        tr {
                            th scope="row" { (words::label(name)) }
                            td colspan=(sides.len()) { (text!("activity-not-shown")) }
                        }
                    }
                }
            }
        }
    }
}
