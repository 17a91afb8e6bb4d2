//! What holds for every sequence of writes, on every backend: random writes of all chapters against
//! the core, and next to it a naive model that has nothing of the core in it.
//!
//! The inputs come from a small space in which things collide: few external ids, few barcodes,
//! few names that differ in case only. A run is the same each time; `PROPTEST_RNG_SEED` takes
//! another one, `PROPTEST_CASES` (256 is the usual amount) makes it longer.

pub(crate) mod check;
mod input;
mod model;
mod session;
pub(crate) mod shop;

mod bodies;
mod crowds;
mod keys;
mod sync;
mod walks;
