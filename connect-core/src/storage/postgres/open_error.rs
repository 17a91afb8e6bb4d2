//! The reasons for failing to open a store on PostgreSQL.

use super::address::AddressError;
use crate::storage::NewerRows;

/// The reason a store on PostgreSQL cannot be opened.
#[derive(Debug, thiserror::Error)]
pub enum OpenError {
    /// An unusable address.
    #[error("the address of the database {0}")]
    Address(#[from] AddressError),
    /// Unusable settings.
    #[error("the connection to the database cannot be set up: {0}")]
    Unusable(String),
    /// The database gives no answer, or refuses.
    #[error("the database cannot be used: {0}")]
    Away(String),
    /// A newer program has written to the database.
    #[error("the database: {0}")]
    NewerRows(#[from] NewerRows),
    /// The database may lose acknowledged commits.
    #[error(
        "synchronous_commit is off, so a crash of the database loses acknowledged commits: set it \
         on, for example by ALTER DATABASE .. SET synchronous_commit = on"
    )]
    NotDurable,
}
