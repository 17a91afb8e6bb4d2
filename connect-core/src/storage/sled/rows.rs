//! Reading rows from sled's tree as it is now, split values put together again.

use sled::{Db, IVec};

use super::layout::{self, Stored};
use crate::storage::{Entry, Range, StorageError, Value};

/// The database, seen as rows.
pub(super) struct Rows {
    pub(super) db: Db,
}

impl Rows {
    /// The value of a key. `buffer` is room for sled's key.
    pub(super) fn get(
        &self,
        key: &[u8],
        buffer: &mut Vec<u8>,
    ) -> Result<Option<Value>, StorageError> {
        match self
            .db
            .get(layout::row_key(key, buffer))
            .map_err(StorageError::new)?
        {
            Some(stored) => self.value(key, &stored).map(Some),
            None => Ok(None),
        }
    }

    /// The entries of a range that is not empty, in key order.
    pub(super) fn scan(
        &self,
        range: Range<'_>,
    ) -> impl Iterator<Item = Result<Entry, StorageError>> + '_ {
        let mut from = Vec::new();
        layout::row_key(range.from, &mut from);
        let to = range.to.map_or_else(layout::rows_end, |to| {
            let mut buffer = Vec::new();
            layout::row_key(to, &mut buffer);
            buffer
        });
        self.db
            .range(from..to)
            .map(|found| self.entry(found.map_err(StorageError::new)?))
    }

    fn entry(&self, (row_key, stored): (IVec, IVec)) -> Result<Entry, StorageError> {
        let key = layout::key_of(&row_key);
        Ok((key.into(), self.value(key, &stored)?))
    }

    fn value(&self, key: &[u8], stored: &[u8]) -> Result<Value, StorageError> {
        match layout::decode(stored) {
            Some(Stored::Whole(value)) => Ok(value.into()),
            Some(Stored::Split(len)) => self.join(key, len),
            None => Err(StorageError::new(
                "a row in the sled database cannot be read",
            )),
        }
    }

    fn join(&self, key: &[u8], len: usize) -> Result<Value, StorageError> {
        let mut value = Vec::with_capacity(len);
        let mut buffer = Vec::new();
        for part in 0..layout::parts_of(len) {
            let key = layout::part_key(key, part, &mut buffer);
            match self.db.get(key).map_err(StorageError::new)? {
                Some(bytes) => value.extend_from_slice(&bytes),
                None => break,
            }
        }
        if value.len() == len {
            Ok(value.into())
        } else {
            Err(StorageError::new(
                "a part of a long value is missing in the sled database",
            ))
        }
    }
}
