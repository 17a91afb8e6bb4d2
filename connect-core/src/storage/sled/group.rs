//! Commits that go to the disk together.

use std::collections::btree_map::Entry as Place;

use sled::Batch;

use super::{layout, rows::Rows, view::InFlight};
use crate::storage::{Commit, Key, StorageError, Value};

/// A group takes no further commit once it holds this many bytes. It bounds the memory of a group
/// and how long sled's lock is held, and lies above what a batch of 500 products needs.
const FULL_BYTES: usize = 4 * 1024 * 1024;

/// The same in entries, for many small ones.
const FULL_ENTRIES: usize = 8192;

/// A key that commits of the group expect something of or write.
pub(super) struct Slot {
    /// What the key holds in the tree before the group.
    pub(super) before: Option<Value>,
    /// What the key holds after the commits so far, if one of them writes it.
    after: Option<Option<Value>>,
}

impl Slot {
    fn now(&self) -> Option<&[u8]> {
        self.after.as_ref().unwrap_or(&self.before).as_deref()
    }
}

/// Whether a commit became part of its group.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Joined {
    /// It shares the group's fate.
    Yes,
    /// One of its expectations does not hold; the group has nothing of it.
    Conflict,
}

/// Commits whose expectations hold, one after another, on top of the tree.
pub(super) struct Group<'a> {
    rows: &'a Rows,
    slots: InFlight,
    bytes: usize,
    written: bool,
    buffer: Vec<u8>,
}

impl<'a> Group<'a> {
    pub(super) fn new(rows: &'a Rows) -> Self {
        Self {
            rows,
            slots: InFlight::new(),
            bytes: 0,
            written: false,
            buffer: Vec::new(),
        }
    }

    /// Adds a commit if every expectation holds after the commits before it.
    pub(super) fn join(&mut self, commit: Commit) -> Result<Joined, StorageError> {
        for (key, expected) in commit.expects {
            let holds = expected.holds(self.slot(key)?.now());
            if !holds {
                return Ok(Joined::Conflict);
            }
        }
        for (key, value) in commit.writes {
            self.bytes += key.len() + value.as_ref().map_or(0, |value| value.len());
            self.slot(key)?.after = Some(value);
            self.written = true;
        }
        Ok(Joined::Yes)
    }

    pub(super) fn is_full(&self) -> bool {
        self.bytes >= FULL_BYTES || self.slots.len() >= FULL_ENTRIES
    }

    /// What to apply and what to hide meanwhile; `None` when nothing is written.
    pub(super) fn finish(mut self) -> Option<(Batch, InFlight)> {
        if !self.written {
            return None;
        }
        let mut batch = Batch::default();
        for (key, slot) in &mut self.slots {
            // Keys that were only expected stay in the overlay: it says of them what the tree says.
            if let Some(after) = slot.after.take() {
                let before = slot.before.as_ref();
                layout::write(&mut batch, key, before, after.as_ref(), &mut self.buffer);
            }
        }
        Some((batch, self.slots))
    }

    /// The key's slot; the tree is read once per key and group.
    fn slot(&mut self, key: Key) -> Result<&mut Slot, StorageError> {
        match self.slots.entry(key) {
            Place::Occupied(slot) => Ok(slot.into_mut()),
            Place::Vacant(place) => {
                let before = self.rows.get(place.key(), &mut self.buffer)?;
                Ok(place.insert(Slot {
                    before,
                    after: None,
                }))
            }
        }
    }
}
