//! Tests of the server over real sockets, and of its demo.

// A test fails by panicking.
#![allow(clippy::unwrap_used, clippy::panic)]

mod demo;
mod mounted;
mod net;
