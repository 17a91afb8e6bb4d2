//! The export of a store into a file.

use std::path::Path;

use super::{
    compare::compare,
    error::TransferError,
    format::Filling,
    marker::unfinished_import,
    progress::{Stage, TransferProgress, Transferred},
    walk::StoreWalk,
    writer::BackupWriter,
};
use crate::storage::{Key, Storage};

/// Options for an export.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ExportOptions {
    /// Starts over an existing export, even a finished one.
    /// Any other file is never replaced.
    pub overwrite: bool,
}

/// Writes all rows of a store into a file, and compares both.
/// Only the owner can read the file: it holds digests of tokens and secrets of webhooks. After an
/// interrupted export, it continues after the last complete chunk of the file. A finished export with the
/// same rows is only compared again. Writes to the file on the calling thread.
///
/// # Errors
/// There is a finished export of other rows, or another file; the store changed meanwhile or holds a part
/// of an import; the store or the disk failed.
pub async fn export(
    storage: &dyn Storage,
    path: &Path,
    options: ExportOptions,
    progress: &mut (dyn FnMut(TransferProgress) + Send),
) -> Result<Transferred, TransferError> {
    if unfinished_import(storage).await?.is_some() {
        return Err(TransferError::UnfinishedImport);
    }
    let Some(mut writer) = BackupWriter::open(path, options.overwrite)? else {
        let compared = compare(storage, path, None, progress).await;
        let path = path.to_owned();
        return compared.map_err(|error| match error {
            TransferError::Differs(difference) => TransferError::Finished { path, difference },
            error => error,
        });
    };
    let mut walk = StoreWalk::behind(storage, writer.sofar().last.as_deref());
    let mut filling = Filling::default();
    let mut last: Option<Key> = None;
    while let Some(row) = walk.next().await? {
        if let (true, Some(last)) = (filling.is_full_for(&row), &last) {
            writer.chunk(&filling, last)?;
            filling = Filling::default();
            progress(TransferProgress {
                stage: Stage::Moving,
                rows: writer.sofar().rows,
                of: None,
            });
            tokio::task::yield_now().await;
        }
        filling.add(&row);
        last = Some(row.0);
    }
    if let Some(last) = last {
        writer.chunk(&filling, &last)?;
    }
    let written = writer.end()?;
    let compared = compare(storage, path, Some(written.rows), progress).await;
    compared.map_err(|error| match error {
        TransferError::Differs(difference) => TransferError::Changed(difference),
        error => error,
    })
}
