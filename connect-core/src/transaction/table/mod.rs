//! Rows of a unit of work: found by their ids, and written and removed with all their indexes.
//! Records have the indexes declared by their kind; other rows are in the order of their list.

use std::iter;

use serde::{Serialize, de::DeserializeOwned};
use uuid::Uuid;

use super::{
    Fault, IndexKind, Indexed, ReadKey, Record, Relations, Row, Stored, TimeKey, UnitOfWork,
    another,
    keys::{Family, KeyPart, key},
    keys_of,
    row::entries_of,
};
use crate::{
    storage::{Key, Value},
    wire::{Timestamp, Tombstone},
};

/// The key of an entry in change order.
pub(crate) fn change_key(partition: Uuid, family: Family, time: Timestamp, id: Uuid) -> Key {
    key(partition, family, &[KeyPart::Time(time), KeyPart::Id(id)])
}

/// The index entries of a record, without the one in change order.
/// Each comes with its value.
fn entries<T: Record>(partition: Uuid, record: &T) -> impl Iterator<Item = (Key, Value)> {
    let id = record.id().uuid();
    let indexed = T::INDEXES.iter().filter_map(move |index| {
        let held = match index.kind {
            IndexKind::Unique => Value::from(id.as_bytes().as_slice()),
            IndexKind::Holders | IndexKind::ByChange => Value::default(),
        };
        Some((index.entry(partition, record)?, held))
    });
    let references = T::REFERENCES.iter();
    let referring = references.flat_map(move |reference| reference.keys(partition, record));
    let words = T::WORDS.map(|index| index.keys(partition, record));
    let empty = referring.chain(words.into_iter().flatten());
    indexed.chain(empty.map(|key| (key, Value::default())))
}

impl<R: Record> Stored for R {
    const FAMILY: Family = <R as Record>::ROWS;
    const RECORD: Option<Family> = Some(Self::FAMILY);
    const WORD_ENTRIES: Option<Family> = match &R::WORDS {
        Some(index) => Some(index.family),
        None => None,
    };

    fn relations(&self, at: &ReadKey) -> Relations {
        let (id, time) = (self.id().uuid(), self.updated_at());
        // Even a row with another record has the entry of its key.
        let changed = change_key(at.partition, R::BY_CHANGE, time, at.id().unwrap_or(id));
        let changed = (changed, Value::default());
        let references = R::REFERENCES.iter().flat_map(|reference| {
            let ids = reference.ids(self);
            ids.map(|other| (reference.rows, reference.name, other))
        });
        Relations {
            misplaced: another(id, "record", at),
            name: format!("{} {id}", Self::FAMILY.name().to_lowercase()),
            changed_at: Some(time),
            entries: iter::once(changed)
                .chain(entries(at.partition, self))
                .collect(),
            references: references.collect(),
        }
    }
}

/// Parses a row in wire form.
fn parsed<T: DeserializeOwned>(key: &[u8], row: &[u8]) -> Result<T, Fault> {
    // One look at the whole text costs less than one at each of its strings.
    let text = std::str::from_utf8(row).map_err(|e| Fault::corrupt(key, e))?;
    serde_json::from_str(text).map_err(|e| Fault::corrupt(key, e))
}

