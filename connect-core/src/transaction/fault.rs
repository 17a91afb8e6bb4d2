//! Faults below the rules.

use crate::storage::StorageError;

/// A fault beyond the control of clients.
#[derive(Clone, Debug, thiserror::Error)]
pub(crate) enum Fault {
    /// The storage failed.
    #[error(transparent)]
    Storage(#[from] StorageError),
    /// The storage refused a commit, and wrote nothing.
    #[error("nothing was written: {0}")]
    NotApplied(StorageError),
    /// The storage failed during a commit with an unknown outcome.
    #[error("whether it was written is unknown: {0}")]
    Unknown(StorageError),
    /// The storage answers, but cannot return the next row of a list.
    #[error("a row cannot be read: {0}; `connect-server check` finds it")]
    Damaged(StorageError),
    /// A row has invalid content.
    #[error("row {key} cannot be read: {reason}")]
    Corrupt {
        /// The key, in hexadecimal.
        key: String,
        /// The message of the parser.
        reason: String,
    },
    /// A password could not be hashed, for lack of memory.
    #[error("a password could not be hashed: {0}")]
    Hashing(String),
    /// The task panicked with an unknown outcome.
    #[error("the task that wrote has panicked")]
    Panicked,
    /// Expected rows outside the partition changed again and again.
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
