//! The accept loop and the service around the app: over sockets, with a small app of its own.

mod harness;
mod requests;
mod shutdown;
