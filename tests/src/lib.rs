//! The parts of the end-to-end tests.
//! The OpenAPI document judges every response, an HTTP client can also send invalid requests, and shops
//! receive them.
//!
//! Only the tests of this workspace use it: any error here ends the test.
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
