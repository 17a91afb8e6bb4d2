//! Moving a whole store: from any backend into one checksummed file, and from that file into any
//! backend.
//!
//! The rows are carried as they are, byte by byte, so whatever rests on them goes on as if nothing
//! had happened: times of changes, numbers of events and receipts, tokens, stored answers, work that
//! waits. `format.rs` is the form of the file. [`export`] and [`import`] each go on where an
//! interrupted one ended, and both compare file and store row by row before they are
//! done.
//!
//! Nobody may write to the store meanwhile, except beside [`Pieces`]: they make the same file from rows that were
//! frozen, for a backup ([`BackupFile`]). An import marks the store that it fills (`marker.rs`):
//! [`unfinished_import`] tells, and no service may be started on such a store.

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
