//! Records of a location: read, written, listed, followed.

mod changes;
mod count_all;
mod events;
mod journal;
mod long_batch;
mod option_groups;
mod pages;
mod record;
mod records;
mod stock;
mod upsert_all;
mod watch;

pub use changes::Changes;
pub use count_all::Counts;
pub use events::NewEvents;
pub use long_batch::{BatchBody, BatchError, LongBatch, Progress};
pub use pages::Listing;
pub(crate) use record::Sealed;
pub use record::{Bulk, Listed, Readable, Record, Synced, Writable};
pub use records::Records;
pub use watch::Watch;
