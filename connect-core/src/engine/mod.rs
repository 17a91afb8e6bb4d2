//! The operations shared by every kind of record.
//! They are listing, reading, creating, changing, deleting and batches, the order of every write, and the
//! write queue.
//!
//! This module knows nothing of HTTP: answers and errors have names, and the server maps them to status
//! codes.

mod answer;
mod builder;
mod change;
mod connect;
mod crud;
mod entrance;
mod item_errors;
mod lookup;
mod mail;
mod maintenance;
mod migration;
mod page_request;
mod pages;
mod persons;
mod records;
mod references;
mod replay_hints;
mod request;
mod requests;
mod resource;
mod room;
mod rows;
mod search;
mod stored_answer;
mod typed;
mod upsert;
mod write;
mod write_queue;

pub(crate) use answer::single;
pub use answer::{Answer, Json, Outcome};
pub use builder::ConnectBuilder;
pub(crate) use change::{Change, MOST_RECORDS, yield_periodically};
pub use connect::Connect;
pub(crate) use crud::{create, find, reads_of_draft, remove, replace, update};
pub(crate) use item_errors::ItemErrors;
pub use maintenance::{Maintenance, StoredSecrets};
pub(crate) use page_request::{PageRequest, page_size};
pub(crate) use pages::Filter;
pub(crate) use persons::{blank_event, blank_order, blank_receipt};
pub use records::JsonRecords;
pub(crate) use references::{is_elsewhere, look_elsewhere, reads_elsewhere, unlink};
pub use request::{FromJson, Idempotency, Input, Request};
pub use resource::Resource;
pub(crate) use resource::{Draft, Purpose};
pub(crate) use room::{Room, check_bytes};
pub(crate) use rows::RowFilter;
pub use rows::{Listed, Readable, Reversible, Rows};
pub(crate) use stored_answer::expiry_of;
pub(crate) use typed::decoded;
pub use typed::{Records, Write, Written};
pub(crate) use upsert::Tally;
pub use upsert::Upsert;
