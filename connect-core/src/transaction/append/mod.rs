//! Writing, replacing and removing rows of a kind, and their numbers.

use uuid::Uuid;

use super::{
    Fault, Row, Store, TimeKey, UnitOfWork,
    keys::{Family, KeyPart, key},
    keys_of,
    row::entries_of,
};
use crate::storage::{Read, Value};

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

impl Store {
    /// The row with this id.
    /// `by_id` is the index from ids to rows, for rows stored under another key.
    pub(crate) async fn row_by_id<R: Row>(
        &self,
        partition: Uuid,
        id: Uuid,
        by_id: Option<Family>,
    ) -> Result<Option<Value>, Fault> {
        let Some(by_id) = by_id else {
            return self.get(&key(partition, R::ROWS, &[KeyPart::Id(id)])).await;
        };
        let (entry, rows) = (
            key(partition, by_id, &[KeyPart::Id(id)]),
            key(partition, R::ROWS, &[]),
        );
        let follow = Read::Follow {
            key: &entry,
            rows: &rows,
        };
        match self.read(&[follow]).await?.followed()? {
            None => Ok(None),
            Some((_, Some(row))) => Ok(Some(row)),
            Some((_, None)) => Err(Fault::corrupt(&entry, "an index entry without its row")),
        }
    }
}

#[cfg(test)]
mod tests;
