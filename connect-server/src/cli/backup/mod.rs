//! `connect-server backup`: copies a whole store into a file.
//! A server may go on writing to the store.
//!
//! The server keeps a snapshot of all rows, and the command asks for it piece by piece. Without a
//! server the command opens the store itself.

mod command;
mod held;
mod request;

pub(crate) use command::run;
pub(crate) use held::{Backups, NoBackup};
pub(crate) use request::{BackupBegun, BackupRequest, PATH};
