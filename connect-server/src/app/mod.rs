//! What answers requests: the checks of every request in their order, then its handler.

mod call;
mod gate;
mod reply;
mod service;

pub use call::Call;
pub use reply::Reply;
pub use service::{ConnectApp, Door};
