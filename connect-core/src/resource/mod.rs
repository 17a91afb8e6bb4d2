//! The resources, one file per chapter of the specification, on top of records and rules.
//!
//! Everything is reached through [`Connect`]. Knows nothing of HTTP: answers and failures have
//! names, and whoever serves them gives them status codes.

mod access;
mod accounts;
mod admission;
mod answer;
mod categories;
mod check;
mod connect;
mod credentials;
mod images;
mod list;
mod location;
mod locations;
mod maintenance;
mod products;
mod recent_answers;
mod request;
mod stored_answer;
mod tokens;
mod write;
mod write_queue;

pub use access::Access;
pub use accounts::{NewAccount, NewLocation, NewScreen};
pub use admission::{Admitted, Turned};
pub(crate) use answer::single;
pub use answer::{Answer, Json, Outcome};
pub use check::{CheckProgress, CheckReport, Problem, ProblemKind};
pub use connect::Connect;
pub(crate) use list::{Filter, PageRequest};
pub use location::LocationHandle;
pub use maintenance::Maintenance;
pub use request::{FromJson, Idempotency, Input, Request};
pub use tokens::{IssuedToken, NewToken};
pub(crate) use write_queue::Change;
