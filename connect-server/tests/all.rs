//! Tests of the server over real sockets, of images, of its demo, and of the API document.

// A test fails by panicking.
#![allow(clippy::unwrap_used, clippy::panic)]

mod attacked;
mod demo;
mod docs;
mod host;
mod images;
mod location;
mod log;
mod measured;
mod mounted;
mod net;
mod openapi;
mod operating;
mod webhooks;
