//! What answers requests: the checks of every request in their order, then its handler.

mod gate;
mod service;

pub use service::{ConnectApp, Door};
