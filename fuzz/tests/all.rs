//! The tests of targets and driver: one binary, for faster linking.

// A test fails by panicking.
#![allow(clippy::unwrap_used, clippy::panic, clippy::print_stdout)]

mod driver;
mod short;
