//! Reading without a unit of work: one record, or the records after a point in change order.

use uuid::Uuid;

use super::{
    Fault, Table,
    keys::{self, Family, Part, after_prefix, change_of, key},
    table::{pointer, row_key},
};
use crate::{
    storage::{Key, Range, Storage, Value},
    wire::Timestamp,
};

/// Where a list goes on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Position {
    /// At this time, inclusive.
    From(Timestamp),
    /// After this record.
    After(Timestamp, Uuid),
}

/// A row with its place in change order.
pub(crate) type Row = ((Timestamp, Uuid), Value);

/// The records of one partition.
#[derive(Clone, Copy)]
pub(crate) struct Records<'s> {
    storage: &'s dyn Storage,
    partition: Uuid,
}

/// How often a reader that follows an index starts again because writers moved the rows.
const ATTEMPTS: usize = 64;

/// After how many of them it asks the writers to wait.
const PATIENCE: usize = 4;

impl<'s> Records<'s> {
    pub(crate) fn of(storage: &'s dyn Storage, partition: Uuid) -> Self {
        Self { storage, partition }
    }

    async fn get(&self, key: &Key) -> Result<Option<Value>, Fault> {
        Ok(self.storage.get(&[key]).await?.pop().flatten())
    }

    /// The row of the record with this id.
    pub(crate) async fn find(&self, table: Table, id: Uuid) -> Result<Option<Value>, Fault> {
        let by_id = key(self.partition, table.by_id, &[Part::Id(id)]);
        for _ in 0..ATTEMPTS {
            let Some(time) = self.get(&by_id).await? else {
                return Ok(None);
            };
            let row_key = row_key(self.partition, table.rows, pointer(&by_id, &time)?, id);
            if let Some(row) = self.get(&row_key).await? {
                return Ok(Some(row));
            }
            // The record was changed between the two reads and now lives under a later key.
        }
        Err(Fault::Busy)
    }

    /// The row of the record that a unique index holds for `text`.
    pub(crate) async fn find_unique(
        &self,
        table: Table,
        family: Family,
        text: &str,
    ) -> Result<Option<Row>, Fault> {
        let unique = key(self.partition, family, &[Part::Text(text)]);
        let Some(id) = self.get(&unique).await? else {
            return Ok(None);
        };
        let id = Uuid::from_slice(&id).map_err(|e| Fault::corrupt(&unique, e))?;
        let by_id = key(self.partition, table.by_id, &[Part::Id(id)]);
        let Some(time) = self.get(&by_id).await? else {
            return Ok(None);
        };
        let time = pointer(&by_id, &time)?;
        let row = self
            .get(&row_key(self.partition, table.rows, time, id))
            .await?;
        Ok(row.map(|row| ((time, id), row)))
    }

    /// At most `limit` rows of `family` from `position` on.
    pub(crate) async fn rows(
        &self,
        family: Family,
        position: Position,
        limit: usize,
    ) -> Result<Vec<Row>, Fault> {
        self.scan(&key(self.partition, family, &[]), position, limit)
            .await
    }

    /// At most `limit` rows that an index lists under `part`, from `position` on.
    pub(crate) async fn indexed(
        &self,
        table: Table,
        family: Family,
        part: Part<'_>,
        position: Position,
        limit: usize,
    ) -> Result<Vec<Row>, Fault> {
        let prefix = key(self.partition, family, &[part]);
        let listed = self.scan(&prefix, position, limit).await?;
        let rows = listed
            .iter()
            .map(|((time, id), _)| row_key(self.partition, table.rows, *time, *id));
        let keys: Vec<Key> = rows.collect();
        let asked: Vec<&[u8]> = keys.iter().map(|key| &**key).collect();
        let values = self.storage.get(&asked).await?;
        Ok(listed
            .iter()
            .zip(values)
            .filter_map(|((at, _), row)| Some((*at, row?)))
            .collect())
    }

    async fn scan(
        &self,
        prefix: &[u8],
        position: Position,
        limit: usize,
    ) -> Result<Vec<Row>, Fault> {
        let mut from = prefix.to_vec();
        match position {
            Position::From(time) => from.extend_from_slice(&keys::time_bytes(time)),
            Position::After(time, id) => {
                from.extend_from_slice(&keys::time_bytes(time));
                from.extend_from_slice(id.as_bytes());
                // The next key in order: this one with a zero byte behind it.
                from.push(0);
            }
        }
        let end = after_prefix(prefix);
        let entries = self
            .storage
            .scan(
                Range {
                    from: &from,
                    to: Some(&end),
                },
                limit,
            )
            .await?;
        let row = |(key, value): (Key, Value)| {
            let change = change_of(&key).ok_or_else(|| Fault::corrupt(&key, "not a change key"))?;
            Ok((change, value))
        };
        entries.into_iter().map(row).collect()
    }

    /// Starts a look at several rows that have to be of one state.
    pub(crate) async fn look(&self) -> Result<Look<'s>, Fault> {
        let clock = key(self.partition, Family::Clock, &[]);
        Ok(Look {
            records: *self,
            seen: self.get(&clock).await?,
            clock,
            left: ATTEMPTS,
        })
    }
}

/// A look at several rows, one after another, that counts only when the location's clock stood
/// still meanwhile.
pub(crate) struct Look<'s> {
    records: Records<'s>,
    clock: Key,
    seen: Option<Value>,
    left: usize,
}

impl Look<'_> {
    /// Whether all that was read since the look began, or since this was last asked, was one
    /// state. If not, read again.
    pub(crate) async fn saw_one_state(&mut self) -> Result<bool, Fault> {
        let now = self.records.get(&self.clock).await?;
        let same = now == self.seen;
        self.seen = now;
        self.left = self.left.checked_sub(1).ok_or(Fault::Busy)?;
        Ok(same)
    }

    /// Whether writers were faster so often that a reader had better stop them for a moment.
    pub(crate) fn is_losing(&self) -> bool {
        self.left < ATTEMPTS - PATIENCE
    }
}
