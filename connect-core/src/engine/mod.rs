//! The machinery under every chapter: what listing, reading, creating, changing, deleting and
//! batches do for any kind of record.

mod changes;
mod records;
mod resource;
mod typed;
mod upsert;

pub(crate) use changes::create;
pub use records::JsonRecords;
pub use resource::Resource;
pub(crate) use resource::{Draft, Purpose};
pub use typed::{Records, Write, Written};
pub(crate) use upsert::Match;
pub use upsert::Upsert;
