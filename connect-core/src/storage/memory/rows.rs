//! The rows, in groups of keys with a common start.

use std::{
    collections::{BTreeMap, BTreeSet},
    ops::Bound,
};

use super::{
    key_suffix::{InlineBytes, KeySuffix},
    tree::{Bounds, Tree},
};
use crate::storage::{Commit, Entry, Found, Key, Range, Read, State, Value, Write};

/// The length in bytes of a key's start, its group's name.
/// Keys used together start with the same bytes. Stored once per group, these bytes cost neither
/// memory nor comparisons. Any length is correct for any keys: the groups in order of their starts,
/// with their rests in order, are all keys in order. With this length the start covers partition,
/// family and the common bytes of some years' times, and the rest of a change key is short.
const START: usize = 19;

/// The capacity for a usual scan: a page and one more entry.
const USUAL_SCAN: usize = 256;

/// The common start of the keys of a group.
pub(super) type Start = InlineBytes<START>;

/// Returns the starts of the keys of these writes.
pub(super) fn starts(writes: &[(Key, Write)]) -> BTreeSet<Start> {
    writes.iter().map(|(key, _)| Start::split(key).0).collect()
}

/// A group.
/// Copies of the rows share it until one of them is written.
type Group = Tree<StoredValue>;

/// The value of a key.
#[derive(Clone)]
struct StoredValue {
    value: Value,
    /// Set for an index entry.
    /// Its value is empty; `value` holds its row.
    is_index: bool,
}

/// All rows, in groups.
/// A copy shares its groups until one of the two is written.
#[derive(Clone, Default)]
pub(super) struct RowGroups {
    groups: BTreeMap<Start, Group>,
}

/// The start and the rest of a key.
fn split(key: &[u8]) -> (Start, KeySuffix) {
    let (start, rest) = Start::split(key);
    (start, KeySuffix::of(rest))
}

