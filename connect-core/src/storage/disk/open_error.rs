//! The errors of opening a store on the disk.

use std::{
    io,
    path::{Path, PathBuf},
};

use super::Kind;
use crate::storage::NewerRows;

/// The operator's file for accepting a loss.
pub(super) const ACCEPT_LOSS_FILE: &str = "connect.accept-loss";

/// The error of opening a store.
/// Every text tells how to fix it; a failed opening leaves the folder's data unchanged.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum OpenError {
    /// Another process, or another store in this one, has the folder open.
    /// Opening has waited two seconds for its end.
    #[error("{} is in use by another process; stop it or choose another folder", path.display())]
    InUse {
        /// The requested folder.
        path: PathBuf,
    },
    /// The folder holds files, but no store.
    #[error("{} holds other files and no store; choose an empty folder", path.display())]
    OtherContent {
        /// The requested folder.
        path: PathBuf,
    },
    /// The folder was made by the other engine.
    #[error("{} holds a {found} store; use --storage {found}:{}", path.display(), path.display())]
    OtherEngine {
        /// The requested folder.
        path: PathBuf,
        /// The engine of the folder.
        found: Kind,
    },
    /// The store has the layout of another version, unreadable to this one.
    #[error(
        "{} holds a store of format {found}, and this version reads format {expected}; start the \
         version that wrote it, or choose an empty folder",
        path.display()
    )]
    OtherFormat {
        /// The requested folder.
        path: PathBuf,
        /// The format of the store.
        found: String,
        /// The format of this version.
        expected: u32,
    },
    /// A former version was stopped in the middle of a large commit.
    #[error(
        "the store in {} has a large commit of a former version, which was stopped in the middle of it: start \
         that version once and stop it, then start this one",
        path.display()
    )]
    Unfinished {
        /// The requested folder.
        path: PathBuf,
    },
    /// A newer program has written to the store.
    #[error("{}: {source}", path.display())]
    NewerRows {
        /// The requested folder.
        path: PathBuf,
        /// The version of the rows.
        source: NewerRows,
    },
    /// Files of the store are missing, empty or shorter than before.
    #[error(
        "the store in {} is not complete: {missing}; restore the whole folder from a copy",
        path.display()
    )]
    Incomplete {
        /// The requested folder.
        path: PathBuf,
        /// The missing files, and the fault of each.
        missing: String,
    },
    /// The store is older than acknowledged: its last commits are missing.
    #[error(
        "the store in {} has lost commits: its files end with group {found}, and group {recorded} \
         was acknowledged; restore the whole folder from a copy, or create an empty file {accept} \
         in it to continue without the missing commits",
        path.display(),
        accept = ACCEPT_LOSS_FILE
    )]
    WentBack {
        /// The requested folder.
        path: PathBuf,
        /// The last group of commits recorded as acknowledged.
        recorded: u64,
        /// The last group of commits in the files.
        found: u64,
    },
    /// The store's rows differ from the state after its last commit.
    #[error(
        "the store in {} has lost or changed rows: {found} of {expected} are readable; restore \
         the whole folder from a copy, or create an empty file {accept} in it to continue with \
         the readable rows",
        path.display(),
        accept = ACCEPT_LOSS_FILE
    )]
    RowsDiffer {
        /// The requested folder.
        path: PathBuf,
        /// The number of rows after the last commit.
        expected: u64,
        /// The number of readable rows.
        found: u64,
    },
    /// The engine cannot read its files.
    #[error(
        "the store in {} cannot be read: {reason}; restore the whole folder from a copy",
        path.display()
    )]
    Damaged {
        /// The requested folder.
        path: PathBuf,
        /// The engine's own error message.
        reason: String,
    },
    /// A file operation on the folder or its files failed.
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
