//! Commits written to the disk together.

use std::collections::btree_map::Entry as Place;

use super::{
    engine::{Batch, Engine, ReadFault},
    engine_keys::{self},
    layout::{self, Was},
    read_view::{GroupKey, GroupKeys, Preimage},
    view::View,
};
use crate::storage::{Commit, Key, StorageError, Value, Write};

/// The size of a full group, in bytes.
/// It bounds the memory and the time of a group of small commits; a large one is a group by itself.
const FULL_BYTES: usize = 4 * 1024 * 1024;

/// The number of entries of a full group, for many small ones.
const FULL_ENTRIES: usize = 4096;

/// Returns whether a commit fills a group by itself.
/// It then shares none: a lack of room for it refuses no other, and its failure is not theirs.
pub(super) fn fills_a_group(commit: &Commit) -> bool {
    let bytes = |(_, write): &(Key, Write)| write.value().map_or(0, <[u8]>::len);
    commit.writes.len().max(commit.expects.len()) >= FULL_ENTRIES
        || commit.writes.iter().map(bytes).sum::<usize>() >= FULL_BYTES
}

/// The result of a commit's request to join a group.
#[derive(Clone, Debug)]
pub(super) enum Joined {
    /// It shares the group's outcome.
    Yes,
    /// One of its expectations fails; the group has nothing of it.
    Conflict,
    /// An expected row, or its page, is damaged; the group omits the commit.
    Refused(StorageError),
}

/// Commits with valid expectations, one after another, on top of the engine.
pub(super) struct CommitGroup<'a, E: Engine> {
    view: &'a View<E>,
    keys: GroupKeys,
    bytes: usize,
    has_writes: bool,
}

impl<'a, E: Engine> CommitGroup<'a, E> {
    pub(super) fn new(view: &'a View<E>) -> Self {
        Self {
            view,
            keys: GroupKeys::new(),
            bytes: 0,
            has_writes: false,
        }
    }

    /// Adds a commit if every expectation holds after the commits before it.
    ///
    /// # Errors
    /// The engine cannot be read; the group has nothing of the commit.
    pub(super) fn join(&mut self, commit: Commit) -> Result<Joined, StorageError> {
        for (key, expected) in commit.expects {
            let slot = match self.slot(key, true) {
                Ok(slot) => slot,
                Err(ReadFault::Engine(error)) => return Err(error),
                Err(fault) => return Ok(Joined::Refused(fault.into())),
            };
            let holds = match (&slot.after, &slot.before) {
                (Some(after), _) => expected.holds(after.as_deref()),
                (None, Preimage::Is(before)) => expected.holds(before.as_deref()),
                (None, Preimage::Unreadable(error, _)) => {
                    return Ok(Joined::Refused(error.clone()));
                }
                (None, Preimage::InSnapshot) => false,
            };
            if !holds {
                return Ok(Joined::Conflict);
            }
        }
        // Every step able to fail comes first, so a commit joins as a whole.
        if E::IS_LIVE {
            for (key, _) in &commit.writes {
                match self.slot(key.clone(), true) {
                    Ok(_) => {}
                    Err(ReadFault::Engine(error)) => return Err(error),
                    Err(fault) => return Ok(Joined::Refused(fault.into())),
                }
            }
        }
        for (key, write) in commit.writes {
            let value = value_of(write);
            self.bytes += key.len() + value.as_ref().map_or(0, |value| value.len());
            self.slot(key, false)?.after = Some(value);
            self.has_writes = true;
        }
        Ok(Joined::Yes)
    }

    pub(super) fn is_full(&self) -> bool {
        self.bytes >= FULL_BYTES || self.keys.len() >= FULL_ENTRIES
    }

    /// The batch to apply and the keys to hide; `None` without writes.
    pub(super) fn finish(self) -> Option<(Batch, GroupKeys)> {
        if !self.has_writes {
            return None;
        }
        let mut batch = Batch::with_capacity(self.keys.len());
        for (key, slot) in &self.keys {
            // Keys with expectations only stay in the overlay, with their true values.
            let Some(after) = &slot.after else { continue };
            let engine_key = engine_keys::row_key(key);
            let was = match &slot.before {
                Preimage::Is(Some(value)) => Was::value(&engine_key, value, E::PART_LEN),
                Preimage::Unreadable(_, was) => *was,
                Preimage::Is(None) | Preimage::InSnapshot => Was::default(),
            };
            match after {
                Some(value) => layout::put(&mut batch, engine_key, value, was, E::PART_LEN),
                None => layout::remove(&mut batch, engine_key, was),
            }
        }
        Some((batch, self.keys))
    }

    /// The key's slot.
    /// If it has to be `known`, the engine is read, once per key and group.
    fn slot(&mut self, key: Key, known: bool) -> Result<&mut GroupKey, ReadFault> {
        let read = |key: &[u8]| match self.view.row(key) {
            Ok(value) => Ok(Preimage::Is(value)),
            Err(fault @ ReadFault::Row { .. }) => {
                let was = self.view.was(key)?;
                Ok(Preimage::Unreadable(fault.into(), was))
            }
            Err(fault) => Err(fault),
        };
        match self.keys.entry(key) {
            Place::Occupied(slot) => Ok(slot.into_mut()),
            Place::Vacant(place) => {
                let before = if known {
                    read(place.key())?
                } else {
                    Preimage::InSnapshot
                };
                Ok(place.insert(GroupKey {
                    before,
                    after: None,
                }))
            }
        }
    }
}

/// The value after a write.
fn value_of(write: Write) -> Option<Value> {
    match write {
        Write::Put(value) | Write::New(value) => Some(value),
        Write::Index(_) | Write::NewIndex(_) => Some(layout::nothing()),
        Write::Remove => None,
    }
}
