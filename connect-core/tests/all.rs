//! The integration tests of the core, one binary: linking is what takes time.

// A test fails by panicking.
#![allow(clippy::unwrap_used, clippy::panic, clippy::print_stdout)]

mod check;
mod clocks;
mod dry_run;
mod faulty;
#[cfg(feature = "conformance")]
mod fence;
mod filters;
#[cfg(all(feature = "redb", feature = "sled"))]
mod kills;
mod layering;
#[cfg(feature = "conformance")]
mod progress;
#[cfg(feature = "logic")]
mod properties;
mod shop;
#[cfg(feature = "conformance")]
mod storage;
#[cfg(feature = "conformance")]
mod trips;
mod unknown;
