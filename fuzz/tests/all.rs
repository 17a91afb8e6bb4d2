//! The tests of the fuzz targets and of their driver, one binary: linking is what takes time.

// A test fails by panicking.
#![allow(clippy::unwrap_used, clippy::panic, clippy::print_stdout)]

mod driver;
mod short;
