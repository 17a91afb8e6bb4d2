//! The embedded stores: what both engines have in common, and what opening guards against.
//!
//! Each test is written once, for any engine, and runs on each.

mod damage;
mod folder;
mod frozen;
mod large;
mod promises;
mod values;
mod version;
