//! The changes of an operation, collected with its writes.

use std::{borrow::Cow, sync::LazyLock};

use memchr::memmem::Finder;
use rustc_hash::FxHashMap;
use serde::{Deserialize as _, Serialize};
use serde_json::{Value as Json, value::RawValue};
use uuid::Uuid;

use super::{
    TrailHash, TrailHead,
    families::{Show, TrailedFamily, TrailedObject, flat_places, trailed},
};
use crate::{
    storage::Value,
    transaction::{Author, Authorship, Origin, keys::PartKind},
    wire::Timestamp,
};

/// The JSON of an absent field.
const NULL: &str = "null";

/// The changes of an operation so far, as JSON behind commas.
#[derive(Default)]
pub(in crate::transaction) struct OperationChanges {
    json: Vec<u8>,
    /// The buffer for an entry: a commit of several operations fills it again.
    row: Vec<u8>,
}

/// A point for a rollback.
pub(in crate::transaction) type ChangesMark = usize;

/// The row before a write.
#[derive(Clone, Copy)]
pub(in crate::transaction) enum RowBefore<'r> {
    /// The row, or its absence.
    Known(Option<&'r [u8]>),
    /// A row overwritten or removed without a read.
    Unread,
}

/// The beginning of an entry, before its changes.
#[derive(Serialize)]
struct Opening<'a> {
    chain: Uuid,
    number: u64,
    previous: TrailHash,
    at: Timestamp,
    author: &'a Author,
    #[serde(skip_serializing_if = "Origin::is_unknown")]
    origin: &'a Origin,
}

/// An entry to be written.
pub(in crate::transaction) struct NewEntry {
    pub(in crate::transaction) row: Value,
    pub(in crate::transaction) head: TrailHead,
}

impl OperationChanges {
    pub(in crate::transaction) fn mark(&self) -> ChangesMark {
        self.json.len()
    }

    pub(in crate::transaction) fn back_to(&mut self, mark: ChangesMark) {
        self.json.truncate(mark);
    }

    /// Returns whether rows with this key are trailed.
    pub(in crate::transaction) fn is_trailed(key: &[u8]) -> bool {
        key.get(16).is_some_and(|family| trailed(*family).is_some())
    }

    /// Adds the change of a row, if it is in the trail for this author.
    pub(in crate::transaction) fn add_row(
        &mut self,
        (partition, author): (Uuid, &Author),
        key: &[u8],
        before: RowBefore<'_>,
        after: Option<&[u8]>,
    ) {
        let Some(family) = key.get(16).and_then(|family| trailed(*family)) else {
            return;
        };
        let id = id_in(key, family).unwrap_or(partition);
        let (before, is_unread) = match before {
            RowBefore::Known(row) => (row, false),
            RowBefore::Unread => (None, true),
        };
        if is_unread && after.is_none() {
            if let Some(object) = &family.row {
                self.add(object.object, id, NULL, "delete", &[]);
            }
        } else if family.is_flat {
            let read = |row| move |at: &str| Cow::Borrowed(flat(row, at).unwrap_or(NULL));
            let (before, after) = (before.map(read), after.map(read));
            if let Some(object) = &family.row {
                self.compare((object, id), author, before, after);
            }
        } else {
            let parse = |row: &[u8]| serde_json::from_slice::<Json>(row).ok();
            let (before, after) = (before.and_then(parse), after.and_then(parse));
            self.add_parsed(family, (id, author), before.as_ref(), after.as_ref());
        }
    }

    /// Adds an action without a change of trailed rows.
    pub(in crate::transaction) fn add_action(&mut self, object: &str, id: Uuid, action: &str) {
        self.add(object, id, NULL, action, &[]);
    }

    /// Adds an action with the number of rows that it concerned.
    pub(in crate::transaction) fn add_count(
        &mut self,
        (object, id): (&str, Uuid),
        action: &str,
        rows: u64,
    ) {
        let rows = ChangedField {
            name: "rows",
            show: Show::Value,
            before: Cow::Borrowed(NULL),
            after: rows.to_string().into(),
        };
        self.add(object, id, NULL, action, &[rows]);
    }

