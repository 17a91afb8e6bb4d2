//! A store that an import did not fill to its end is not served: a part of its rows is missing.

use connect_core::{
    storage::{Storage, StorageError},
    transfer::{TransferError, unfinished_import},
};

/// The store holds a part of a file, or cannot say whether it does.
#[derive(Clone, Debug, thiserror::Error)]
pub enum HalfImport {
    /// It holds a part.
    #[error("{}", TransferError::HalfImported)]
    Unfinished,
    /// The store does not answer.
    #[error("whether the store was filled to its end cannot be read: {0}")]
    Unreadable(#[from] StorageError),
}

/// Checks that no import into the store is unfinished.
///
/// # Errors
/// [`HalfImport`].
pub(crate) async fn check(storage: &dyn Storage) -> Result<(), HalfImport> {
    match unfinished_import(storage).await? {
        Some(_) => Err(HalfImport::Unfinished),
        None => Ok(()),
    }
}
