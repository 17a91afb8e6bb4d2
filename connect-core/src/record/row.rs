//! Kinds of rows: where they lie, and the order in which they are listed.

use serde::Deserialize;
use uuid::Uuid;

use super::{Change, Record, SortKey, keys::Family};
use crate::wire::Timestamp;

/// A kind of row that a location has, listed in the order of its sort key.
///
/// Every [`Record`] is one. Others are written once, such as events, or are not what a client
/// writes, such as image jobs.
pub(crate) trait Row {
    /// The sort key of the list.
    type Key: SortKey;
    /// The rows.
    const ROWS: Family;
    /// The index of all rows in the order of the list, for rows that lie under their id. The sort
    /// key then ends with the id. `None` for rows that lie under their sort key.
    const IN_ORDER: Option<Family>;
    /// The tombstones of deleted rows, if there are any, in the order of the list.
    const TOMBSTONES: Option<Family>;

    /// The place in the list of a row as it is stored.
    ///
    /// # Errors
    /// It is not such a row.
    fn key_in(row: &[u8]) -> serde_json::Result<Self::Key>;
}

impl<R: Record> Row for R {
    type Key = Change;
    const ROWS: Family = <R as Record>::ROWS;
    const IN_ORDER: Option<Family> = Some(R::BY_CHANGE);
    const TOMBSTONES: Option<Family> = Some(<R as Record>::TOMBSTONES);

    fn key_in(row: &[u8]) -> serde_json::Result<Change> {
        #[derive(Deserialize)]
        #[serde(rename_all = "camelCase")]
        struct Changed {
            id: Uuid,
            updated_at: Timestamp,
        }
        serde_json::from_slice(row).map(|changed: Changed| (changed.updated_at, changed.id))
    }
}
