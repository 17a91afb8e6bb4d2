//! Commands of the operator: `connect-server account`, `location`, `screen`, `token` and `webhook`.
//!
//! A command is a value. If a server has the store open, the command is sent to its owner listener
//! and executed there; otherwise the command line opens the store and executes it itself. Sending
//! commands takes read access to the [`AdminCredentials`], a file in the data folder.

pub mod accounts;
mod command;
mod credentials;
pub mod locations;
mod owners;
mod reach;
mod run;
pub mod screens;
mod send;
mod shown_once;
pub mod tokens;
pub mod webhooks;

pub use command::AdminCommand;
pub(crate) use command::{MARK, OPERATOR, PATH, operator_name};
pub use credentials::{AdminCredentials, AdminCredentialsFile, PassError};
pub(crate) use reach::{NotReached, Reached};
pub(crate) use run::{run, write_down};
pub(crate) use send::{NotSent, post, send, user};
pub use shown_once::ShownOnce;
