//! One setter per record: it writes a row together with all its indexes.

use serde::{Serialize, de::DeserializeOwned};
use smallvec::SmallVec;
use uuid::Uuid;

use super::{
    Fault, Unit,
    keys::{Family, Part, key, time_bytes, time_from},
};
use crate::{
    storage::{Key, Value},
    wire::{Timestamp, Tombstone},
};

/// The families in which records of one kind live.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Table {
    /// The rows, under their change keys.
    pub(crate) rows: Family,
    /// From ids to change keys.
    pub(crate) by_id: Family,
    /// What remains of deleted records, under the change keys of their deletion.
    pub(crate) tombstones: Family,
}

/// An entry of a record in one of its indexes.
#[derive(PartialEq, Eq)]
pub(crate) enum Index<'a> {
    /// At most one record has this text; the entry holds the record's id.
    Unique(Family, std::borrow::Cow<'a, str>),
    /// The records with this text, in change order.
    ByText(Family, &'a str),
    /// The records with this reference, in change order.
    ById(Family, Uuid),
}

/// A record that is listed by `updatedAt`.
pub(crate) trait Record: Serialize + DeserializeOwned + Send + Sync {
    /// Where such records live.
    const TABLE: Table;

    /// The record's id.
    fn id(&self) -> Uuid;

    /// When it last changed.
    fn updated_at(&self) -> Timestamp;

    /// Calls `each` with every index entry of the record.
    fn indexes<'a>(&'a self, each: &mut dyn FnMut(Index<'a>));
}

/// The change key of a record.
pub(super) fn row_key(partition: Uuid, family: Family, time: Timestamp, id: Uuid) -> Key {
    key(partition, family, &[Part::Time(time), Part::Id(id)])
}

/// The time that an entry of a `by_id` family holds.
pub(super) fn pointer(key: &[u8], value: &Value) -> Result<Timestamp, Fault> {
    let bytes: [u8; 8] = (**value)
        .try_into()
        .map_err(|_| Fault::corrupt(key, "not a time"))?;
    Ok(time_from(bytes))
}

impl Index<'_> {
    fn is_unique(&self) -> bool {
        matches!(self, Self::Unique(..))
    }

    /// The key of this entry of the record with this id, at the time of its last change.
    fn key(&self, partition: Uuid, time: Timestamp, id: Uuid) -> Key {
        let [time, id] = [Part::Time(time), Part::Id(id)];
        match self {
            Self::Unique(family, text) => key(partition, *family, &[Part::Text(text)]),
            Self::ByText(family, text) => key(partition, *family, &[Part::Text(text), time, id]),
            Self::ById(family, other) => key(partition, *family, &[Part::Id(*other), time, id]),
        }
    }
}

/// The index entries of a record.
fn indexes(record: &impl Record) -> SmallVec<[Index<'_>; 4]> {
    let mut indexes = SmallVec::new();
    record.indexes(&mut |index| indexes.push(index));
    indexes
}

impl Unit<'_> {
    /// The record with this id.
    pub(crate) async fn find<T: Record>(&mut self, id: Uuid) -> Result<Option<T>, Fault> {
        let by_id = key(self.partition(), T::TABLE.by_id, &[Part::Id(id)]);
        let Some(time) = self.get(&by_id).await? else {
            return Ok(None);
        };
        let row_key = row_key(self.partition(), T::TABLE.rows, pointer(&by_id, &time)?, id);
        let row = self.get(&row_key).await?;
        // The clock that the commit expects rules out that the row moved in between for good: at
        // worst this unit is run again.
        row.map(|row| serde_json::from_slice(&row).map_err(|e| Fault::corrupt(&row_key, e)))
            .transpose()
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

    /// Reads ahead, for a batch: the records with these texts in a unique index.
    pub(crate) async fn read_ahead_unique<T: Record>(
        &mut self,
        family: Family,
        texts: impl Iterator<Item = &str>,
    ) -> Result<(), Fault> {
        let partition = self.partition();
        let keys = texts
            .map(|text| key(partition, family, &[Part::Text(text)]))
            .collect();
        let found = self.read_ahead(keys).await?;
        let ids = found.iter().filter_map(|id| Uuid::from_slice(id).ok());
        self.read_ahead_ids::<T>(ids).await
    }

    /// Reads ahead, for a batch: the records with these ids.
    pub(crate) async fn read_ahead_ids<T: Record>(
        &mut self,
        ids: impl Iterator<Item = Uuid>,
    ) -> Result<(), Fault> {
        let partition = self.partition();
        let ids: Vec<Uuid> = ids.collect();
        let keys = ids
            .iter()
            .map(|id| key(partition, T::TABLE.by_id, &[Part::Id(*id)]))
            .collect();
        self.read_ahead(keys).await?;
        let mut rows = Vec::with_capacity(ids.len());
        for id in ids {
            let by_id = key(partition, T::TABLE.by_id, &[Part::Id(id)]);
            if let Some(time) = self.get(&by_id).await? {
                rows.push(row_key(
                    partition,
                    T::TABLE.rows,
                    pointer(&by_id, &time)?,
                    id,
                ));
            }
        }
        self.read_ahead(rows).await.map(drop)
    }

    /// Writes `new` in place of `old`, with all indexes. `new.updated_at()` is this operation's
    /// [`time`](Unit::time).
    pub(crate) fn save<T: Record>(&mut self, old: Option<&T>, new: &T) {
        let (partition, id, time) = (self.partition(), new.id(), new.updated_at());
        let new_indexes = indexes(new);
        let old_indexes = old.map(indexes).unwrap_or_default();
        let old_time = old.map(T::updated_at);
        if let Some(old_time) = old_time.filter(|old_time| *old_time != time) {
            self.delete(row_key(partition, T::TABLE.rows, old_time, id));
        }
        let row = self.json(new);
        self.put(row_key(partition, T::TABLE.rows, time, id), row);
        let by_id = key(partition, T::TABLE.by_id, &[Part::Id(id)]);
        self.put(by_id, Value::from(time_bytes(time).as_slice()));
        // Entries that stay as they are need not be written again. A unique one has no time.
        let stays = |index: &Index<'_>, others: &[Index<'_>]| {
            (index.is_unique() || old_time == Some(time)) && others.contains(index)
        };
        for index in &old_indexes {
            if !stays(index, &new_indexes) {
                self.delete(index.key(partition, old_time.unwrap_or(time), id));
            }
        }
        for index in &new_indexes {
            if !stays(index, &old_indexes) {
                let held = if index.is_unique() {
                    Value::from(id.as_bytes().as_slice())
                } else {
                    nothing()
                };
                self.put(index.key(partition, time, id), held);
            }
        }
    }

    /// Removes a record with all its indexes, and leaves a tombstone.
    pub(crate) fn remove<T: Record>(&mut self, old: &T) {
        let (partition, id, time) = (self.partition(), old.id(), self.time());
        for index in indexes(old) {
            self.delete(index.key(partition, old.updated_at(), id));
        }
        self.delete(row_key(partition, T::TABLE.rows, old.updated_at(), id));
        self.delete(key(partition, T::TABLE.by_id, &[Part::Id(id)]));
        let tombstone = self.json(&Tombstone {
            id,
            deleted: true,
            updated_at: time,
        });
        self.put(row_key(partition, T::TABLE.tombstones, time, id), tombstone);
    }
}

/// The value of an index entry that says all in its key.
fn nothing() -> Value {
    Value::default()
}