    fn add_parsed(
        &mut self,
        family: &TrailedFamily,
        (id, author): (Uuid, &Author),
        before: Option<&Json>,
        after: Option<&Json>,
    ) {
        let read = |row: &Json| {
            let row = row.clone();
            move |at: &str| {
                let found = row.pointer(at);
                found.map_or(Cow::Borrowed(NULL), |found| found.to_string().into())
            }
        };
        if let Some(object) = &family.row {
            let id_at = |row: &Json| id_at(row, object);
            let id = before.or(after).and_then(id_at).unwrap_or(id);
            self.compare((object, id), author, before.map(read), after.map(read));
        }
        for (list, object) in family.lists {
            let list = |row: Option<&Json>| {
                let list = row.and_then(|row| row.pointer(list)?.as_array().cloned());
                let list = list.unwrap_or_default().into_iter();
                let with_id = list.filter_map(|each| Some((id_at(&each, object)?, each)));
                with_id.collect::<Vec<(Uuid, Json)>>()
            };
            let (before, after) = (list(before), list(after));
            let find = |list: &[(Uuid, Json)], id: Uuid| {
                list.iter()
                    .find(|(other, _)| *other == id)
                    .map(|(_, each)| read(each))
            };
            let gone = before.iter().filter(|(id, _)| find(&after, *id).is_none());
            for (id, each) in gone {
                self.compare((object, *id), author, Some(read(each)), None);
            }
            for (id, each) in &after {
                self.compare((object, *id), author, find(&before, *id), Some(read(each)));
            }
        }
    }

    /// Adds the difference of an object before and after.
    fn compare<'r, F: Fn(&str) -> Cow<'r, str>>(
        &mut self,
        (object, id): (&TrailedObject, Uuid),
        author: &Author,
        before: Option<F>,
        after: Option<F>,
    ) {
        let action = match (&before, &after) {
            (None, None) => return,
            (None, Some(_)) => "create",
            (Some(_), None) => "delete",
            (Some(_), Some(_)) => "change",
        };
        let value = |row: &Option<F>, at| row.as_ref().map_or(Cow::Borrowed(NULL), |row| row(at));
        let mut fields = Vec::with_capacity(4);
        for field in object.fields.iter().filter(|field| field.is_of(author)) {
            let (before, after) = (value(&before, field.at), value(&after, field.at));
            if before != after {
                fields.push(ChangedField {
                    name: field.name,
                    show: field.show,
                    before,
                    after,
                });
            }
        }
        if action == "change" && fields.is_empty() {
            return;
        }
        let row = after.as_ref().or(before.as_ref());
        let name = object.name.zip(row).map(|(at, row)| row(at));
        let name = name.as_deref().unwrap_or(NULL);
        self.add(object.object, id, name, action, &fields);
    }

