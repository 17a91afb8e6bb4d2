//! Kinds of rows: where they lie, and the order in which they are listed.

use serde::{Deserialize, Serialize};
use uuid::Uuid;

use super::{
    Change, Record, SortKey,
    keys::{Family, Part, key},
};
use crate::{storage::Key, wire::Timestamp};

/// A kind of row that a location has, listed in the order of its sort key.
///
/// Every [`Record`] is one. Others are written once, such as events, or are not what a client
/// writes, such as image jobs.
pub trait Row: Serialize {
    /// The sort key of the list.
    type Key: SortKey;
    /// The rows.
    const ROWS: Family;
    /// The index of all rows in the order of the list, for rows that lie under their id. The sort
    /// key then ends with the id. `None` for rows that lie under their sort key.
    const IN_ORDER: Option<Family>;
    /// The tombstones of deleted rows, if there are any, in the order of the list.
    const TOMBSTONES: Option<Family>;

    /// The row's place in the list.
    fn key(&self) -> Self::Key;

    /// The index of the rows that share an id, such as the movements of a product, and the id. The
    /// parts of its keys are the id and the sort key.
    fn group(&self) -> Option<(Family, Uuid)> {
        None
    }

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

    fn key(&self) -> Change {
        (self.updated_at(), self.id().uuid())
    }

    fn key_in(row: &[u8]) -> serde_json::Result<Change> {
        changed_in(row)
    }
}

/// The place of a stored row in the order of change: its `updatedAt` and its id.
pub(crate) fn changed_in(row: &[u8]) -> serde_json::Result<Change> {
    #[derive(Deserialize)]
    #[serde(rename_all = "camelCase")]
    struct Changed {
        id: Uuid,
        updated_at: Timestamp,
    }
    serde_json::from_slice(row).map(|changed: Changed| (changed.updated_at, changed.id))
}

/// The place of a stored row in the order of creation: its `createdAt` and its id.
pub(crate) fn created_in(row: &[u8]) -> serde_json::Result<Change> {
    #[derive(Deserialize)]
    #[serde(rename_all = "camelCase")]
    struct Created {
        id: Uuid,
        created_at: Timestamp,
    }
    serde_json::from_slice(row).map(|created: Created| (created.created_at, created.id))
}

/// The keys of a row: its own, and those of its entries in the order of the list.
pub(crate) fn keys_of<R: Row>(partition: Uuid, row: &R) -> (Key, impl Iterator<Item = Key>) {
    let mut entries = entries_of(partition, row);
    let entry = R::IN_ORDER.and_then(|_| entries.next());
    let own = match &entry {
        None => placed(partition, row, R::ROWS, &[]),
        Some(entry) => {
            let id = entry.len() - ID_LEN;
            [&key(partition, R::ROWS, &[]), &entry[id..]]
                .concat()
                .into()
        }
    };
    (own, entry.into_iter().chain(entries))
}

/// The keys of a row's entries in the order of the list.
pub(super) fn entries_of<R: Row>(partition: Uuid, row: &R) -> impl Iterator<Item = Key> {
    let all = R::IN_ORDER.map(|index| placed(partition, row, index, &[]));
    let grouped = row.group();
    let grouped = grouped.map(|(family, id)| placed(partition, row, family, &[Part::Id(id)]));
    all.into_iter().chain(grouped)
}

/// A key that ends with the row's place in the list.
fn placed<R: Row>(partition: Uuid, row: &R, family: Family, parts: &[Part<'_>]) -> Key {
    let mut key = key(partition, family, parts).into_vec();
    // With room to spare it would be copied once more.
    key.reserve_exact(R::Key::LEN);
    row.key().write(&mut key);
    key.into_boxed_slice()
}

/// The length of the id that ends the key of an index entry.
pub(super) const ID_LEN: usize = 16;
