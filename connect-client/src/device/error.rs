//! The failures of a queue.

use std::{io, path::PathBuf};

use crate::{Error, error::debug_reads_like_display};

/// A queue could not do its work. Rows that were pushed before are still there.
#[derive(thiserror::Error)]
#[non_exhaustive]
pub enum QueueError {
    /// Another queue has the folder open, in this process or in another.
    #[error("{}: the queue is in use by another process", .0.display())]
    InUse(PathBuf),
    /// The disk failed. A row whose push failed is not in the queue.
    #[error("{}: {source}", .path.display())]
    Disk {
        /// The file or folder.
        path: PathBuf,
        /// The failure.
        source: io::Error,
    },
    /// A line in the middle of a file is not what was written. A crash does not do that: the disk
    /// or somebody else has changed the file. The line has to be removed or repaired by hand.
    #[error("{}: line {line} is damaged", .path.display())]
    Damaged {
        /// The file.
        path: PathBuf,
        /// The line, counted from 1.
        line: usize,
    },
    /// A line is as it was written, and this version cannot read it: a newer one has written it.
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

/// The reason why sending stopped before nothing was left.
#[derive(thiserror::Error)]
#[non_exhaustive]
pub enum Stopped {
    /// A call failed, of the row that is [first](super::DeviceQueue::first) now: because of the
    /// network, the service, the address, or the key of the screen.
    #[error(transparent)]
    Call(#[from] Error),
    /// The disk failed. A row whose removal failed is delivered; it is sent again with its key
    /// after the next start.
    #[error(transparent)]
    Queue(#[from] QueueError),
}

debug_reads_like_display!(Stopped { Call(error), Queue(error) });
