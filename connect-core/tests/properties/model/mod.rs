//! A naive model of a shop: a list of rows per kind, as they are shown, searched from the front and
//! copied for a dry run. It shares nothing with the core.

mod catalog;
mod fields;
mod groups;
mod journal;
mod names;
mod stock;

use std::collections::BTreeMap;

use connect_core::wire::Timestamp;
use serde_json::{Value, json};

pub(crate) use journal::vat_of;
pub(crate) use names::Names;

use super::{input::Deed, session::Call};

/// A kind of row.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Kind {
    Category,
    Product,
    Group,
    Level,
    Movement,
    Receipt,
    Report,
    Event,
}

impl Kind {
    /// The kinds listed in the order of their changes, with deletions.
    pub(crate) const SYNCED: [Self; 4] = [Self::Category, Self::Product, Self::Group, Self::Level];
    /// The kinds with rows only added.
    pub(crate) const APPENDED: [Self; 4] =
        [Self::Movement, Self::Receipt, Self::Report, Self::Event];
}

/// Why a write is refused: a code, and the field at fault; an empty one stands for any. Where a
/// request is wrong in several ways, the order of looks is nobody's business.
#[derive(Clone, Debug)]
pub(crate) struct No(Vec<(&'static str, String)>);

impl No {
    fn of(code: &'static str, field: &str) -> Self {
        Self(vec![(code, field.to_owned())])
    }

    fn or(mut self, other: Option<Self>) -> Self {
        self.0.extend(other.into_iter().flat_map(|other| other.0));
        self
    }

    /// The possible errors, as [`Names::learn`] reads them.
    pub(crate) fn show(&self) -> Value {
        json!({ "?": self.0 })
    }
}

/// The shop. A new record is known by `#` and a number until the service has shown its id: it was
/// the so-manieth to be made.
#[derive(Clone, Debug, Default)]
pub(crate) struct Model {
    rows: BTreeMap<Kind, Vec<Value>>,
    gone: BTreeMap<Kind, Vec<Value>>,
    made: usize,
    told: usize,
    /// The records of another location, by their kind.
    pub(crate) foreign: BTreeMap<Kind, String>,
    pub(crate) registers: Vec<Value>,
    /// The time of the last change, and of the change under way.
    last: i64,
    time: i64,
    now: i64,
}

impl Model {
    /// The rows of a kind.
    pub(crate) fn rows(&self, kind: Kind) -> &[Value] {
        self.rows.get(&kind).map_or(&[], |rows| rows)
    }

    /// The remains of deleted rows of a kind.
    pub(crate) fn gone(&self, kind: Kind) -> &[Value] {
        self.gone.get(&kind).map_or(&[], |rows| rows)
    }

    fn rows_mut(&mut self, kind: Kind) -> &mut Vec<Value> {
        self.rows.entry(kind).or_default()
    }

    /// The time of the last change, in microseconds.
    pub(crate) fn last(&self) -> i64 {
        self.last
    }

    /// The list of a kind as it is shown.
    pub(crate) fn list(&self, kind: Kind, with_deleted: bool) -> Vec<Value> {
        let gone = if with_deleted { self.gone(kind) } else { &[] };
        let mut all: Vec<Value> = self.rows(kind).iter().chain(gone).cloned().collect();
        if Kind::SYNCED.contains(&kind) {
            all.sort_by_key(place_in_list);
        }
        all
    }

    /// Does a write arriving at `now`. Returns the expected answer.
    pub(crate) fn apply(&mut self, call: &Call, now: Timestamp) -> Result<Value, No> {
        self.now = now.micros();
        self.time = self.now.max(self.last + 1);
        let before = self.clone();
        let id = call.of.first().map_or("", String::as_str);
        let body = &call.body;
        let done = match call.deed {
            Deed::Create(kind) => self.create(kind, body),
            Deed::Update(kind) => self.update(kind, id, body),
            Deed::Delete(kind) => self.delete(kind, id),
            Deed::Batch(kind) => self.batch(kind, body),
            Deed::UpdateOption => self.update_option(id, &call.of[1], body),
            Deed::Link => self.link(body),
            Deed::Count => self.count_one(id, body),
            Deed::CountMany => self.count_many(body),
            Deed::Adjust => self.adjust(body),
            Deed::Row => self.write_row(call.by, body),
            Deed::Close => self.close(call.by, body),
            Deed::Again(_) => unreachable!("the call is known"),
        };
        if done.is_err() || body["dryRun"] == true {
            *self = before;
        } else if self.rows != before.rows || self.gone != before.gone {
            self.last = self.time;
        }
        done
    }

    /// A name for a new record.
    fn next_id(&mut self) -> Value {
        self.made += 1;
        json!(format!("#{}", self.made))
    }

    fn time(&self) -> Value {
        json!(time_text(self.time))
    }

    fn tell(&mut self, kind: &str, data: Value) {
        self.told += 1;
        let event = json!({
            "type": kind, "createdAt": self.time(), "data": data, "sequence": self.told,
        });
        self.rows_mut(Kind::Event).push(event);
    }

    fn tell_record(&mut self, kind: &str, record: &Value) {
        let mut data = record.clone();
        data["deleted"] = json!(false);
        self.tell(kind, data);
    }

    /// The place of the row with `value` in its field.
    fn place(&self, kind: Kind, field: &str, value: &Value) -> Option<usize> {
        place(self.rows(kind), field, value)
    }

    /// Removes a row and leaves a tombstone.
    fn bury(&mut self, kind: Kind, at: usize, id: &Value) {
        self.rows_mut(kind).remove(at);
        let stone = json!({ "id": id, "deleted": true, "updatedAt": self.time() });
        self.gone.entry(kind).or_default().push(stone);
    }

    /// Forgets the same as maintenance: tombstones after 90 days, events after 30.
    pub(crate) fn maintain(&mut self, now: Timestamp) {
        let day = |days: i64| time_text(now.plus_seconds(-days * 86_400).micros());
        let (events_from, stones_from) = (day(30), day(90));
        let events = self.rows_mut(Kind::Event);
        events.retain(|event| event["createdAt"].as_str() >= Some(&events_from));
        for stones in self.gone.values_mut() {
            stones.retain(|stone| stone["updatedAt"].as_str() >= Some(&stones_from));
        }
    }
}

/// The place of the record with `value` in its field.
fn place(records: &[Value], field: &str, value: &Value) -> Option<usize> {
    let is_it = |record: &Value| record[field] == *value;
    records.iter().position(is_it).filter(|_| !value.is_null())
}

/// Ids follow the order of the records.
fn place_in_list(record: &Value) -> (String, usize) {
    let id = record.get("productId").unwrap_or(&record["id"]);
    (record["updatedAt"].to_string(), number_of(id))
}

fn number_of(id: &Value) -> usize {
    id.as_str().unwrap()[1..].parse().unwrap()
}

/// A time in microseconds as it is shown.
pub(crate) fn time_text(micros: i64) -> String {
    Timestamp::from_micros(micros).to_string()
}

/// A decimal as JSON has it.
pub(crate) fn decimal(count: i64, unit: i64) -> Value {
    match count % unit {
        0 => json!(count / unit),
        _ => json!(count as f64 / unit as f64),
    }
}
