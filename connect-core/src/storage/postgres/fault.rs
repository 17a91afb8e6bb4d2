//! The meaning of the errors of the database.

use deadpool_postgres::{HookError, PoolError, TimeoutType};
use tokio_postgres::{
    Error,
    error::{DbError, Severity, SqlState},
};

use crate::storage::{CommitError, StorageError};

/// The error code of the commit function for an unexpected row.
const CONFLICT: &str = "CN001";

/// Converts an error of the database into one of the store.
pub(super) fn unreadable(error: &Error) -> StorageError {
    if error.code() == Some(&SqlState::DISK_FULL) {
        return StorageError::full(in_words(error));
    }
    StorageError::new(in_words(error))
}

/// Describes the failure to get a connection.
pub(super) fn away(error: &PoolError) -> String {
    match error {
        PoolError::Backend(error) | PoolError::PostCreateHook(HookError::Backend(error)) => {
            in_words(error)
        }
        PoolError::PostCreateHook(HookError::Message(reason)) => reason.to_string(),
        PoolError::Timeout(TimeoutType::Wait) => {
            "all connections to the database have been busy for too long".to_owned()
        }
        PoolError::Timeout(_) => "the database gives no answer".to_owned(),
        other => other.to_string(),
    }
}

/// Returns whether a change of the tables failed because of concurrent ones.
/// A retry may succeed.
pub(super) fn is_beside_others(error: &Error) -> bool {
    let in_the_way = [
        SqlState::T_R_SERIALIZATION_FAILURE,
        SqlState::T_R_DEADLOCK_DETECTED,
        // Missing when checked, and made by another server meanwhile.
        SqlState::UNIQUE_VIOLATION,
        SqlState::DUPLICATE_TABLE,
        SqlState::DUPLICATE_OBJECT,
        SqlState::DUPLICATE_FUNCTION,
        // "tuple concurrently updated", and there when checked, but removed meanwhile.
        SqlState::INTERNAL_ERROR,
    ];
    error.code().is_some_and(|code| in_the_way.contains(code))
}

/// Returns whether a newer program has removed this program's commit function.
pub(super) fn is_taken_away(error: &Error) -> bool {
    error.code() == Some(&SqlState::UNDEFINED_FUNCTION)
}

/// The failure of a commit not acknowledged by the database.
#[derive(Debug)]
pub(super) enum CommitFailure {
    /// Nothing was written, because of concurrent writes to the same rows.
    /// A retry may succeed.
    Serialization,
    /// A final failure.
    For(CommitError),
}

impl CommitFailure {
    /// Returns the outcome of a commit from the error of the database.
    pub(super) fn of(error: &Error) -> Self {
        let Some(answer) = error.as_db_error() else {
            // The commit was sent, and perhaps received and applied: only the answer is missing.
            return Self::For(CommitError::Unknown(unreadable(error)));
        };
        let code = answer.code();
        let in_the_way = [
            SqlState::T_R_SERIALIZATION_FAILURE,
            SqlState::T_R_DEADLOCK_DETECTED,
        ];
        if in_the_way.contains(code) {
            return Self::Serialization;
        }
        Self::For(match code.code() {
            CONFLICT => CommitError::Conflict,
            _ if is_over(answer) => CommitError::NotApplied(unreadable(error)),
            _ => CommitError::Unknown(unreadable(error)),
        })
    }

    /// Converts the failure into an error, with no retries left.
    pub(super) fn into_error(self) -> CommitError {
        match self {
            Self::Serialization => CommitError::Conflict,
            Self::For(error) => error,
        }
    }
}

/// Returns true if an error ends the statement and rolls it back.
/// The end of the connection does not count: it may come after the commit.
fn is_over(answer: &DbError) -> bool {
    let is_error = answer.parsed_severity() == Some(Severity::Error);
    is_error && *answer.code() != SqlState::T_R_STATEMENT_COMPLETION_UNKNOWN
}

/// The text of an error with its causes, without statement and values.
pub(super) fn in_words(error: &Error) -> String {
    match error.as_db_error() {
        Some(answer) => format!("{} ({})", answer.message(), answer.code().code()),
        None => {
            let mut words = error.to_string();
            let mut source = std::error::Error::source(error);
            while let Some(error) = source {
                words = format!("{words}: {error}");
                source = error.source();
            }
            words
        }
    }
}
