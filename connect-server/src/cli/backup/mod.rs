//! `connect-server backup`: a whole store becomes a file while a server goes on writing to it.
//!
//! The server keeps all rows of one moment, and the command asks it for them piece by piece. Without a server the
//! command opens the store itself.

mod command;
mod held;
mod request;

pub(crate) use command::run;
pub(crate) use held::{Backups, NoBackup};
pub(crate) use request::{BackupBegun, BackupRequest, PATH};
