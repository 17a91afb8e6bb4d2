//! The mark of a store restored from a backup.
//! Until it is removed, the server sends nothing: the store may be a copy for trial, beside the one in use.

use serde::{Deserialize, Serialize};

use crate::{
    storage::{Commit, CommitError, Expectation, Key, Read, Storage, StorageError, Value, Write},
    transaction::keys::{Family, GLOBAL, key},
};

/// The backup a store was restored from.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Restored {
    /// The checksum of the file.
    pub checksum: String,
}

impl Restored {
    /// Serializes the mark as a row.
    ///
    /// # Errors
    /// It cannot be serialized.
    pub(super) fn row(&self) -> Result<Value, StorageError> {
        let row = serde_json::to_vec(self);
        Ok(row.map_err(StorageError::new)?.into())
    }
}

/// The key of the mark.
pub(super) fn restored_key() -> Key {
    key(GLOBAL, Family::Restored, &[])
}

/// Returns the backup of a restored store, unless [`take_over`] removed the mark.
///
/// # Errors
/// The store does not answer, or the mark is damaged.
pub async fn restored(storage: &dyn Storage) -> Result<Option<Restored>, StorageError> {
    let mut state = storage.read(&[Read::Get(&restored_key())]).await?;
    let Some(row) = state.value()? else {
        return Ok(None);
    };
    serde_json::from_slice(&row).map(Some).map_err(|reason| {
        StorageError::new(format_args!(
            "the mark of a restored store cannot be read: {reason}"
        ))
    })
}

/// Removes the mark of a restored store, to put it into use.
/// Returns false if there was no mark.
///
/// # Errors
/// The store does not answer, or did not take the change.
pub async fn take_over(storage: &dyn Storage) -> Result<bool, CommitError> {
    let mut state = storage.read(&[Read::Get(&restored_key())]).await;
    let state = state.as_mut().map_err(|error| error.clone());
    let Some(row) = state
        .and_then(|state| state.value())
        .map_err(CommitError::NotApplied)?
    else {
        return Ok(false);
    };
    storage
        .commit(Commit {
            guard: None,
            expects: vec![(restored_key(), Expectation::Is(row))],
            writes: vec![(restored_key(), Write::Remove)],
        })
        .await?;
    Ok(true)
}
