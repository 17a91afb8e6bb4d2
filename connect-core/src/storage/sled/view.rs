//! What readers see: the last durable state, while a newer one is on its way to the disk.
//!
//! sled shows a batch to readers while it applies it, entry by entry and long before it is on the
//! disk. So, before a group is applied, what its keys hold until then is laid over the tree, and
//! taken away again when the group is durable; both under the write lock, and both only move a
//! pointer. A read holds the read lock from beginning to end. One that began before the overlay
//! was there is waited for, so it sees nothing of the group; one that begins later sees the
//! overlay for every key of the group; one that begins after it was taken away sees all of it.

use std::{
    collections::{BTreeMap, btree_map},
    iter::Peekable,
    ops::Bound,
};

use parking_lot::RwLock;

use super::{group::Slot, rows::Rows};
use crate::storage::{Entry, Key, Range, StorageError, Value};

/// What the keys of the group under way held before.
pub(super) type InFlight = BTreeMap<Key, Slot>;

/// The rows, with what is not durable yet hidden.
pub(super) struct View {
    rows: Rows,
    in_flight: RwLock<InFlight>,
}

impl View {
    pub(super) fn new(rows: Rows) -> Self {
        Self {
            rows,
            in_flight: RwLock::default(),
        }
    }

    /// The rows as they are in the tree. Only for the writer, which knows what is durable.
    pub(super) fn rows(&self) -> &Rows {
        &self.rows
    }

    /// From here on readers see what the keys of the group held before.
    pub(super) fn hide(&self, group: InFlight) {
        *self.in_flight.write() = group;
    }

    /// From here on readers see the group. Until then, and for ever if the group failed, not.
    pub(super) fn show(&self) {
        // Taken out under the lock, freed after it.
        let _shown = std::mem::take(&mut *self.in_flight.write());
    }

    pub(super) fn get(&self, keys: &[&[u8]]) -> Result<Vec<Option<Value>>, StorageError> {
        let mut buffer = Vec::new();
        let in_flight = self.in_flight.read();
        let one = |key: &&[u8]| match in_flight.get(*key) {
            Some(slot) => Ok(slot.before.clone()),
            None => self.rows.get(key, &mut buffer),
        };
        keys.iter().map(one).collect()
    }

    pub(super) fn scan(&self, range: Range<'_>, limit: usize) -> Result<Vec<Entry>, StorageError> {
        // BTreeMap::range panics on a range that ends before it starts.
        if limit == 0 || range.to.is_some_and(|to| to <= range.from) {
            return Ok(Vec::new());
        }
        let to = range.to.map_or(Bound::Unbounded, Bound::Excluded);
        let in_flight = self.in_flight.read();
        let mut hidden = in_flight
            .range::<[u8], _>((Bound::Included(range.from), to))
            .peekable();
        if hidden.peek().is_none() {
            return self.rows.scan(range).take(limit).collect();
        }
        Overlaid {
            tree: self.rows.scan(range).peekable(),
            hidden,
        }
        .take(limit)
        .collect()
    }
}

/// Two ordered sequences merged; where both have a key, the hidden value counts.
struct Overlaid<'a, T: Iterator> {
    tree: Peekable<T>,
    hidden: Peekable<btree_map::Range<'a, Key, Slot>>,
}

impl<T> Iterator for Overlaid<'_, T>
where
    T: Iterator<Item = Result<Entry, StorageError>>,
{
    type Item = Result<Entry, StorageError>;

    fn next(&mut self) -> Option<Self::Item> {
        loop {
            let Some((key, slot)) = self.hidden.peek() else {
                return self.tree.next();
            };
            match self.tree.peek() {
                Some(Err(_)) => return self.tree.next(),
                Some(Ok((in_tree, _))) if in_tree < *key => return self.tree.next(),
                Some(Ok((in_tree, _))) if in_tree == *key => drop(self.tree.next()),
                _ => {}
            }
            let entry = slot.before.clone().map(|value| Ok(((*key).clone(), value)));
            self.hidden.next();
            if entry.is_some() {
                return entry;
            }
        }
    }
}
