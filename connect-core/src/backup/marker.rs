//! The mark of a store during an import.
//! It exists from the first row on, and records the progress. It is removed once file and store have been
//! found equal.

use serde::{Deserialize, Serialize};

use crate::{
    storage::{Key, Read, Storage, StorageError, Value},
    transaction::keys::{Family, GLOBAL, key},
};

/// An unfinished import.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct UnfinishedImport {
    /// The checksum of its file.
    pub checksum: String,
    /// The number of the file's chunks already in the store.
    pub chunks: u64,
    /// Set if the complete store gets the mark of a restored one.
    #[serde(default)]
    pub restores: bool,
}

impl UnfinishedImport {
    /// Serializes the mark as a row.
    ///
    /// # Errors
    /// It cannot be serialized.
    pub(super) fn row(&self) -> Result<Value, StorageError> {
        let row = serde_json::to_vec(self);
        Ok(row.map_err(StorageError::new)?.into())
    }

    /// Parses the row.
    ///
    /// # Errors
    /// It is damaged.
    pub(super) fn of(row: &[u8]) -> Result<Self, StorageError> {
        serde_json::from_slice(row).map_err(|reason| {
            StorageError::new(format_args!(
                "the mark of an import cannot be read: {reason}"
            ))
        })
    }
}

/// The key of the mark.
pub(super) fn marker_key() -> Key {
    key(GLOBAL, Family::Import, &[])
}

/// Returns the unfinished import of a store, if any.
/// Such a store holds only a part of a file, and no service may be started on it.
///
/// # Errors
/// The store does not answer, or the mark is damaged.
pub async fn unfinished_import(
    storage: &dyn Storage,
) -> Result<Option<UnfinishedImport>, StorageError> {
    let mut state = storage.read(&[Read::Get(&marker_key())]).await?;
    let row = state.value()?;
    row.map(|row| UnfinishedImport::of(&row)).transpose()
}
