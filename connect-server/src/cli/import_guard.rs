//! The refusal to serve a store after an unfinished import.
//! Some of its rows are missing.

use connect_core::{
    storage::{Storage, StorageError},
    transfer::{TransferError, unfinished_import},
};

/// The store holds an unfinished import, or cannot be read.
#[derive(Clone, Debug, thiserror::Error)]
pub enum UnfinishedImport {
    /// It holds a part.
    #[error("{}", TransferError::UnfinishedImport)]
    Unfinished,
    /// The store does not answer.
    #[error("cannot find out whether the import into this store was finished: {0}")]
    Unreadable(#[from] StorageError),
}

/// Refuses a store with an unfinished import.
///
/// # Errors
/// [`UnfinishedImport`].
pub(crate) async fn check(storage: &dyn Storage) -> Result<(), UnfinishedImport> {
    match unfinished_import(storage).await? {
        Some(_) => Err(UnfinishedImport::Unfinished),
        None => Ok(()),
    }
}
