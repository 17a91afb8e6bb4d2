//! A large commit, written in slices to avoid delaying other commits.
//!
//! 1. Its expectations are checked. From the beginning on, its keys are reserved: commits touching
//!    one of them wait until the end.
//! 2. Its writes are stored as redo records, one per slice. They are invisible to readers, and
//!    opening the database removes them.
//! 3. The commit record is stored. From here on the commit is in force: opening the database
//!    finishes it, readers see its values in an overlay, and it is acknowledged.
//! 4. Slice after slice is moved to its place, together with the removal of its redo record; the
//!    last one also removes the commit record.

use std::ops::Range;

use super::{
    engine::{ApplyError, Batch, Damage, Engine, EngineSnapshot as _, ReadFault, SliceLimits},
    engine_keys::{self},
    layout::{self, Was},
    pending::Prepared,
    progress::StoreMark,
    redo,
};
use crate::storage::{Key, StorageError, Value};

/// The most writes of a commit for a group.
/// Larger ones go in slices.
pub(super) const LARGE_WRITES: usize = 4096;

/// The most bytes of a commit of several writes for a group.
pub(super) const LARGE_BYTES: usize = 8 * 1024 * 1024;

/// The number of expectations to check before other work gets its turn.
const CHECKED_AT_ONCE: usize = 4096;

/// A large commit under way.
pub(super) struct Staged {
    commit: Prepared,
    slices: Vec<Range<usize>>,
    next: Next,
}

/// The next step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Next {
    /// Check expectations from this one on.
    Check(usize),
    /// Store the redo record of this slice.
    Store(usize),
    /// Store the commit record.
    Commit,
    /// Move this slice.
    Move(usize),
    /// Nothing is left to do.
    Done,
}

/// The writer's part in a step.
pub(super) enum WriterStep {
    /// Continue with the next step.
    GoOn,
    /// Apply this batch, then continue.
    Apply(Batch),
    /// One of the expectations fails.
    Conflict,
}

impl Staged {
    pub(super) fn new(commit: Prepared, slice: SliceLimits) -> Self {
        let slices = slices(commit.pending.writes(), slice);
        Self {
            commit,
            slices,
            next: Next::Check(0),
        }
    }

    pub(super) fn commit(&self) -> &Prepared {
        &self.commit
    }

    pub(super) fn next(&self) -> Next {
        self.next
    }

    /// Returns whether the commit is in force.
    pub(super) fn is_in_force(&self) -> bool {
        matches!(self.next, Next::Move(_) | Next::Done)
    }

    /// The keys of the next slice to move.
    pub(super) fn keys_to_move(&self) -> impl Iterator<Item = &Key> + Clone {
        let slice = match self.next {
            Next::Move(slice) => self.slices.get(slice).cloned().unwrap_or_default(),
            _ => 0..0,
        };
        self.commit.pending.writes()[slice]
            .iter()
            .map(|(key, _)| key)
    }

    /// Prepares the next step. `row` reads a current row.
    pub(super) fn prepare<E: Engine>(
        &self,
        snapshot: impl FnOnce() -> Result<E::Snapshot, ReadFault>,
        mut row: impl FnMut(&[u8]) -> Result<Option<Value>, ReadFault>,
    ) -> Result<WriterStep, ReadFault> {
        let writes = self.commit.pending.writes();
        Ok(match self.next {
            Next::Check(from) => {
                let to = self.commit.expects.len().min(from + CHECKED_AT_ONCE);
                for (key, expected) in &self.commit.expects[from..to] {
                    if !expected.holds(row(key)?.as_deref()) {
                        return Ok(WriterStep::Conflict);
                    }
                }
                WriterStep::GoOn
            }
            Next::Store(slice) => {
                let mut batch = Batch::new();
                let content = redo::encode(&writes[self.slices[slice].clone()]);
                let key = engine_keys::redo_key(number(slice));
                layout::put(&mut batch, key, &content, Was::default(), E::PART_LEN);
                WriterStep::Apply(batch)
            }
            Next::Commit => {
                let mut batch = Batch::new();
                let count = number(self.slices.len()).to_be_bytes();
                let key = engine_keys::COMMIT_KEY.to_vec();
                layout::put(&mut batch, key, &count, Was::default(), E::PART_LEN);
                WriterStep::Apply(batch)
            }
            Next::Move(slice) => {
                let range = self.slices[slice].clone();
                let is_last = slice + 1 == self.slices.len();
                let number = number(slice);
                let moved = writes[range]
                    .iter()
                    .map(|(key, value)| (&**key, value.as_deref()));
                WriterStep::Apply(move_slice::<E>(&snapshot()?, number, moved, is_last)?)
            }
            Next::Done => WriterStep::GoOn,
        })
    }

