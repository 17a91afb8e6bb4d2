//! The rewrite of a redb file with only its readable data.
//!
//! redb's own `compact` moves pages one by one within the file, without a known bound on its time.
//! This takes as long as reading the file once and writing the rest of it.

use std::{
    fs, io,
    path::{Path, PathBuf},
};

use redb::{Builder, Database, TableDefinition};

use crate::storage::{
    StorageError,
    disk::{
        damage::DamagedRange,
        engine::{EngineSnapshot, ReadFault},
        files,
    },
};

/// The first engine key after all others.
const END: &[u8] = &[0xFF];

/// A table of bytes.
type Table = TableDefinition<'static, &'static [u8], &'static [u8]>;

/// Writes the readable part of a table into a new file beside `path`.
/// Returns the name of the new file.
pub(super) fn write_beside(
    path: &Path,
    cache_bytes: u64,
    table: Table,
    snapshot: &impl EngineSnapshot,
    spans: &[DamagedRange],
) -> Result<PathBuf, StorageError> {
    let new = unfinished(path);
    let file = files::private()
        .read(true)
        .write(true)
        .create(true)
        .truncate(true)
        .open(&new)
        .map_err(StorageError::new)?;
    let written = Builder::new()
        .set_cache_size(usize::try_from(cache_bytes).unwrap_or(usize::MAX))
        .create_file(file)
        .map_err(StorageError::new)
        .and_then(|target| copy(table, snapshot, spans, &target))
        .and_then(|()| files::sync_file(&new).map_err(StorageError::new));
    match written {
        Ok(()) => Ok(new),
        Err(error) => {
            // The unfinished file would only take room.
            let _ = fs::remove_file(&new);
            Err(error)
        }
    }
}

/// Removes the unfinished file of a killed process.
pub(super) fn remove_unfinished(path: &Path) -> io::Result<()> {
    match fs::remove_file(unfinished(path)) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
        _ => Ok(()),
    }
}

/// The name of the unfinished file.
fn unfinished(path: &Path) -> PathBuf {
    path.with_extension("redb.new")
}

/// Replaces a file by another, durably.
pub(super) fn replace(path: &Path, new: &Path) -> Result<(), StorageError> {
    let replaced =
        fs::rename(new, path).and_then(|()| path.parent().map_or(Ok(()), files::sync_folder));
    replaced.map_err(StorageError::new)
}

/// Copies the readable data, as one commit.
fn copy(
    table: Table,
    snapshot: &impl EngineSnapshot,
    spans: &[DamagedRange],
    target: &Database,
) -> Result<(), StorageError> {
    let transaction = target.begin_write().map_err(StorageError::new)?;
    let mut entries = transaction.open_table(table).map_err(StorageError::new)?;
    let mut from: &[u8] = &[];
    let mut ends = spans.iter();
    loop {
        let span = ends.next();
        let to = span.map_or(END, |span| &span.from);
        if from < to {
            snapshot.visit(from, to, false, |key, value| {
                let inserted = entries.insert(key, value);
                inserted.map_err(|error| ReadFault::Engine(StorageError::new(error)))?;
                Ok(true)
            })?;
        }
        match span.map(|span| span.to.as_deref()) {
            Some(Some(to)) => from = to,
            // The end, or a damaged page up to the end.
            Some(None) | None => break,
        }
    }
    drop(entries);
    transaction.commit().map_err(StorageError::new)
}
