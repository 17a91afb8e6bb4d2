//! Everything in memory: for tests, for trying things out, and as the plainest implementation.

mod rest;

use std::{collections::BTreeMap, ops::Bound};

use async_trait::async_trait;
use parking_lot::RwLock;
use smallvec::SmallVec;

use self::rest::Rest;
use super::{Commit, CommitError, Entry, Key, Range, Storage, StorageError, Value};

/// A [`Storage`] in memory. Nothing survives the process.
#[derive(Default)]
pub struct MemoryStorage {
    rows: RwLock<Rows>,
}

impl MemoryStorage {
    /// An empty store.
    pub fn new() -> Self {
        Self::default()
    }
}

#[async_trait]
impl Storage for MemoryStorage {
    async fn get(&self, keys: &[&[u8]]) -> Result<Vec<Option<Value>>, StorageError> {
        let rows = self.rows.read();
        Ok(keys.iter().map(|key| rows.get(key).cloned()).collect())
    }

    async fn scan(&self, range: Range<'_>, limit: usize) -> Result<Vec<Entry>, StorageError> {
        Ok(self.rows.read().scan(range, limit))
    }

    async fn commit(&self, commit: Commit) -> Result<(), CommitError> {
        let mut rows = self.rows.write();
        let mut expects = commit.expects.iter();
        if !expects.all(|(key, expected)| expected.holds(rows.get(key).map(|value| &**value))) {
            return Err(CommitError::Conflict);
        }
        for (key, value) in commit.writes {
            rows.write(&key, value);
        }
        Ok(())
    }
}

/// How many bytes of a key tell its group. Keys that are used together start with the same bytes;
/// stored once per group, they cost neither memory nor comparisons. Any number is right, for any
/// keys: groups in the order of their starts, and within each the rests in order, are all keys in
/// order. With this one, partition and family and what the times of some years have in common are
/// of the start, and the rest of a change key is short.
const START: usize = 19;

/// As many entries as most scans find at most: a page and one more.
const USUAL_SCAN: usize = 256;

/// All rows, in groups.
#[derive(Default)]
struct Rows {
    groups: BTreeMap<SmallVec<[u8; START]>, BTreeMap<Rest, Value>>,
}

/// The start and the rest of a key.
fn split(key: &[u8]) -> (&[u8], &[u8]) {
    key.split_at(key.len().min(START))
}

impl Rows {
    fn get(&self, key: &[u8]) -> Option<&Value> {
        let (start, rest) = split(key);
        self.groups.get(start)?.get(rest)
    }

    fn write(&mut self, key: &[u8], value: Option<Value>) {
        let (start, rest) = split(key);
        match (self.groups.get_mut(start), value) {
            (Some(group), Some(value)) => {
                group.insert(Rest::of(rest), value);
            }
            (None, Some(value)) => {
                let group = BTreeMap::from([(Rest::of(rest), value)]);
                self.groups.insert(start.into(), group);
            }
            (Some(group), None) => {
                group.remove(rest);
                if group.is_empty() {
                    self.groups.remove(start);
                }
            }
            (None, None) => {}
        }
    }

    fn scan(&self, range: Range<'_>, limit: usize) -> Vec<Entry> {
        let (first, rest) = split(range.from);
        let mut entries = Vec::with_capacity(limit.min(USUAL_SCAN));
        let groups = self
            .groups
            .range::<[u8], _>((Bound::Included(first), Bound::Unbounded));
        for (start, group) in groups {
            // Only the first group is entered in its middle.
            let from = if **start == *first { rest } else { &[] };
            for (rest, value) in group.range::<[u8], _>((Bound::Included(from), Bound::Unbounded)) {
                if entries.len() == limit || !is_before(start, rest, range.to) {
                    return entries;
                }
                entries.push((Key::from([start, &rest[..]].concat()), value.clone()));
            }
        }
        entries
    }
}

/// Whether the key of these two parts lies before the end of a range.
fn is_before(start: &[u8], rest: &[u8], end: Option<&[u8]>) -> bool {
    end.is_none_or(|end| start.iter().chain(rest).lt(end))
}
