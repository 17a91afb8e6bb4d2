//! The fault found by a check.

use std::fmt;

use super::super::{CommitError, StorageError};

/// A backend's misbehaviour, in words for its author.
#[derive(Clone)]
pub struct Fault(String);

impl Fault {
    /// A fault in words.
    pub fn new(what: impl fmt::Display) -> Self {
        Self(what.to_string())
    }
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl fmt::Debug for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for Fault {}

impl From<StorageError> for Fault {
    fn from(error: StorageError) -> Self {
        Self::new(error)
    }
}

impl From<CommitError> for Fault {
    fn from(error: CommitError) -> Self {
        Self(format!("a commit that should succeed was refused: {error}"))
    }
}

impl From<tokio::task::JoinError> for Fault {
    fn from(error: tokio::task::JoinError) -> Self {
        Self(format!("a task of the check ended early: {error}"))
    }
}
