//! One setter per record: it writes a row together with all its indexes.

use serde::{Serialize, de::DeserializeOwned};
use smallvec::SmallVec;
use uuid::Uuid;

use super::{
    Fault, Unit,
    keys::{Family, Part, key},
};
use crate::{
    storage::{Key, Value},
    wire::{Timestamp, Tombstone},
};

/// An entry of a record in one of its indexes.
#[derive(PartialEq, Eq)]
pub enum Index<'a> {
    /// At most one record has this text, which stands in the named field: another that is given it
    /// is refused. The entry holds the record's id.
    Unique(Family, &'static str, &'a str),
    /// The records with this text, of which there are few: read them all and sort them.
    Holders(Family, &'a str),
    /// The records with this reference, in change order.
    ByChange(Family, Uuid),
}

/// A record that lives under its id and is listed by `updatedAt`.
pub trait Record: Serialize + DeserializeOwned + Send + Sync {
    /// The rows, under their ids.
    const ROWS: Family;
    /// The index of all rows in the order in which they last changed.
    const BY_CHANGE: Family;
    /// The tombstones of deleted records, in the order of their deletion.
    const TOMBSTONES: Family;

    /// The record's id.
    fn id(&self) -> Uuid;

    /// When it last changed.
    fn updated_at(&self) -> Timestamp;

    /// Says that it changed at this time.
    fn set_updated_at(&mut self, time: Timestamp);

    /// Every index entry of the record besides that of [`BY_CHANGE`](Self::BY_CHANGE).
    fn indexes(&self) -> SmallVec<[Index<'_>; 4]>;
}

/// The key of an entry in change order.
pub(crate) fn change_key(partition: Uuid, family: Family, time: Timestamp, id: Uuid) -> Key {
    key(partition, family, &[Part::Time(time), Part::Id(id)])
}

impl Index<'_> {
    /// The key of this entry of the record with this id, at the time of its last change.
    pub(crate) fn key(&self, partition: Uuid, time: Timestamp, id: Uuid) -> Key {
        let [time, id] = [Part::Time(time), Part::Id(id)];
        match self {
            Self::Unique(family, _, text) => key(partition, *family, &[Part::Text(text)]),
            Self::Holders(family, text) => key(partition, *family, &[Part::Text(text), id]),
            Self::ByChange(family, other) => key(partition, *family, &[Part::Id(*other), time, id]),
        }
    }

    /// Returns whether the entry moves with each change of its record.
    fn is_by_change(&self) -> bool {
        matches!(self, Self::ByChange(..))
    }
}

/// Parses a row in wire form.
fn parsed<T: DeserializeOwned>(key: &[u8], row: &[u8]) -> Result<T, Fault> {
    // One look at the whole text costs less than one at each of its strings.
    let text = std::str::from_utf8(row).map_err(|e| Fault::corrupt(key, e))?;
    serde_json::from_str(text).map_err(|e| Fault::corrupt(key, e))
}

impl Unit<'_> {
    /// The record with this id.
    pub(crate) async fn find<T: Record>(&mut self, id: Uuid) -> Result<Option<T>, Fault> {
        let row_key = key(self.partition(), T::ROWS, &[Part::Id(id)]);
        let row = self.get(&row_key).await?;
        row.map(|row| parsed(&row_key, &row)).transpose()
    }

    /// The id that a unique index holds for `text`.
    pub(crate) async fn find_unique(
        &mut self,
        family: Family,
        text: &str,
    ) -> Result<Option<Uuid>, Fault> {
        let key = key(self.partition(), family, &[Part::Text(text)]);
        let id = self.get(&key).await?;
        id.map(|id| Uuid::from_slice(&id).map_err(|e| Fault::corrupt(&key, e)))
            .transpose()
    }

    /// Writes `new` in place of `old`, with all indexes. `new.updated_at()` is this operation's
    /// [`time`](Unit::time).
    pub(crate) fn save<T: Record>(&mut self, old: Option<&T>, new: &T) {
        let (partition, id, time) = (self.partition(), new.id(), new.updated_at());
        let row = self.json(new);
        self.put(key(partition, T::ROWS, &[Part::Id(id)]), row.clone());
        let new_indexes = new.indexes();
        let old_indexes = old.map(T::indexes).unwrap_or_default();
        if let Some(old_time) = old.map(T::updated_at) {
            if old_time != time {
                self.delete(change_key(partition, T::BY_CHANGE, old_time, id));
            }
            for index in &old_indexes {
                let moves = index.is_by_change() && old_time != time;
                if moves || !new_indexes.contains(index) {
                    self.delete(index.key(partition, old_time, id));
                }
            }
        }
        for index in &new_indexes {
            let entry = index.key(partition, time, id);
            if index.is_by_change() {
                self.put_index(entry, row.clone());
            } else if !old_indexes.contains(index) {
                let held = match index {
                    Index::Unique(..) => Value::from(id.as_bytes().as_slice()),
                    _ => Value::default(),
                };
                self.put(entry, held);
            }
        }
        self.put_index(change_key(partition, T::BY_CHANGE, time, id), row);
    }

    /// Removes a record with all its indexes, and leaves a tombstone.
    pub(crate) fn remove<T: Record>(&mut self, old: &T) {
        let (partition, id, time) = (self.partition(), old.id(), self.time());
        for index in old.indexes() {
            self.delete(index.key(partition, old.updated_at(), id));
        }
        self.delete(change_key(partition, T::BY_CHANGE, old.updated_at(), id));
        self.delete(key(partition, T::ROWS, &[Part::Id(id)]));
        let tombstone = self.json(&Tombstone {
            id,
            deleted: true,
            updated_at: time,
        });
        self.put(change_key(partition, T::TOMBSTONES, time, id), tombstone);
    }
}
