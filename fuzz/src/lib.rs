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
mod targets;

pub use targets::all;

/// The judgement of a service about an input.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// The input was taken. A driver makes further inputs of it.
    Taken,
    /// The input was refused.
    Refused,
}

/// A reader under test.
pub struct Target {
    /// The name on the command line.
    pub name: String,
    /// Inputs that are taken, to begin with.
    pub seeds: Vec<Vec<u8>>,
    /// Texts that mean something to the reader.
    pub words: Vec<String>,
    /// Gives the reader an input.
    ///
    /// # Panics
    /// The reader panics, or what it takes does not read back the same.
    pub run: fn(&[u8]) -> Verdict,
}

/// Returns the target of this name.
pub fn target(name: &str) -> Option<Target> {
    all().into_iter().find(|target| target.name == name)
}
