//! The reasons for which a store on the disk cannot be opened.

use std::{
    io,
    path::{Path, PathBuf},
};

use super::Kind;
use crate::storage::NewerRows;

/// The file that the operator creates to go on with a store that has lost something.
pub(super) const ACCEPT_LOSS_FILE: &str = "connect.accept-loss";

/// The reason for which a store could not be opened. Every text says what to do about it; opening leaves the
/// folder's data as it was.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum OpenError {
    /// Another process, or another store in this one, has the folder open, also after two seconds
    /// of waiting for its end.
    #[error("{} is in use by another process; stop it or choose another folder", path.display())]
    InUse {
        /// The folder that was asked for.
        path: PathBuf,
    },
    /// The folder has files in it and none of them is a store's.
    #[error("{} holds other files and no store; choose an empty folder", path.display())]
    OtherContent {
        /// The folder that was asked for.
        path: PathBuf,
    },
    /// The folder was made by the other engine.
    #[error("{} holds a {found} store; use --storage {found}:{}", path.display(), path.display())]
    OtherEngine {
        /// The folder that was asked for.
        path: PathBuf,
        /// The engine that made it.
        found: Kind,
    },
    /// The store was written by another version, with a layout that this one cannot read.
    #[error(
        "{} holds a store of format {found}, and this version reads format {expected}; start the \
         version that wrote it, or choose an empty folder",
        path.display()
    )]
    OtherFormat {
        /// The folder that was asked for.
        path: PathBuf,
        /// The format of the store.
        found: String,
        /// The format that this version reads.
        expected: u32,
    },
    /// A newer program has written to the store.
    #[error("{}: {source}", path.display())]
    NewerRows {
        /// The folder that was asked for.
        path: PathBuf,
        /// The version of the rows.
        source: NewerRows,
    },
    /// Files of the store are missing, empty or shorter than they were.
    #[error(
        "the store in {} is not complete: {missing}; restore the whole folder from a copy",
        path.display()
    )]
    Incomplete {
        /// The folder that was asked for.
        path: PathBuf,
        /// The missing files, and what is wrong with each.
        missing: String,
    },
    /// The store went back: its last commits, which were acknowledged, are not in its files.
    #[error(
        "the store in {} has lost commits: its files end with group {found}, and group {recorded} \
         was acknowledged; restore the whole folder from a copy, or create an empty file \
         {accept} in it to go on without what is missing",
        path.display(),
        accept = ACCEPT_LOSS_FILE
    )]
    WentBack {
        /// The folder that was asked for.
        path: PathBuf,
        /// The last group of commits that is known to have been acknowledged.
        recorded: u64,
        /// The last group of commits that the files hold.
        found: u64,
    },
    /// The store's rows are not those that its last commit left.
    #[error(
        "the store in {} does not hold what was written: {found} rows of {expected} are there, \
         and not all as they were; restore the whole folder from a copy, or create an empty file \
         {accept} in it to go on with the rows that are there",
        path.display(),
        accept = ACCEPT_LOSS_FILE
    )]
    RowsDiffer {
        /// The folder that was asked for.
        path: PathBuf,
        /// The number of rows after the last commit.
        expected: u64,
        /// The number of rows that can be read.
        found: u64,
    },
    /// The engine cannot read its files.
    #[error(
        "the store in {} cannot be read: {reason}; restore the whole folder from a copy",
        path.display()
    )]
    Damaged {
        /// The folder that was asked for.
        path: PathBuf,
        /// The engine's own words.
        reason: String,
    },
    /// The folder or a file in it could not be created, read, written or synced.
    #[error("{}: {source}", path.display())]
    Io {
        /// The folder or the file.
        path: PathBuf,
        /// The error of the operating system.
        source: io::Error,
    },
}

impl OpenError {
    /// An error of the operating system on a folder or a file.
    pub(super) fn io(path: &Path) -> impl FnOnce(io::Error) -> Self + Copy + '_ {
        move |source| Self::Io {
            path: path.into(),
            source,
        }
    }
}
