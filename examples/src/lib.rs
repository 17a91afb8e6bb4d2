//! Programs that a user of Connect would write, in a form that tests can call.
//!
//! - [`sync_catalog`]: brings a shop's menu from a CSV file to the service.
//!
//! The programs themselves are in `src/bin`. They use the SDK and nothing else of Connect.

pub mod sync_catalog;
