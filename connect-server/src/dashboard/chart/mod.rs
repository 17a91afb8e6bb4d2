//! Charts drawn on the server, each with a table of the same numbers.

mod bars;
mod columns;

pub(super) use bars::{Bars, NamedAmount};
pub(super) use columns::{Bar, Chart};
