//! The failures of a queue.

use std::{io, path::PathBuf};

use crate::{Error, error::debug_reads_like_display};

/// The error of a queue. Rows pushed before are still there.
#[derive(thiserror::Error)]
#[non_exhaustive]
pub enum QueueError {
    /// Another queue has the folder open, in this or another process.
    #[error("{}: the queue is in use by another process", .0.display())]
    InUse(PathBuf),
    /// The disk failed. A row is not in the queue if its push failed.
    #[error("{}: {source}", .path.display())]
    Disk {
        /// The file or folder.
        path: PathBuf,
        /// The failure.
        source: io::Error,
    },
    /// A line in the middle of a file is damaged.
    /// A crash does not cause this: the disk or another program has changed the file. Remove or repair
    /// the line by hand.
    #[error("{}: line {line} is damaged", .path.display())]
    Damaged {
        /// The file.
        path: PathBuf,
        /// The line, counted from 1.
        line: usize,
    },
    /// A line is intact, but was written by a newer version.
    #[error("{}: line {line} was written by another version: {source}", .path.display())]
    Unreadable {
        /// The file.
        path: PathBuf,
        /// The line, counted from 1.
        line: usize,
        /// The reason.
        source: serde_json::Error,
    },
    /// A row cannot be written as JSON.
    #[error("the row cannot be written: {0}")]
    Row(#[from] serde_json::Error),
}

debug_reads_like_display!(QueueError {
    InUse(path),
    Disk { path, source },
    Damaged { path, line },
    Unreadable { path, line, source },
    Row(problem),
});

/// The reason for stopping before the queue was empty.
#[derive(thiserror::Error)]
#[non_exhaustive]
pub enum Stopped {
    /// The call for the [first](super::DeviceQueue::first) row failed.
    /// The reason is the network, the service, the address, or the key of the screen.
    #[error(transparent)]
    Call(#[from] Error),
    /// The disk failed. A row is delivered even if its removal failed.
    /// It is sent again with the same key after the next start.
    #[error(transparent)]
    Queue(#[from] QueueError),
}

debug_reads_like_display!(Stopped { Call(error), Queue(error) });
