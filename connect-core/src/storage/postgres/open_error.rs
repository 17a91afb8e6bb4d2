//! The reasons why a store on PostgreSQL cannot be opened.

use super::address::AddressError;
use crate::storage::NewerRows;

/// The reason why a store on PostgreSQL cannot be opened.
#[derive(Debug, thiserror::Error)]
pub enum OpenError {
    /// The address cannot be used.
    #[error("the address of the database {0}")]
    Address(#[from] AddressError),
    /// The settings cannot be used.
    #[error("the connection to the database cannot be set up: {0}")]
    Unusable(String),
    /// The database gives no answer, or refuses.
    #[error("the database cannot be used: {0}")]
    Away(String),
    /// A newer program has written to the database.
    #[error("the database: {0}")]
    NewerRows(#[from] NewerRows),
    /// The database acknowledges what it may lose.
    #[error(
        "synchronous_commit is off, so a crash of the database loses what it has acknowledged: \
         set it on, for example by ALTER DATABASE .. SET synchronous_commit = on"
    )]
    NotDurable,
}
