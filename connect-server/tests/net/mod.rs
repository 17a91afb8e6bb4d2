//! The accept loop and the service around the app: over sockets, with a small app of its own.

mod bodies;
mod crowd;
mod floods;
mod kit;
mod lives;
mod raw;
mod start;
mod tls;
mod untaken;

pub(crate) use floods::frame;
