//! Kinds of rows: where they lie, and the order in which they are listed.

use serde::{Deserialize, Serialize};
use uuid::Uuid;

use super::{
    Change, Record, SortKey, Unit,
    keys::{Family, key},
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
        #[derive(Deserialize)]
        #[serde(rename_all = "camelCase")]
        struct Changed {
            id: Uuid,
            updated_at: Timestamp,
        }
        serde_json::from_slice(row).map(|changed: Changed| (changed.updated_at, changed.id))
    }
}

/// The keys of a row: its own, and that of its entry in the order of the list, if it has one.
fn keys_of<R: Row>(partition: Uuid, row: &R) -> (Key, Option<Key>) {
    let placed = |family| {
        let mut key = key(partition, family, &[]).into_vec();
        row.key().write(&mut key);
        key.into_boxed_slice()
    };
    let Some(index) = R::IN_ORDER else {
        return (placed(R::ROWS), None);
    };
    let entry = placed(index);
    let id = entry.len() - ID_LEN;
    let row = [&key(partition, R::ROWS, &[]), &entry[id..]].concat();
    (row.into(), Some(entry))
}

/// The length of the id that ends the key of an index entry.
pub(super) const ID_LEN: usize = 16;

impl Unit<'_> {
    /// Writes a row that is new, or one in place of another with the same keys.
    pub(crate) fn append<R: Row>(&mut self, row: &R) {
        let value = self.json(row);
        let (key, entry) = keys_of(self.partition(), row);
        if let Some(entry) = entry {
            self.put_index(entry, value.clone());
        }
        self.put(key, value);
    }

    /// Removes a row that was [appended](Self::append), without a trace.
    pub(crate) fn withdraw<R: Row>(&mut self, row: &R) {
        let (key, entry) = keys_of(self.partition(), row);
        if let Some(entry) = entry {
            self.delete(entry);
        }
        self.delete(key);
    }

    /// The next number of a kind of row at this location: 1, 2, 3, ... in the order of the commits,
    /// without gaps. What is rolled back gives its numbers back.
    pub(crate) fn next_number(&mut self, rows: Family) -> u64 {
        let last = self.clock_mut().last_number_mut(rows);
        *last += 1;
        *last
    }
}

#[cfg(test)]
mod tests;
