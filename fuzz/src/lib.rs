//! Fuzz targets for all input Connect reads from outside.
//! They cover bodies, query strings, cursors, keys, headers, times and numbers.
//!
//! A target is a plain function of bytes. It panics on a fault, and returns whether the input was taken.
//! [`drive`] runs it on stable Rust, with inputs made of seeds and words.
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
