//! From a store into a file.

use std::path::Path;

use super::{
    compare::compare,
    error::TransferError,
    format::Filling,
    marker::unfinished_import,
    progress::{Stage, TransferProgress, Transferred},
    walk::Walk,
    writer::Writer,
};
use crate::storage::{Key, Storage};

/// Options for an export.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ExportOptions {
    /// Begins an export that is there anew, also a finished one. Another file is never replaced.
    pub overwrite: bool,
}

/// Writes all rows of a store into a file, which only its owner can read: it holds digests of tokens
/// and secrets of webhooks. Then compares both. Goes on behind the last whole chunk of a file that an
/// interrupted export has left; a finished one with the same rows is compared again. Writes to the file
/// on the thread that runs it.
///
/// # Errors
/// There is a finished export of other rows, or another file; the store changed meanwhile or holds a part of an
/// import; the store or the disk failed.
pub async fn export(
    storage: &dyn Storage,
    path: &Path,
    options: ExportOptions,
    progress: &mut (dyn FnMut(TransferProgress) + Send),
) -> Result<Transferred, TransferError> {
    if unfinished_import(storage).await?.is_some() {
        return Err(TransferError::HalfImported);
    }
    let Some(mut writer) = Writer::open(path, options.overwrite)? else {
        let compared = compare(storage, path, None, progress).await;
        let path = path.to_owned();
        return compared.map_err(|error| match error {
            TransferError::Differs(difference) => TransferError::Finished { path, difference },
            error => error,
        });
    };
    let mut walk = Walk::behind(storage, writer.sofar().last.as_deref());
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