    /// Adds a change. `name` is JSON.
    fn add(
        &mut self,
        object: &str,
        id: Uuid,
        name: &str,
        action: &str,
        fields: &[ChangedField<'_>],
    ) {
        // Room for a change of a price, so that it grows once.
        self.json.reserve(256);
        let mut out = JsonText(&mut self.json);
        out.push(r#",{"object":""#).push(object);
        out.push(r#"","id":""#);
        out.push(id.hyphenated().encode_lower(&mut Uuid::encode_buffer()));
        if name != NULL {
            out.push(r#"","name":"#).push(name).push(r#","action":""#);
        } else {
            out.push(r#"","action":""#);
        }
        out.push(action).push("\"");
        let shown = || fields.iter().filter_map(ChangedField::shown);
        if shown().next().is_some() {
            if action != "create" {
                out.fields("before", shown().map(|(name, before, _)| (name, before)));
            }
            if action != "delete" {
                out.fields("after", shown().map(|(name, _, after)| (name, after)));
            }
        }
        let mut opening = r#","hidden":[""#;
        for field in fields.iter().filter(|field| field.shown().is_none()) {
            out.push(opening).push(field.name);
            opening = r#"",""#;
        }
        out.push(if opening == r#"",""# { r#""]}"# } else { "}" });
    }

    /// Makes the entry of the operation, behind `head`. `None` without changes.
    pub(in crate::transaction) fn take_entry(
        &mut self,
        (chain, head): (Uuid, Option<TrailHead>),
        at: Timestamp,
        authorship: &Authorship,
    ) -> Option<NewEntry> {
        let (_, changes) = self.json.split_first()?;
        let head = head.unwrap_or_default();
        let opening = Opening {
            chain,
            number: head.number + 1,
            previous: head.hash,
            at,
            author: &authorship.author,
            origin: &authorship.origin,
        };
        let row = &mut self.row;
        row.clear();
        row.reserve(changes.len() + 512);
        // Our own shapes have string keys only and write to memory: this cannot fail.
        let written = serde_json::to_writer(&mut *row, &opening);
        debug_assert!(written.is_ok(), "an entry has no JSON form");
        row.pop();
        row.extend_from_slice(br#","changes":["#);
        row.extend_from_slice(changes);
        row.extend_from_slice(b"]}");
        self.json.clear();
        Some(NewEntry {
            head: TrailHead {
                number: head.number + 1,
                hash: TrailHash::of(row),
            },
            row: Value::from(&**row),
        })
    }
}

/// A changed field, with its values as JSON.
struct ChangedField<'r> {
    name: &'static str,
    show: Show,
    before: Cow<'r, str>,
    after: Cow<'r, str>,
}

impl ChangedField<'_> {
    /// The name and the values in the entry; `None` for a hidden one.
    fn shown(&self) -> Option<(&'static str, Cow<'_, str>, Cow<'_, str>)> {
        let (before, after) = match self.show {
            Show::Nothing => return None,
            Show::Value => (Cow::Borrowed(&*self.before), Cow::Borrowed(&*self.after)),
            Show::Link => (without_query(&self.before), without_query(&self.after)),
        };
        // Two links may differ in their queries alone.
        (before != after).then_some((self.name, before, after))
    }
}

/// A link as JSON, up to its query.
fn without_query(link: &str) -> Cow<'_, str> {
    match link.find(['?', '#']) {
        Some(end) => format!("{}\"", &link[..end]).into(),
        None => link.into(),
    }
}

/// JSON in the making.
struct JsonText<'b>(&'b mut Vec<u8>);

impl JsonText<'_> {
    fn push(&mut self, text: &str) -> &mut Self {
        self.0.extend_from_slice(text.as_bytes());
        self
    }

    /// Adds an object of fields with their values as JSON.
    fn fields<'f>(&mut self, name: &str, fields: impl Iterator<Item = (&'f str, Cow<'f, str>)>) {
        self.push(",\"").push(name).push("\":");
        let mut before = "{\"";
        for (name, value) in fields {
            self.push(before).push(name).push("\":").push(&value);
            before = ",\"";
        }
        self.push("}");
    }
}

/// The id at the end of a row's key.
fn id_in(key: &[u8], family: &TrailedFamily) -> Option<Uuid> {
    let has_id = family.family.parts() == [PartKind::Id];
    let (_, id) = key.split_last_chunk::<16>().filter(|_| has_id)?;
    Some(Uuid::from_bytes(*id))
}

/// The id of an object in a row.
fn id_at(row: &Json, object: &TrailedObject) -> Option<Uuid> {
    Uuid::try_parse(row.pointer(object.id?)?.as_str()?).ok()
}

/// The names of fields in [flat](TrailedFamily::is_flat) rows, as they are searched, by their place.
static FLAT_NAMES: LazyLock<FxHashMap<&str, Finder<'_>>> = LazyLock::new(|| {
    let name = |at: &'static str| (at, Finder::new(&format!("\"{}\":", &at[1..])).into_owned());
    flat_places().map(name).collect()
});

/// The JSON of a field in a row without nested objects.
///
/// Only a name has a quote in front and `":` behind it: within a text, quotes have a backslash. So the row
/// need not be parsed up to the field.
fn flat<'r>(row: &'r [u8], at: &str) -> Option<&'r str> {
    let name = FLAT_NAMES.get(at)?;
    let value = &row[name.find(row)? + name.needle().len()..];
    let value = <&RawValue>::deserialize(&mut serde_json::Deserializer::from_slice(value));
    Some(value.ok()?.get())
}
