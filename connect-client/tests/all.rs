//! The SDK against a scripted transport with a paused clock, and against real sockets.
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    reason = "a test that cannot go on has failed"
)]

mod applied;
mod calls;
mod changes;
mod compression;
mod counts;
mod device;
mod errors;
mod growth;
mod idempotency;
mod inputs;
mod lists;
mod options;
mod pacing;
mod raw;
mod retries;
#[rustfmt::skip]
mod samples;
mod settings;
mod sockets;
mod support;
mod tls;
mod tracing;
mod upserts;
mod watching;
