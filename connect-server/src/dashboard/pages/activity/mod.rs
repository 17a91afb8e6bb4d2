//! Activity: the audit trail of the account, newest first.

mod filters;
mod link;
mod objects;
mod words;

use std::collections::BTreeSet;

use connect_core::{Error, TrailChange, TrailEntry, TrailPage, TrailScope};
use maud::{Markup, html};
use serde_json::Value;

use self::{
    filters::{AUTHOR, CURSOR, Filters},
    link::PATH,
    objects::{ObjectPage, Objects, shown},
};
use crate::dashboard::{Answer, components, layout, page_request::SignedIn};

pub(super) use link::{changes_line, changes_link, of_object};

/// The entries of a page.
const PAGE: usize = 50;

/// Shows a page of the list, by filters.
pub(super) async fn list(to: &SignedIn<'_>) -> Result<Answer, Error> {
    let filters = Filters::of(to);
    let page = find(to, &filters).await?;
    let objects = Objects::find(to, &page.entries).await?;
    let authors = objects.authors(&page.entries, filters.author.as_deref());
    let content = html! {
        p.hint { (text!("activity-about", days = to.connect.trail_days())) }
        (filters.form(to, &authors))
        @if let Some(object) = only_object(&filters, &objects, &page.entries) {
            p { (text!("activity-only", object = object)) }
        }
        @if page.entries.is_empty() {
            @let text = match page.next {
                // One page searches only a limited number of entries.
                Some(_) => text!("shop-nothing-so-far"),
                None => text!("activity-none"),
            };
            (components::empty(&text, html! {}))
        } @else { (table(to, &filters, &objects, &page.entries)) }
        @if let Some(next) = &page.next {
            p { a href=(filters.next_page(next)) { (text!("activity-older")) } }
        }
    };
    Ok(layout::page(to, PATH, &text!("section-activity"), content))
}

/// Finds the entries of the page.
async fn find(to: &SignedIn<'_>, filters: &Filters) -> Result<TrailPage, Error> {
    let (scope, filter) = (TrailScope::Account(to.account().id), filters.trail());
    let cursor = Some(to.query.get(CURSOR)).filter(|cursor| !cursor.is_empty());
    match to.connect.trail(scope, &filter, cursor, PAGE).await {
        // As with the filters, an unknown value is as if it were not there.
        Err(Error::Invalid(_)) if cursor.is_some() => {
            to.connect.trail(scope, &filter, None, PAGE).await
        }
        found => found,
    }
}

/// The object of a page about one alone.
fn only_object(filters: &Filters, objects: &Objects<'_>, entries: &[TrailEntry]) -> Option<String> {
    let id = filters.object?;
    let mut changes = entries.iter().flat_map(|entry| &entry.changes);
    let change = changes.find(|change| change.id == id)?;
    Some(objects.title(change))
}

fn table(
    to: &SignedIn<'_>,
    filters: &Filters,
    objects: &Objects<'_>,
    entries: &[TrailEntry],
) -> Markup {
    let head = html! {
        th { (text!("word-time")) } th { (text!("activity-who")) } th { (text!("word-what")) }
    };
    let rows = html! {
        @for entry in entries {
            tr {
                td { (components::time(entry.at)) }
                td { (author(objects, entry)) }
                td {
                    @for change in shown(entry) { (what(to, filters, objects, (entry, change))) }
                    @let more = entry.changes.len().saturating_sub(shown(entry).count());
                    @if more > 0 { div { (text!("activity-more", count = more)) } }
                }
            }
        }
    };
    components::table(&text!("section-activity"), head, rows)
}

/// The author, with a link to the other entries of it.
fn author(objects: &Objects<'_>, entry: &TrailEntry) -> Markup {
    let (id, name) = objects.author(&entry.author);
    html! {
        a href={ (PATH) "?" (AUTHOR) "=" (id) } { (name) }
        @if let Some(address) = entry.origin.address { div.hint { (address) } }
    }
}

/// A change in words, with links to its object and to the other changes of it.
fn what(
    to: &SignedIn<'_>,
    filters: &Filters,
    objects: &Objects<'_>,
    (entry, change): (&TrailEntry, &TrailChange),
) -> Markup {
    let locations = &to.account().locations;
    let place = locations.iter().find(|at| at.id.uuid() == entry.chain);
    let currency = place.map_or("EUR", |place| &place.currency);
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
    let value = |field: &str, sent: &Value| words::value(field, sent, currency, &find_name);
    html! {
        div {
            @if let (Some(place), true) = (place, locations.len() > 1) {
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

/// The fields of a change, before and after.
fn fields(change: &TrailChange, value: &dyn Fn(&str, &Value) -> String) -> Markup {
    let (before, after) = (&change.before, &change.after);
    let names: BTreeSet<&String> = before.keys().chain(after.keys()).collect();
    let has_both = !before.is_empty() && !after.is_empty();
    // What is new or deleted has one value of each field.
    let sides = match (has_both, after.is_empty()) {
        (true, _) => vec![before, after],
        (false, true) => vec![before],
        (false, false) => vec![after],
    };
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
