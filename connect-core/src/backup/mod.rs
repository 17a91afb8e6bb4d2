//! Moving a whole store, through one checksummed file, between any backends.
//!
//! The rows are copied byte by byte, so nothing changes for any of their data: times of changes, numbers of
//! events and receipts, tokens, stored answers, queued work. `format.rs` is the file format. [`export`] and
//! [`import`] each continue after an interruption, and both compare file and store row by row at the end.
//!
//! No other process may write to the store meanwhile. The exception is [`Pieces`]: it makes the same file
//! from a snapshot of the rows, for a backup ([`BackupFile`]). An import marks its store (`marker.rs`):
//! [`unfinished_import`] reads the mark, and no service may be started on such a store.

mod backup_file;
mod compare;
mod error;
mod export;
mod format;
mod import;
mod locked_file;
mod marker;
mod pieces;
mod progress;
mod reader;
mod restored;
mod seal;
mod walk;
mod writer;

pub use backup_file::BackupFile;
pub use error::{DamagedFile, Difference, TransferError};
pub use export::{ExportOptions, export};
pub use import::{CheckedFile, ImportOptions, import};
pub use marker::{UnfinishedImport, unfinished_import};
pub use pieces::Pieces;
pub use progress::{Stage, TransferProgress, Transferred};
pub use restored::{Restored, restored, take_over};
