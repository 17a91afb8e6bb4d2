//! The parts of the end-to-end tests: the OpenAPI document as a judge of every response, an HTTP
//! client that can also send what no client should, and shops to send it to.
//!
//! Nothing here is for use outside the tests of this workspace: what goes wrong ends the test.
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    reason = "a test that cannot go on has failed"
)]

pub mod attack;
pub mod check;
pub mod data;
pub mod document;
pub mod http;
pub mod kept_requests;
pub mod place;
pub mod process;
pub mod shop;
pub mod watch;
