//! A commit as plain data.

use super::{Key, StorageError, Value};

/// The expected state of a key: unchanged since the commit was prepared.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Expectation {
    /// The key has no value.
    /// Only for keys written by the same commit: some backends cannot guard an absent key.
    Absent,
    /// The key holds exactly this value (its version).
    Is(Value),
}

impl Expectation {
    /// Expects an unchanged value since the read.
    pub fn unchanged(read: Option<Value>) -> Self {
        read.map_or(Self::Absent, Self::Is)
    }

    /// Returns whether `found` meets the expectation.
    pub fn holds(&self, found: Option<&[u8]>) -> bool {
        match self {
            Self::Absent => found.is_none(),
            Self::Is(expected) => found == Some(&**expected),
        }
    }
}

/// The row for the order of a partition's commits.
/// Commits with the same guard are applied one after another: each expects the row as left by the
/// previous commit, and changes it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Guard {
    /// The row's key.
    /// The expectations and writes of the commit do not contain it.
    pub key: Key,
    /// The row when the commit was prepared.
    pub was: Option<Value>,
    /// The row after the commit.
    /// Never the same bytes twice. A later read of the row therefore tells whether this commit was
    /// applied.
    pub becomes: Value,
}

/// The change of one key by a commit.
///
/// [`New`](Self::New) and [`NewIndex`](Self::NewIndex) are for a key without a value, as far as the
/// author of the commit knows. A backend may use the hint for speed, never for the outcome: if
/// there is a value after all, they act as [`Put`](Self::Put) and [`Index`](Self::Index).
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Write {
    /// Sets the value.
    Put(Value),
    /// Sets the value of a key, most likely without one before.
    New(Value),
    /// Sets an empty value: an index entry, read only by
    /// [`Read::ScanFollow`](super::Read::ScanFollow).
    /// The given value is the entry's row after this commit. Every commit changing the row also
    /// replaces the entry, and every commit removing the row removes the entry. A backend may
    /// therefore keep the row with the entry to save a look-up, or ignore it.
    Index(Value),
    /// Sets an index entry under a key, most likely without one before.
    NewIndex(Value),
    /// Removes the key. Removing a missing key is no error.
    Remove,
}

impl Write {
    /// The value of the key after the write.
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

    /// The same change, for a key with or without a value.
    #[must_use]
    pub fn over_any(self) -> Self {
        match self {
            Self::New(value) => Self::Put(value),
            Self::NewIndex(row) => Self::Index(row),
            other => other,
        }
    }
}

/// The most writes of a small commit.
const FEW_WRITES: usize = 64;

/// The most bytes of a small commit.
const FEW_BYTES: usize = 64 * 1024;

/// Returns true if a trip to a database costs more than these writes.
pub(crate) fn is_small<'w>(writes: impl ExactSizeIterator<Item = &'w Write>) -> bool {
    let has_few = writes.len() <= FEW_WRITES;
    let values = writes.filter_map(Write::value);
    has_few && values.map(<[u8]>::len).sum::<usize>() <= FEW_BYTES
}

/// A set of writes, applied as a whole if every expectation holds.
#[derive(Clone, Debug, Default)]
pub struct Commit {
    /// The row for the order of commits; `None` if none is needed.
    pub guard: Option<Guard>,
    /// The conditions for the writes, in any order.
    /// If one fails, nothing is written.
    pub expects: Vec<(Key, Expectation)>,
    /// The writes, each key at most once.
    /// In any order; ascending is fastest.
    pub writes: Vec<(Key, Write)>,
}

impl Commit {
    /// Checks the guard of a commit against the locked guard.
    pub(super) fn check_guard(&self, locked: &[u8]) -> Result<(), CommitError> {
        match &self.guard {
            Some(guard) if *guard.key == *locked => Ok(()),
            _ => {
                let reason = "a commit under a lock has to have the guard that is locked";
                Err(CommitError::NotApplied(StorageError::new(reason)))
            }
        }
    }

    /// Turns the guard into an expectation and a write.
    /// For backends without a special case for guards.
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

/// The reason for not acknowledging a commit.
#[derive(Clone, Debug, thiserror::Error)]
pub enum CommitError {
    /// An expectation failed, or a lock was lost; nothing was written.
    /// Read again and retry.
    #[error("the commit's expectations no longer hold")]
    Conflict,
    /// The backend wrote nothing: a full disk, for example.
    #[error("nothing was written: {0}")]
    NotApplied(StorageError),
    /// The backend failed on the way.
    /// The guard shows whether the commit was applied, once it can be read.
    #[error("whether it was written is unknown: {0}")]
    Unknown(StorageError),
}
