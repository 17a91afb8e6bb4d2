//! A commit as plain data.

use super::{Key, StorageError, Value};

/// The state of a key when a commit was prepared, which it expects still to find.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Expectation {
    /// The key has no value. Only for keys that the same commit writes: not every backend can
    /// guard a key that stays empty.
    Absent,
    /// The key holds exactly this value (its version).
    Is(Value),
}

impl Expectation {
    /// The expectation that what was read is still so.
    pub fn unchanged(read: Option<Value>) -> Self {
        read.map_or(Self::Absent, Self::Is)
    }

    /// Says that `found` is what was expected.
    pub fn holds(&self, found: Option<&[u8]>) -> bool {
        match self {
            Self::Absent => found.is_none(),
            Self::Is(expected) => found == Some(&**expected),
        }
    }
}

/// The row that orders the commits of a partition. Commits with the same guard are applied one
/// after another: each expects the row as the one before it left it, and changes it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Guard {
    /// The row's key. Neither expected nor written otherwise by the same commit.
    pub key: Key,
    /// The row when the commit was prepared.
    pub was: Option<Value>,
    /// The row after the commit: never the same bytes twice, so that whoever reads it afterwards
    /// knows whether this commit was applied.
    pub becomes: Value,
}

/// The change that a commit makes to a key.
///
/// [`New`](Self::New) and [`NewIndex`](Self::NewIndex) are for a key that has no value, as far as the author
/// of the commit knows. A backend may rely on it for speed, and never for the outcome: where there is a value
/// after all, they do as [`Put`](Self::Put) and [`Index`](Self::Index) do.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Write {
    /// Sets the value.
    Put(Value),
    /// Sets the value of a key that most likely has none.
    New(Value),
    /// Sets an empty value: an entry of an index that is only read by
    /// [`Read::ScanFollow`](super::Read::ScanFollow). The value given is the row that the entry
    /// leads to, as this commit leaves it. Every commit that changes the row replaces the entry
    /// too, and one that removes the row removes the entry, so a backend may keep the row with the
    /// entry to save a look-up, or ignore it.
    Index(Value),
    /// Sets an index entry under a key that most likely has none.
    NewIndex(Value),
    /// Removes the key. Removing what is not there is no error.
    Remove,
}

impl Write {
    /// The value that the key has afterwards.
    pub fn value(&self) -> Option<&[u8]> {
        match self {
            Self::Put(value) | Self::New(value) => Some(value),
            Self::Index(_) | Self::NewIndex(_) => Some(&[]),
            Self::Remove => None,
        }
    }

    /// Returns whether the key most likely has no value before.
    pub fn is_new(&self) -> bool {
        matches!(self, Self::New(_) | Self::NewIndex(_))
    }

    /// The same change to a key that may have a value.
    #[must_use]
    pub fn over_any(self) -> Self {
        match self {
            Self::New(value) => Self::Put(value),
            Self::NewIndex(row) => Self::Index(row),
            other => other,
        }
    }
}

/// A set of writes that is applied as a whole, provided that every expectation holds.
#[derive(Clone, Debug, Default)]
pub struct Commit {
    /// The row that orders this commit among others; `None` for a commit that needs no order.
    pub guard: Option<Guard>,
    /// The conditions that must hold, or nothing is written. In any order.
    pub expects: Vec<(Key, Expectation)>,
    /// The writes. A key appears at most once. In any order; ascending is fastest.
    pub writes: Vec<(Key, Write)>,
}

impl Commit {
    /// Checks that this commit, which comes under a lock, has the guard that is locked.
    pub(super) fn check_guard(&self, locked: &[u8]) -> Result<(), CommitError> {
        match &self.guard {
            Some(guard) if *guard.key == *locked => Ok(()),
            _ => {
                let reason = "a commit under a lock has to have the guard that is locked";
                Err(CommitError::NotApplied(StorageError::new(reason)))
            }
        }
    }

    /// Moves the guard among the expectations and the writes, for a backend that treats its row
    /// like any other.
    #[must_use]
    pub fn with_guard_as_row(mut self) -> Self {
        if let Some(Guard { key, was, becomes }) = self.guard.take() {
            self.expects
                .push((key.clone(), Expectation::unchanged(was)));
            self.writes.push((key, Write::Put(becomes)));
        }
        self
    }
}

/// The reason for which a commit was not acknowledged.
#[derive(Clone, Debug, thiserror::Error)]
pub enum CommitError {
    /// An expectation did not hold, or a lock was lost; nothing was written. Read again and try
    /// again.
    #[error("the commit's expectations no longer hold")]
    Conflict,
    /// The backend could not do it, and wrote nothing: the disk is full, say.
    #[error("nothing was written: {0}")]
    NotApplied(StorageError),
    /// The backend failed on the way. Whether the commit was applied shows in its guard, once
    /// that can be read.
    #[error("whether it was written is unknown: {0}")]
    Unknown(StorageError),
}
