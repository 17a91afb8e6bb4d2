//! The audit trail: entries about changes, in the commit of the change.
//!
//! Every location, every account and the store itself has a chain of entries, numbered from 1. An
//! operation with changes of [trailed rows](families) makes one entry: its author, its origin, and the
//! fields before and after. [`UnitOfWork`](super::UnitOfWork) computes it from the rows it has read and
//! written, so a change without its entry cannot be written.
//!
//! An entry holds the SHA-256 of the entry before it, and the clock of the partition holds the number and
//! the hash of the last one. A removed or altered entry therefore shows.

mod changes;
mod entry;
mod families;
mod hash;

pub(super) use changes::{ChangesMark, OperationChanges, RowBefore};
pub use entry::{TrailChange, TrailEntry};
pub use hash::TrailHash;
pub(crate) use hash::TrailHead;

use uuid::Uuid;

use super::keys::{Family, KeyPart, key};
use crate::storage::Key;

/// The key of an entry.
pub(crate) fn trail_key(partition: Uuid, number: u64) -> Key {
    key(partition, Family::Trail, &[KeyPart::Number(number)])
}

/// The key of the last removed entry's number and hash.
pub(crate) fn trail_anchor_key(partition: Uuid) -> Key {
    key(partition, Family::TrailAnchor, &[])
}
