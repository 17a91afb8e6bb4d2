//! The comparison of a file with a store, row by row.

use std::path::Path;

use super::{
    error::{Difference, TransferError},
    progress::{Stage, TransferProgress, Transferred},
    reader::{BackupPart, BackupReader},
    walk::StoreWalk,
};
use crate::storage::{Entry, Storage};

/// Compares a file with a store, up to the first difference.
/// `of` is the number of rows, for the progress.
///
/// # Errors
/// [`TransferError::Differs`]; or the file is damaged, or the store does not answer.
pub(super) async fn compare(
    storage: &dyn Storage,
    path: &Path,
    of: Option<u64>,
    progress: &mut (dyn FnMut(TransferProgress) + Send),
) -> Result<Transferred, TransferError> {
    let mut reader = BackupReader::open(path)?;
    let mut walk = StoreWalk::behind(storage, None);
    loop {
        let rows = match reader.next()? {
            BackupPart::Chunk(rows) => rows,
            BackupPart::End(file) => {
                return match walk.next().await? {
                    None => Ok(file),
                    Some((key, _)) => Err(differs(Difference::OnlyInStore, &key)),
                };
            }
        };
        for row in rows {
            compare_row(&row, walk.next().await?)?;
        }
        progress(TransferProgress {
            stage: Stage::Comparing,
            rows: reader.sofar().rows,
            of,
        });
        tokio::task::yield_now().await;
    }
}

fn compare_row((key, value): &Entry, stored: Option<Entry>) -> Result<(), TransferError> {
    match stored {
        Some((in_store, row)) if in_store == *key => {
            if row == *value {
                Ok(())
            } else {
                Err(differs(Difference::Value, key))
            }
        }
        Some((in_store, _)) if in_store < *key => Err(differs(Difference::OnlyInStore, &in_store)),
        _ => Err(differs(Difference::OnlyInFile, key)),
    }
}

fn differs(of: fn(String) -> Difference, key: &[u8]) -> TransferError {
    TransferError::Differs(of(hex::encode(key)))
}
