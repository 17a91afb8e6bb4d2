//! The examples against a server in the same process.

// A test fails by panicking.
#![allow(clippy::unwrap_used, clippy::panic, clippy::print_stdout)]

mod guides;
mod guides_sdk;
mod journal;
mod quickstart;
mod service;
mod sync;
mod sync_input;
mod webhook_receiver;
