//! The reasons for a failed transfer.

use std::{io, path::PathBuf};

use super::format::VERSION;
use crate::storage::{CommitError, NewerRows, StorageError};

/// A file changed since its export.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{} is damaged at byte {at}: {what}", path.display())]
pub struct DamagedFile {
    /// The file.
    pub path: PathBuf,
    /// The byte offset of the damaged part.
    pub at: u64,
    /// The damage, in words.
    pub what: String,
}

/// The first row in which a file and a store differ.
/// Keys are in hexadecimal digits.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Difference {
    /// The row is only in the file.
    #[error("row {0} is in the file and not in the store")]
    OnlyInFile(String),
    /// The row is only in the store.
    #[error("row {0} is in the store and not in the file")]
    OnlyInStore(String),
    /// The row has another value in the store.
    #[error("row {0} has another value in the store than in the file")]
    Value(String),
}

/// The reason for a failed transfer.
#[derive(Debug, thiserror::Error)]
pub enum TransferError {
    /// The file could not be opened, read or written.
    #[error("{}: {source}", path.display())]
    Io {
        /// The file.
        path: PathBuf,
        /// The error of the operating system.
        source: io::Error,
    },
    /// Another process is writing to the file, or reading it.
    #[error("{} is in use by another command", .0.display())]
    FileInUse(PathBuf),
    /// The backup's file name is taken.
    #[error("{} exists already: choose another name, or move it away", .0.display())]
    Exists(PathBuf),
    /// The file is not an export or a backup.
    #[error("{} is neither an export nor a backup of a store", .0.display())]
    NotAnExport(PathBuf),
    /// The file has an unsupported version.
    #[error(
        "{} has version {version} of the form, and this program knows versions 1 to {VERSION}: use the program \
         that has written it", path.display()
    )]
    Version {
        /// The file.
        path: PathBuf,
        /// Its version.
        version: u32,
    },
    /// A newer program has written the rows.
    #[error("{}: {source}", path.display())]
    NewerRows {
        /// The file.
        path: PathBuf,
        /// The version of the rows.
        source: NewerRows,
    },
    /// The file ends too soon: its export or backup was interrupted, or a copy of it was.
    #[error(
        "{} ends too soon, at byte {length}: copy the whole file; if this is all of it, run the export \
         again to finish it, or use another backup", path.display()
    )]
    Unfinished {
        /// The file.
        path: PathBuf,
        /// Its length.
        length: u64,
    },
    /// The file is damaged.
    #[error(transparent)]
    Damaged(#[from] DamagedFile),
    /// The file is a finished export of rows other than the store's.
    #[error(
        "{} is a finished export of other rows ({difference}): choose another name, or replace it \
         with --overwrite", path.display()
    )]
    Finished {
        /// The file.
        path: PathBuf,
        /// The first difference between file and store.
        difference: Difference,
    },
    /// The store holds a part of a file.
    #[error(
        "an import or a restore into this store did not finish: give the same command again with the same file, \
         or begin with a new store"
    )]
    UnfinishedImport,
    /// The store is not empty, and differs from the file.
    #[error("the store is not empty: import into a new store ({0})")]
    NotEmpty(Difference),
    /// The target of a restore holds a store already.
    #[error(
        "there is a store already: move it away and keep it, or restore into another folder or database"
    )]
    InUse,
    /// The interrupted import used another file.
    #[error(
        "the store holds a part of another file, with checksum {0}: take that one, or begin with a new store"
    )]
    OtherFile(String),
    /// Another process writes to the target store.
    #[error("another process writes to this store: stop all servers and other imports")]
    OthersWrite,
    /// A row exceeds the limits of a row's length.
    #[error("row {0} of the store is longer than a row can be")]
    TooLong(String),
    /// The store differs from the file after an export.
    #[error(
        "the store has changed since the export began ({0}): stop all servers on it, then export \
         again with --overwrite"
    )]
    Changed(Difference),
    /// The store is not as the file after an import.
    #[error("the store is not as the file ({0}): begin with a new store")]
    Differs(Difference),
    /// The store did not answer.
    #[error(transparent)]
    Storage(#[from] StorageError),
    /// The store did not take rows.
    #[error("the store did not take the rows: {0}; then give the same command again to go on")]
    Commit(#[from] CommitError),
}

impl TransferError {
    /// An error of the operating system about a file.
    pub(super) fn io(path: &std::path::Path) -> impl FnOnce(io::Error) -> Self {
        let path = path.to_owned();
        move |source| Self::Io { path, source }
    }
}
