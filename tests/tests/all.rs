//! The end-to-end tests, in modules that mirror the paths of the service.
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    reason = "a test that cannot go on has failed"
)]

mod bad_requests;
mod checker;
mod document;
