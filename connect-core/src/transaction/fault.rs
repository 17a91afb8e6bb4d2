//! Faults below the rules.

use crate::storage::StorageError;

/// A fault that no client caused.
#[derive(Clone, Debug, thiserror::Error)]
pub(crate) enum Fault {
    /// The storage failed.
    #[error(transparent)]
    Storage(#[from] StorageError),
    /// The storage refused a commit, and wrote nothing.
    #[error("nothing was written: {0}")]
    NotApplied(StorageError),
    /// The storage failed on the way of a commit, and whether it was written cannot be found out.
    #[error("whether it was written is unknown: {0}")]
    Unknown(StorageError),
    /// The storage cannot return the next row of a list, and answers other reads.
    #[error("a row cannot be read: {0}; `connect-server check` finds it")]
    Damaged(StorageError),
    /// A row is not what was written.
    #[error("row {key} cannot be read: {reason}")]
    Corrupt {
        /// The key, in hexadecimal.
        key: String,
        /// The reader's words.
        reason: String,
    },
    /// A password could not be hashed, for want of memory.
    #[error("a password could not be hashed: {0}")]
    Hashing(String),
    /// The task that did the work has panicked; whether it was done is unknown.
    #[error("the task that wrote has panicked")]
    Panicked,
    /// Rows that lie outside the partition and are expected unchanged changed again and again.
    #[error("gave up after repeated conflicts with other writers")]
    Busy,
    /// A unit of work wrote before it read its clock.
    #[error("a unit of work wrote before it read")]
    Unread,
}

impl Fault {
    pub(crate) fn corrupt(key: &[u8], reason: impl std::fmt::Display) -> Self {
        Self::Corrupt {
            key: hex::encode(key),
            reason: reason.to_string(),
        }
    }
}
