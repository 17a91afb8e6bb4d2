//! The capabilities of a kind of record.
//! Each capability gives [`Records`](super::Records) some of its methods.

use serde::{Serialize, de::DeserializeOwned};
use uuid::Uuid;

use crate::wire::{
    BatchInput, Entry, Timestamp, WireRecord,
    query::{ListQuery, PageQuery},
};

/// A kind of record of a location.
///
/// Sealed: the service decides the kinds and their capabilities.
pub trait Record: Sealed + DeserializeOwned + Send + 'static {}

/// A kind with a paged list: `list`, `pages` and `stream`.
#[diagnostic::on_unimplemented(message = "the service has no list of `{Self}` records")]
pub trait Listed: Record {
    /// The query parameters of the list.
    type Query: PageQuery;
}

/// A kind with records read by id: `get`.
#[diagnostic::on_unimplemented(message = "`{Self}` records cannot be read one by one")]
pub trait Readable: Record {}

/// A kind with deletions in its list, for keeping a copy.
/// It has `changes_since`, `watch`, `list_with_deleted`, `pages_with_deleted` and
/// `stream_with_deleted`.
#[diagnostic::on_unimplemented(
    message = "the list of `{Self}` records does not tell of changes and deletions",
    label = "cannot be followed"
)]
pub trait Synced: Listed<Query: ListQuery> {
    /// The time of the last change.
    fn changed_at(&self) -> Timestamp;

    /// The id of the record in a copy, also used by its tombstone.
    fn sync_id(&self) -> Uuid;
}

/// A kind with writes by clients: `create`, `update` and `delete`.
#[diagnostic::on_unimplemented(message = "`{Self}` records are written by the service alone")]
pub trait Writable: Record + WireRecord<Input: Serialize> {}

/// A kind with batch writes: `batch` and `upsert_all`.
///
/// ```compile_fail,E0599
/// # use connect_client::{LocationHandle, wire::{Batch, CategoryInput}};
/// # fn example(location: LocationHandle, batch: Batch<CategoryInput>) {
/// location.categories().batch(&batch); // categories have no batch
/// # }
/// ```
#[diagnostic::on_unimplemented(message = "the service takes no batches of `{Self}` records")]
pub trait Bulk: Writable<Input: BatchInput<Extra: Send> + Send> {}

/// The SDK's internal facts about a kind.
pub trait Sealed {
    /// The path segment below the location.
    const SEGMENT: &'static str;
}

/// The time of the last change of an entry, deleted or not.
pub(super) fn changed_at<R: Synced>(entry: &Entry<R>) -> Timestamp {
    match entry {
        Entry::Deleted(tombstone) => tombstone.updated_at,
        Entry::Live(record) => record.changed_at(),
    }
}

/// The id of an entry, deleted or not.
pub(super) fn id_of<R: Synced>(entry: &Entry<R>) -> Uuid {
    match entry {
        Entry::Deleted(tombstone) => tombstone.id,
        Entry::Live(record) => record.sync_id(),
    }
}
