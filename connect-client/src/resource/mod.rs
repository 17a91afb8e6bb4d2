//! Records of a location: read, written, listed, followed.

mod batch;
mod changes;
mod listing;
mod pages;
mod record;
mod records;

pub use changes::Changes;
pub use listing::Listing;
pub use record::Record;
pub use records::Records;
