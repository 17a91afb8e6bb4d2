//! Commands of the operator: `connect-server account`, `location`, `screen`, `token`, `webhook` and
//! `trail`.
//!
//! If a server has the store open, the command is sent to its owner listener and executed there;
//! otherwise the command line opens the store and executes it itself. Sending commands takes read
//! access to the [`AdminCredentials`], a file in the data folder.

mod credentials;
mod reach;
mod request;
mod run;
mod send;
#[cfg(test)]
mod transcript_tests;

pub use credentials::{AdminCredentials, AdminCredentialsError, AdminCredentialsFile};
pub(crate) use reach::{NotReached, Reached};
pub(crate) use request::{MARK, OPERATOR, PATH, operator_name};
pub(crate) use run::{note, note_in, run, write_down};
pub(crate) use send::{NotSent, cause, local_client, post, send, user};
