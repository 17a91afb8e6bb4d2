//! A shop on a backend, reached as a client reaches it: JSON goes in, status and JSON come out.

mod look;
mod new_rows;
mod open;
mod slow;

pub(crate) use look::{Filters, events};
pub(crate) use open::{Backend, Premises, START, Shop};
