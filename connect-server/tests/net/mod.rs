//! The accept loop and the service around the app: over sockets, with a small app of its own.

mod bodies;
mod crowd;
mod floods;
mod framing;
mod half_closed;
mod harness;
mod heads;
mod proxies;
mod requests;
mod shutdown;
mod start;
mod time;
mod tls;
mod tls_files;
mod untaken;
mod uploads;
