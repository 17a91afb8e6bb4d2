//! The meaning of the errors of the database.

use deadpool_postgres::{HookError, PoolError, TimeoutType};
use tokio_postgres::{
    Error,
    error::{DbError, Severity, SqlState},
};

use crate::storage::{CommitError, StorageError};

/// The code with which the function of a commit fails when a row is not as it was expected.
const CONFLICT: &str = "CN001";

/// Says why nothing can be read.
pub(super) fn unreadable(error: &Error) -> StorageError {
    if error.code() == Some(&SqlState::DISK_FULL) {
        return StorageError::full(in_words(error));
    }
    StorageError::new(in_words(error))
}

/// Says why there is no connection.
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

/// Returns whether a change of the tables failed beside concurrent ones: a retry may go well.
pub(super) fn is_beside_others(error: &Error) -> bool {
    let in_the_way = [
        SqlState::T_R_SERIALIZATION_FAILURE,
        SqlState::T_R_DEADLOCK_DETECTED,
        // What was not there yet when it was looked for.
        SqlState::UNIQUE_VIOLATION,
        SqlState::DUPLICATE_TABLE,
        SqlState::DUPLICATE_OBJECT,
        SqlState::DUPLICATE_FUNCTION,
        // "tuple concurrently updated", and what was still there.
        SqlState::INTERNAL_ERROR,
    ];
    error.code().is_some_and(|code| in_the_way.contains(code))
}

/// Returns whether a newer program has taken away the function by which this one commits.
pub(super) fn is_taken_away(error: &Error) -> bool {
    error.code() == Some(&SqlState::UNDEFINED_FUNCTION)
}

/// The end of a commit that the database did not acknowledge.
#[derive(Debug)]
pub(super) enum Failed {
    /// Nothing was written, because others write the same rows. It may go through the next time.
    Serialization,
    /// The commit is over.
    For(CommitError),
}

impl Failed {
    /// Tells how a commit ended that was sent to the database.
    pub(super) fn of(error: &Error) -> Self {
        let Some(answer) = error.as_db_error() else {
            // Sent, perhaps received, perhaps applied: only the answer is missing.
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

    /// The same once no more tries are left.
    pub(super) fn into_error(self) -> CommitError {
        match self {
            Self::Serialization => CommitError::Conflict,
            Self::For(error) => error,
        }
    }
}

/// Returns whether an error ends a statement, and takes back what it did: anything less than the end
/// of the connection, which may come after the commit.
fn is_over(answer: &DbError) -> bool {
    let is_error = answer.parsed_severity() == Some(Severity::Error);
    is_error && *answer.code() != SqlState::T_R_STATEMENT_COMPLETION_UNKNOWN
}

/// The error with what is behind it, without the statement and its values.
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