impl RowGroups {
    pub(super) fn answer(&self, reads: &[Read<'_>]) -> State {
        State::new(reads.iter().map(|read| self.answer_one(read)).collect())
    }

    fn answer_one(&self, read: &Read<'_>) -> Found {
        match *read {
            Read::Get(key) => Found::Value(self.get(key).cloned()),
            Read::Follow { key, rows } => Found::Followed(self.get(key).map(|value| {
                let row = self.get(&row_key(rows, value));
                (value.clone(), row.cloned())
            })),
            Read::Scan {
                range,
                limit,
                newest_first,
            } => {
                let nothing = empty_value();
                let mut entries: Vec<Entry> = Vec::with_capacity(limit.min(USUAL_SCAN));
                self.scan(range, limit, newest_first, |start, rest, stored| {
                    entries.push(([start, rest].concat().into(), stored.value(&nothing)));
                });
                Found::Entries(entries)
            }
            Read::ScanFollow {
                range,
                limit,
                newest_first,
                rows,
                tail,
            } => {
                let nothing = empty_value();
                let mut entries = Vec::with_capacity(limit.min(USUAL_SCAN));
                self.scan(range, limit, newest_first, |start, rest, stored| {
                    let key = [start, rest].concat();
                    let row = if stored.is_index {
                        Some(stored.value.clone())
                    } else {
                        let tail = key.len().checked_sub(tail).map(|at| &key[at..]);
                        tail.and_then(|tail| self.get(&row_key(rows, tail)).cloned())
                    };
                    entries.push(((key.into(), stored.value(&nothing)), row));
                });
                Found::Joined(entries)
            }
        }
    }

    /// Returns whether every expectation of a commit holds.
    pub(super) fn hold(&self, commit: &Commit) -> bool {
        let mut expects = commit.expects.iter();
        expects.all(|(key, expected)| expected.holds(self.get(key).map(|value| &**value)))
    }

    pub(super) fn write_all(&mut self, writes: impl IntoIterator<Item = (Key, Write)>) {
        for (key, write) in writes {
            self.write(&key, write);
        }
    }

    /// A copy with only these groups.
    pub(super) fn only(&self, starts: &BTreeSet<Start>) -> Self {
        let group = |start: &Start| Some((*start, self.groups.get(start)?.clone()));
        Self {
            groups: starts.iter().filter_map(group).collect(),
        }
    }

    /// Replaces the groups of `before` with the groups of `after`.
    /// Returns the old groups, or `None` if one of them has changed since `before`.
    pub(super) fn replace(&mut self, before: &Self, after: Self) -> Option<Self> {
        let is_as_before = |start: &Start| {
            let (now, then) = (self.groups.get(start), before.groups.get(start));
            match (now, then) {
                (Some(now), Some(then)) => now.is(then),
                (None, None) => true,
                _ => false,
            }
        };
        if !before
            .groups
            .keys()
            .chain(after.groups.keys())
            .all(is_as_before)
        {
            return None;
        }
        let mut replaced = Self::default();
        for start in before.groups.keys() {
            if let Some(group) = self.groups.remove(start) {
                replaced.groups.insert(*start, group);
            }
        }
        self.groups.extend(after.groups);
        Some(replaced)
    }

    fn stored(&self, key: &[u8]) -> Option<&StoredValue> {
        let (start, rest) = split(key);
        self.groups.get(&start)?.get(&rest)
    }

    fn get(&self, key: &[u8]) -> Option<&Value> {
        self.stored(key).map(|stored| {
            if stored.is_index {
                nothing()
            } else {
                &stored.value
            }
        })
    }

    fn write(&mut self, key: &[u8], write: Write) {
        let (start, rest) = split(key);
        let stored = match write {
            Write::Put(value) | Write::New(value) => StoredValue {
                value,
                is_index: false,
            },
            Write::Index(value) | Write::NewIndex(value) => StoredValue {
                value,
                is_index: true,
            },
            Write::Remove => return self.remove(&start, &rest),
        };
        self.groups.entry(start).or_default().insert(rest, stored);
    }

    fn remove(&mut self, start: &Start, rest: &KeySuffix) {
        if let Some(group) = self.groups.get_mut(start) {
            group.remove(rest);
            if group.is_empty() {
                self.groups.remove(start);
            }
        }
    }

    /// Calls `each` with the two key parts and value of `limit` entries at most.
    fn scan(
        &self,
        range: Range<'_>,
        limit: usize,
        newest_first: bool,
        mut each: impl FnMut(&[u8], &[u8], &StoredValue),
    ) {
        if range.is_empty() {
            return;
        }
        let (first, first_rest) = split(range.from);
        let last = range.to.map(split);
        let end = match &last {
            Some((last, _)) => Bound::Included(last),
            None => Bound::Unbounded,
        };
        let groups = self.groups.range((Bound::Included(&first), end));
        // Only the first and the last group are read in part.
        let within = |start: &Start| Bounds {
            from: (*start == first).then_some(&first_rest),
            to: last
                .as_ref()
                .filter(|(last, _)| start == last)
                .map(|(_, rest)| rest),
        };
        let mut left = limit;
        // Returns whether the scan goes on after this group.
        let mut visit = |(start, group): (&Start, &Group)| {
            group.scan(within(start), newest_first, &mut |rest, stored| {
                let is_wanted = left > 0;
                if is_wanted {
                    left -= 1;
                    each(start, rest, stored);
                }
                is_wanted
            })
        };
        if newest_first {
            groups.rev().all(&mut visit);
        } else {
            groups.into_iter().all(&mut visit);
        }
    }
}

impl StoredValue {
    /// The value, or `nothing` for an index entry.
    fn value(&self, nothing: &Value) -> Value {
        if self.is_index {
            nothing.clone()
        } else {
            self.value.clone()
        }
    }
}

/// A new empty value, with its own reference count.
/// With a shared one, processor cores wait for each other on the count, two hundred times a page.
fn empty_value() -> Value {
    Value::from([].as_slice())
}

/// The value of an index entry.
fn nothing() -> &'static Value {
    static NOTHING: std::sync::LazyLock<Value> = std::sync::LazyLock::new(Value::default);
    &NOTHING
}

fn row_key(rows: &[u8], tail: &[u8]) -> Vec<u8> {
    [rows, tail].concat()
}