    /// Advances to the next step.
    pub(super) fn advance(&mut self) {
        let slices = self.slices.len();
        self.next = match self.next {
            Next::Check(from) if from + CHECKED_AT_ONCE < self.commit.expects.len() => {
                Next::Check(from + CHECKED_AT_ONCE)
            }
            // The commit has expectations only.
            Next::Check(_) if slices == 0 => Next::Done,
            Next::Check(_) => Next::Store(0),
            Next::Store(slice) if slice + 1 < slices => Next::Store(slice + 1),
            Next::Store(_) => Next::Commit,
            Next::Commit => Next::Move(0),
            Next::Move(slice) if slice + 1 < slices => Next::Move(slice + 1),
            Next::Move(_) | Next::Done => Next::Done,
        };
    }
}

/// Makes the batch to move one slice to its place.
fn move_slice<'a, E: Engine>(
    snapshot: &E::Snapshot,
    number: u32,
    writes: impl Iterator<Item = (&'a [u8], Option<&'a [u8]>)>,
    is_last: bool,
) -> Result<Batch, ReadFault> {
    let mut batch = Batch::new();
    for (key, value) in writes {
        let engine_key = engine_keys::row_key(key);
        let was = if E::IS_LIVE {
            Was::now(snapshot, &engine_key, E::PART_LEN)?
        } else {
            Was::default()
        };
        match value {
            Some(value) => layout::put(&mut batch, engine_key, value, was, E::PART_LEN),
            None => layout::remove(&mut batch, engine_key, was),
        }
    }
    let redo = engine_keys::redo_key(number);
    let was = Was::now(snapshot, &redo, E::PART_LEN)?;
    layout::remove(&mut batch, redo, was);
    if is_last {
        layout::remove(&mut batch, engine_keys::COMMIT_KEY.to_vec(), Was::default());
    }
    Ok(batch)
}

/// Finishes a large commit in force when the process ended.
/// Removes the remains of one not in force. Returns the resulting mark, and whether a commit was in
/// force.
pub(super) fn finish<E: Engine>(
    engine: &mut E,
    mut mark: StoreMark,
) -> Result<(StoreMark, bool), ApplyError> {
    let Some(slices) = in_force(engine)? else {
        while let Some((key, _)) = first_redo(engine)? {
            let was = Was::now(&engine.snapshot()?, &key, E::PART_LEN)?;
            let mut batch = Batch::new();
            layout::remove(&mut batch, key, was);
            mark = engine.apply(batch, mark)?;
        }
        return Ok((mark, false));
    };
    tracing::info!(slices, "finishing a large commit that was interrupted");
    let incomplete = || StorageError::new("the redo records of a large commit are not complete");
    let mut expected = None;
    loop {
        let (key, content) = first_redo(engine)?.ok_or_else(incomplete)?;
        let number = engine_keys::number_of(&key).ok_or_else(incomplete)?;
        // Earlier ones have been moved; after the first one found, none may be missing.
        if expected.is_some_and(|expected| expected != number) {
            return Err(incomplete().into());
        }
        let is_last = number.checked_add(1) == Some(slices);
        let writes = redo::decode(&content).ok_or_else(incomplete)?;
        let batch = move_slice::<E>(&engine.snapshot()?, number, writes.into_iter(), is_last)?;
        mark = engine.apply(batch, mark)?;
        if is_last {
            return Ok((mark, true));
        }
        expected = number.checked_add(1);
    }
}

/// The number of slices of the commit in force, if any.
fn in_force<E: Engine>(engine: &E) -> Result<Option<u32>, ReadFault> {
    let snapshot = engine.snapshot()?;
    let key = engine_keys::COMMIT_KEY;
    let decode = |stored: &[u8]| layout::decode(&snapshot, key, stored, E::PART_LEN);
    let Some(record) = snapshot.get(key, decode)?.transpose()? else {
        return Ok(None);
    };
    let count = (*record).try_into().map(u32::from_be_bytes);
    count.map(Some).map_err(|_| ReadFault::Row {
        key: key.into(),
        damage: Damage::Checksum,
    })
}

fn first_redo<E: Engine>(engine: &E) -> Result<Option<(Vec<u8>, Value)>, ReadFault> {
    let snapshot = engine.snapshot()?;
    let mut first = None;
    let (from, to) = engine_keys::REDO_RECORDS;
    snapshot.visit(from, to, false, |key, stored| {
        let content = layout::decode(&snapshot, key, stored, E::PART_LEN)?;
        first = Some((key.to_vec(), content));
        Ok(false)
    })?;
    Ok(first)
}

fn number(slice: usize) -> u32 {
    u32::try_from(slice).unwrap_or(u32::MAX)
}

/// Cuts writes into slices.
fn slices(writes: &[(Key, Option<Value>)], most: SliceLimits) -> Vec<Range<usize>> {
    let mut slices = Vec::new();
    let (mut start, mut bytes) = (0, 0);
    for (at, (key, value)) in writes.iter().enumerate() {
        bytes += key.len() + value.as_ref().map_or(0, |value| value.len());
        if bytes >= most.bytes || at + 1 - start >= most.writes {
            slices.push(start..at + 1);
            (start, bytes) = (at + 1, 0);
        }
    }
    if start < writes.len() {
        slices.push(start..writes.len());
    }
    slices
}
