//! The service that answers requests: the checks of every request in their order, then its handler.

mod api;
mod gate;
mod service;

pub use api::api;
pub use service::{ConnectApp, Door};
