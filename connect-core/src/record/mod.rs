//! How records lie in the key space, and the unit of work that changes them.
//!
//! Knows keys, rows and indexes; knows neither rules nor HTTP. Every change of a location is a
//! [`Unit`], which becomes one commit: the rows with all their indexes, the events, the
//! idempotency record and the location's clock together.

mod account;
mod clock;
mod fault;
pub(crate) mod keys;
mod outbox;
mod read;
mod table;
mod unit;
mod writes;

pub use account::{Account, AccountLocation, Grant, Screen, ScreenType, Token};
pub(crate) use fault::Fault;
pub(crate) use read::{Position, Records, Row};
pub(crate) use table::{Index, Record, Table};
pub(crate) use unit::Unit;
