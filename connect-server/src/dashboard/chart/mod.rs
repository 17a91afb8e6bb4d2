//! Charts drawn on the server, each with its table.

mod bars;
mod columns;

pub(super) use bars::{Bars, NamedAmount};
pub(super) use columns::{Bar, Chart};
