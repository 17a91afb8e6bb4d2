//! Activity: the audit trail of the account, newest first.

mod change;
mod filters;
mod link;
mod objects;
mod words;

use connect_core::{Error, TrailEntry, TrailScope, wire::Page};
use maud::{Markup, html};

use self::{
    filters::{AUTHOR, Filters},
    link::PATH,
    objects::{Objects, shown},
};
use crate::dashboard::{
    Answer, components, layout,
    page_request::SignedIn,
    table::{self, Cell, Column, Table, Value},
};

pub(super) use link::{changes_line, changes_link};

/// The entries of a page.
const PAGE: usize = 50;

/// Shows a page of the list, by filters.
pub(super) async fn list(to: &SignedIn<'_>) -> Result<Answer, Error> {
    let filters = &Filters::of(to);
    let found = table::rows(to, |cursor| find(to, filters, cursor)).await?;
    let objects = Objects::find(to, &found.data).await?;
    let table = table(to, filters, &objects, &found.data);
    if table::is_file(to) {
        return Ok(table.file(to, "activity").await);
    }
    let table = table.part(table::is_part(to, found.next_cursor.as_deref()));
    let authors = objects.authors(&found.data, filters.author.as_deref());
    let content = html! {
        p.hint { (text!("activity-about", days = to.connect.trail_days())) }
        (filters.form(to, &authors))
        @if let Some(object) = only_object(filters, &objects, &found.data) {
            p { (text!("activity-only", object = object)) }
        }
        @if found.data.is_empty() {
            @let text = match found.next_cursor {
                // One page searches only a limited number of entries.
                Some(_) => text!("shop-nothing-so-far"),
                None => text!("activity-none"),
            };
            (components::empty(&text, html! {}))
        } @else { (table.render(to)) }
        @if let Some(next) = &found.next_cursor {
            p { a href=(filters.next_page(next)) { (text!("activity-older")) } }
        }
    };
    Ok(layout::page(to, PATH, &text!("section-activity"), content))
}

/// Finds the entries of a page.
async fn find(
    to: &SignedIn<'_>,
    filters: &Filters,
    cursor: Option<String>,
) -> Result<Page<TrailEntry>, Error> {
    let (scope, filter) = (TrailScope::Account(to.account().id), filters.trail());
    let limit = table::limit(to).unwrap_or(PAGE);
    let cursor = cursor.as_deref();
    let found = match to.connect.trail(scope, &filter, cursor, limit).await {
        // As with the filters, an unknown value is as if it were not there.
        Err(Error::Invalid(_)) if cursor.is_some() => {
            to.connect.trail(scope, &filter, None, limit).await
        }
        found => found,
    };
    Ok(found?.into())
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
) -> Table {
    let columns = [
        Column::text("time", text!("word-time")),
        Column::text("who", text!("activity-who")),
        Column::file(text!("word-address")),
        Column::file(text!("word-location")),
        Column::text("what", text!("word-what")),
    ];
    let mut table =
        Table::new(PATH, text!("section-activity"), columns).for_file(table::is_file(to));
    for entry in entries {
        let (_, name) = objects.author(&entry.author);
        let address = entry.origin.address.map(|address| address.to_string());
        let place = change::place(to, entry).map_or("", |place| &place.name);
        table.add([
            Cell::time(entry.at),
            Cell::of(author(objects, entry), Value::Text(name.into_owned())),
            Cell::text(address.unwrap_or_default()),
            Cell::text(place),
            Cell::of(
                what(to, filters, objects, entry),
                Value::Text(told(to, objects, entry)),
            ),
        ]);
    }
    table
}

/// The changes of an entry. A file has them as text alone.
fn what(to: &SignedIn<'_>, filters: &Filters, objects: &Objects<'_>, entry: &TrailEntry) -> Markup {
    html! {
        @if !table::is_file(to) {
            @for change in shown(entry) {
                (change::what(to, filters, objects, (entry, change)))
            }
            @if let Some(more) = more(entry) { div { (more) } }
        }
    }
}

/// The changes of an entry as text, one a line.
fn told(to: &SignedIn<'_>, objects: &Objects<'_>, entry: &TrailEntry) -> String {
    let changes = shown(entry).map(|change| change::told(to, objects, (entry, change)));
    let lines: Vec<_> = changes.chain(more(entry)).collect();
    lines.join("\n")
}

/// The sentence about changes beyond the shown ones, if any.
fn more(entry: &TrailEntry) -> Option<String> {
    let more = entry.changes.len().saturating_sub(shown(entry).count());
    (more > 0).then(|| text!("activity-more", count = more).into_owned())
}

/// The author, with a link to the other entries of it.
fn author(objects: &Objects<'_>, entry: &TrailEntry) -> Markup {
    let (id, name) = objects.author(&entry.author);
    html! {
        a href={ (PATH) "?" (AUTHOR) "=" (id) } { (name) }
        @if let Some(address) = entry.origin.address { div.hint { (address) } }
    }
}