impl UnitOfWork<'_> {
    /// The record, or the row, with this id.
    pub(crate) async fn find<T: Row + DeserializeOwned>(
        &mut self,
        id: Uuid,
    ) -> Result<Option<T>, Fault> {
        let row_key = key(self.partition(), T::ROWS, &[KeyPart::Id(id)]);
        let row = self.get(&row_key).await?;
        row.map(|row| parsed(&row_key, &row)).transpose()
    }

    /// The id under a value of a unique index.
    pub(crate) async fn find_unique(
        &mut self,
        family: Family,
        value: Indexed<'_>,
    ) -> Result<Option<Uuid>, Fault> {
        let key = key(self.partition(), family, &[value.part()]);
        let id = self.get(&key).await?;
        id.map(|id| Uuid::from_slice(&id).map_err(|e| Fault::corrupt(&key, e)))
            .transpose()
    }

    /// The same, if known without another round trip.
    pub(crate) fn known_unique(&self, family: Family, value: Indexed<'_>) -> Option<Uuid> {
        let key = key(self.partition(), family, &[value.part()]);
        Uuid::from_slice(&self.known(&key)??).ok()
    }

    /// Writes a row with the entries that follow from it. They never move.
    pub(crate) fn put_stored<T: Stored + Serialize>(&mut self, key: Key, row: &T) {
        let value = self.json(row);
        let at = ReadKey::of(&key).into_iter();
        for (entry, held) in at.flat_map(|at| row.relations(&at).entries) {
            self.put(entry, held);
        }
        self.put(key, value);
    }

    /// Writes `new` in place of `old`, with all indexes.
    /// `new.updated_at()` is this operation's [`time`](UnitOfWork::time).
    pub(crate) fn save<T: Record>(&mut self, old: Option<&T>, new: &T) {
        let (partition, id, time) = (self.partition(), new.id().uuid(), new.updated_at());
        let row = self.json(new);
        let own = key(partition, T::ROWS, &[KeyPart::Id(id)]);
        match old {
            Some(_) => self.put(own, row.clone()),
            None => self.put_new(own, row.clone()),
        }
        let moved_from = old.map(T::updated_at).filter(|old_time| *old_time != time);
        if let Some(old_time) = moved_from {
            self.delete(change_key(partition, T::BY_CHANGE, old_time, id));
        }
        for index in T::INDEXES {
            let (before, now) = (old.and_then(index.of_record), (index.of_record)(new));
            let is_by_change = index.kind == IndexKind::ByChange;
            if (before != now || (is_by_change && moved_from.is_some()))
                && let Some(entry) = old.and_then(|old| index.entry(partition, old))
            {
                self.delete(entry);
            }
            let Some(value) = now else { continue };
            let entry = index.key(partition, value, time, id);
            match index.kind {
                IndexKind::ByChange => self.put_index(entry, row.clone()),
                _ if before == now => {}
                IndexKind::Holders => self.put_new(entry, Value::default()),
                IndexKind::Unique => {
                    self.put_new(entry, Value::from(id.as_bytes().as_slice()));
                }
            }
        }
        for reference in T::REFERENCES {
            if old.is_some_and(|old| reference.ids(old).eq(reference.ids(new))) {
                continue;
            }
            let keys = |record| reference.keys(partition, record);
            let before = old.into_iter().flat_map(keys).collect();
            self.move_entries(before, keys(new).collect());
        }
        if let Some(index) = T::WORDS
            && old.is_none_or(|old| (index.of_record)(old) != (index.of_record)(new))
        {
            let before = old.map(|old| index.keys(partition, old));
            self.move_entries(before.unwrap_or_default(), index.keys(partition, new));
        }
        self.put_index(change_key(partition, T::BY_CHANGE, time, id), row);
    }

    /// Replaces entries without values.
    fn move_entries(&mut self, before: Vec<Key>, now: Vec<Key>) {
        for gone in before.iter().filter(|key| !now.contains(key)) {
            self.delete(gone.clone());
        }
        for entry in now.into_iter().filter(|key| !before.contains(key)) {
            self.put_new(entry, Value::default());
        }
    }

    /// Writes `old` with some fields changed, at this operation's [`time`](UnitOfWork::time).
    pub(crate) fn update_with<T: Record + Clone>(&mut self, old: &T, amend: impl FnOnce(&mut T)) {
        let mut new = old.clone();
        amend(&mut new);
        new.set_updated_at(self.time());
        self.save(Some(old), &new);
    }

    /// Removes a record with all its indexes, and leaves a tombstone.
    pub(crate) fn remove<T: Record>(&mut self, old: &T) {
        let (partition, id) = (self.partition(), old.id().uuid());
        for (entry, _) in entries(partition, old) {
            self.delete(entry);
        }
        self.delete(change_key(partition, T::BY_CHANGE, old.updated_at(), id));
        self.delete(key(partition, T::ROWS, &[KeyPart::Id(id)]));
        self.leave_tombstone(T::TOMBSTONES, id);
    }

    /// Writes the tombstone of a record deleted by this operation.
    pub(crate) fn leave_tombstone(&mut self, tombstones: Family, id: Uuid) {
        let time = self.time();
        let tombstone = self.json(&Tombstone {
            id,
            deleted: true,
            updated_at: time,
        });
        self.put_new(
            change_key(self.partition(), tombstones, time, id),
            tombstone,
        );
    }
}

/// Rows other than records, without declared indexes.
impl UnitOfWork<'_> {
    /// Writes a new row. Returns it as stored.
    pub(crate) fn append<R: Row>(&mut self, row: &R) -> Value {
        self.replace(None, row)
    }

    /// Writes `new` in place of `old`. Returns it as stored.
    /// Both have the same id, but may have different places in the list.
    pub(crate) fn replace<R: Row>(&mut self, old: Option<&R>, new: &R) -> Value {
        let value = self.json(new);
        let (key, entries) = keys_of(self.partition(), new);
        if let Some(old) = old {
            let former = entries_of(self.partition(), old);
            former.for_each(|entry| self.delete(entry));
        }
        for entry in entries {
            self.put_index(entry, value.clone());
        }
        match old {
            Some(_) => self.put(key, value.clone()),
            None => self.put_new(key, value.clone()),
        }
        value
    }

    /// Removes an [appended](Self::append) row, without a tombstone.
    pub(crate) fn remove_row<R: Row>(&mut self, row: &R) {
        let (key, entries) = keys_of(self.partition(), row);
        entries.for_each(|entry| self.delete(entry));
        self.delete(key);
    }

    /// Removes a row, and leaves a tombstone if its kind has them.
    pub(crate) fn tombstone<R: Row<Key = TimeKey>>(&mut self, row: &R) {
        self.remove_row(row);
        if let Some(tombstones) = R::TOMBSTONES {
            self.leave_tombstone(tombstones, row.key().1);
        }
    }

    /// The next number of a kind of row at this location.
    /// Numbers are 1, 2, 3, ... in the order of the commits, without gaps: a rollback returns its
    /// numbers.
    pub(crate) fn next_number(&mut self, rows: Family) -> u64 {
        let last = self.clock_mut().last_number_mut(rows);
        *last += 1;
        *last
    }
}

#[cfg(test)]
mod tests;
