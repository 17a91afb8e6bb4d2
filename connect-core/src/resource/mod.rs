//! The resources, one file per chapter of the specification, on top of records and rules.
//!
//! Everything is reached through [`Connect`]. Knows nothing of HTTP: answers and failures have
//! names, and whoever serves them gives them status codes.

mod access;
mod accounts;
mod admission;
mod answer;
mod batch;
mod categories;
mod connect;
mod failure;
mod images;
mod lane;
mod list;
mod locations;
mod products;
mod upkeep;
mod write;

pub use access::Access;
pub use accounts::{IssuedToken, NewAccount, NewLocation, NewScreen, NewToken};
pub use admission::{Admitted, Turned};
pub use answer::{Answer, Json, Outcome};
pub use connect::Connect;
pub use failure::{Failure, FailureKind};
pub use upkeep::Upkeep;
pub use write::{FromJson, Idempotency, Input, Request};
