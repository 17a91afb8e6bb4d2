//! Kinds of rows: their keys, and their order in lists.

use serde::{Deserialize, Serialize};
use uuid::Uuid;

use super::{
    Record, SortKey, TimeKey,
    keys::{Family, KeyPart, key},
};
use crate::{storage::Key, wire::Timestamp};

/// A kind of row of a location, listed by its sort key.
///
/// Every [`Record`] is one. Other kinds are written once, such as events, or not written by
/// clients, such as image jobs.
pub trait Row: Serialize {
    /// The sort key of the list.
    type Key: SortKey;
    /// The rows.
    const ROWS: Family;
    /// The index of all rows in list order, for rows under their id.
    /// The sort key then ends with the id. `None` for rows stored under their sort key.
    const IN_ORDER: Option<Family>;
    /// The tombstones of deleted rows in list order, if any.
    const TOMBSTONES: Option<Family>;

    /// The row's place in the list.
    fn key(&self) -> Self::Key;

    /// The index of rows by a common id, and the id.
    /// For example the movements of a product. The parts of its keys are the id and the sort key.
    fn group(&self) -> Option<(Family, Uuid)> {
        None
    }

    /// The place of a stored row in the list.
    ///
    /// # Errors
    /// The value is not such a row.
    fn key_in(row: &[u8]) -> serde_json::Result<Self::Key>;
}

impl<R: Record> Row for R {
    type Key = TimeKey;
    const ROWS: Family = <R as Record>::ROWS;
    const IN_ORDER: Option<Family> = Some(R::BY_CHANGE);
    const TOMBSTONES: Option<Family> = Some(<R as Record>::TOMBSTONES);

    fn key(&self) -> TimeKey {
        (self.updated_at(), self.id().uuid())
    }

    fn key_in(row: &[u8]) -> serde_json::Result<TimeKey> {
        changed_in(row)
    }
}

/// A stored row's place in change order: its `updatedAt` and its id.
pub(crate) fn changed_in(row: &[u8]) -> serde_json::Result<TimeKey> {
    #[derive(Deserialize)]
    #[serde(rename_all = "camelCase")]
    struct ChangeFields {
        id: Uuid,
        updated_at: Timestamp,
    }
    serde_json::from_slice(row).map(|changed: ChangeFields| (changed.updated_at, changed.id))
}

/// A stored row's place in creation order: its `createdAt` and its id.
pub(crate) fn created_in(row: &[u8]) -> serde_json::Result<TimeKey> {
    #[derive(Deserialize)]
    #[serde(rename_all = "camelCase")]
    struct CreationFields {
        id: Uuid,
        created_at: Timestamp,
    }
    serde_json::from_slice(row).map(|created: CreationFields| (created.created_at, created.id))
}

/// The keys of a row and of its entries in list order.
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

/// The keys of a row's index entries in list order.
pub(super) fn entries_of<R: Row>(partition: Uuid, row: &R) -> impl Iterator<Item = Key> {
    let all = R::IN_ORDER.map(|index| placed(partition, row, index, &[]));
    let grouped = row.group();
    let grouped = grouped.map(|(family, id)| placed(partition, row, family, &[KeyPart::Id(id)]));
    all.into_iter().chain(grouped)
}

/// A key ending with the row's place in the list.
fn placed<R: Row>(partition: Uuid, row: &R, family: Family, parts: &[KeyPart<'_>]) -> Key {
    let mut key = key(partition, family, parts).into_vec();
    // With room to spare it would be copied once more.
    key.reserve_exact(R::Key::LEN);
    row.key().write(&mut key);
    key.into_boxed_slice()
}

/// The length of the id at the end of an index key.
pub(super) const ID_LEN: usize = 16;
