//! The mark of a store that an import fills: it is there from the first row on, says how far the
//! import has come, and goes when file and store were found equal.

use serde::{Deserialize, Serialize};

use crate::{
    storage::{Key, Read, Storage, StorageError, Value},
    transaction::keys::{Family, NOBODY, key},
};

/// An import that did not finish.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct UnfinishedImport {
    /// The checksum of its file.
    pub checksum: String,
    /// The chunks of the file that the store has.
    pub chunks: u64,
    /// The store is to have the mark of a restored one once it is whole.
    #[serde(default)]
    pub restores: bool,
}

impl UnfinishedImport {
    /// The row that says so.
    ///
    /// # Errors
    /// It cannot be written down.
    pub(super) fn row(&self) -> Result<Value, StorageError> {
        let row = serde_json::to_vec(self);
        Ok(row.map_err(StorageError::new)?.into())
    }

    /// Reads the row.
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
    key(NOBODY, Family::Import, &[])
}

/// Returns the import that did not finish, if the store holds a part of a file only. No service may
/// be started on such a store.
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
