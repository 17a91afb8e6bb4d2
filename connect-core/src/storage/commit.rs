//! A commit as plain data.

use super::{Key, StorageError, Value};

/// What a commit found when it was prepared and expects still to find.
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

    /// Whether `found` is what was expected.
    pub fn holds(&self, found: Option<&[u8]>) -> bool {
        match (self, found) {
            (Self::Absent, None) => true,
            (Self::Is(expected), Some(found)) => **expected == *found,
            _ => false,
        }
    }
}

/// A set of writes that is applied as a whole, provided that every expectation holds.
#[derive(Clone, Debug, Default)]
pub struct Commit {
    /// What must hold, or nothing is written. In any order.
    pub expects: Vec<(Key, Expectation)>,
    /// What is written: a value, or `None` to remove the key. A key appears at most once.
    /// In any order; ascending is fastest.
    pub writes: Vec<(Key, Option<Value>)>,
}

/// Why a commit was not acknowledged.
#[derive(Clone, Debug, thiserror::Error)]
pub enum CommitError {
    /// An expectation did not hold; nothing was written. Read again and try again.
    #[error("the commit's expectations no longer hold")]
    Conflict,
    /// The backend failed; whether the commit was applied is unknown.
    #[error(transparent)]
    Storage(#[from] StorageError),
}
