//! The owner's view of the last requests of tokens.

mod filter;
mod list;
mod unread;

pub use filter::{RequestFilter, RequestOutcome};
