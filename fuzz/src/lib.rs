//! Fuzz targets for all that Connect reads from others: bodies, query strings, cursors, keys,
//! headers, times and numbers.
//!
//! A target is a plain function of bytes. It panics when it finds a fault, and tells whether the
//! input was taken. [`drive`] runs it on stable Rust, with inputs that are made of seeds and words.
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    reason = "a target that finds a fault panics"
)]

pub mod drive;
pub mod mutate;
mod shop;
pub mod shrink;
mod target;
mod targets;

pub use target::{Target, Verdict};
pub use targets::all;

/// Returns the target of this name.
pub fn target(name: &str) -> Option<Target> {
    all().into_iter().find(|target| target.name == name)
}
