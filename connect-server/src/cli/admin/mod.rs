//! Commands of the operator: `connect-server account`, `location`, `screen`, `token` and `webhook`.
//!
//! A command is a value. When a server has the store open, it is sent there over the owner's
//! listener, and the server executes it; otherwise the command line opens the store and executes it
//! itself. Who may send commands is who can read the [`Pass`], a file in the data folder.

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
pub use credentials::{Pass, PassError, PassFile};
pub(crate) use reach::{NotReached, Reached};
pub(crate) use run::{run, write_down};
pub(crate) use send::{NotSent, post, send, user};
pub use shown_once::ShownOnce;
