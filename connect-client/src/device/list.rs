//! A list of rows that is on disk as it is in memory.

use std::{collections::VecDeque, path::PathBuf};

use serde::{Deserialize, Serialize, de::DeserializeOwned};
use uuid::Uuid;

use super::{error::QueueError, log::Log};

/// A row that is known by its key.
pub(super) trait Keyed {
    fn key(&self) -> Uuid;
}

/// Rows in the order in which they were added.
pub(super) struct DiskList<T> {
    rows: VecDeque<T>,
    log: Log,
}

/// A line of its file.
#[derive(Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
enum Entry<T> {
    Added(T),
    /// The row with this key, as it is now.
    Changed(T),
    Removed(Uuid),
}

impl<T: Keyed + Clone + Serialize + DeserializeOwned> DiskList<T> {
    /// Opens the list in this file, and makes the file as short as it can be.
    pub(super) fn open(path: PathBuf) -> Result<Self, QueueError> {
        let (mut log, entries) = Log::open(path)?;
        let written = entries.len();
        let mut rows = VecDeque::<T>::new();
        for entry in entries {
            match entry {
                Entry::Added(row) => rows.push_back(row),
                Entry::Changed(row) => put(&mut rows, row),
                Entry::Removed(key) => rows.retain(|row| row.key() != key),
            }
        }
        if rows.len() < written {
            let entries: Vec<_> = rows.iter().cloned().map(Entry::Added).collect();
            log.replace(&entries)?;
        }
        Ok(Self { rows, log })
    }

    /// The rows.
    pub(super) fn rows(&self) -> &VecDeque<T> {
        &self.rows
    }

    /// Adds a row at the end, unless one with its key is there.
    pub(super) fn push(&mut self, row: T) -> Result<(), QueueError> {
        if self.rows.iter().all(|kept| kept.key() != row.key()) {
            let entry = Entry::Added(row);
            self.log.append(&entry)?;
            if let Entry::Added(row) = entry {
                self.rows.push_back(row);
            }
        }
        Ok(())
    }

    /// Writes a row in place of the one with its key.
    pub(super) fn change(&mut self, row: T) -> Result<(), QueueError> {
        let entry = Entry::Changed(row);
        self.log.append(&entry)?;
        if let Entry::Changed(row) = entry {
            put(&mut self.rows, row);
        }
        Ok(())
    }

    /// Removes the row with this key. Returns whether it was there.
    pub(super) fn remove(&mut self, key: Uuid) -> Result<bool, QueueError> {
        let Some(place) = self.rows.iter().position(|row| row.key() == key) else {
            return Ok(false);
        };
        if self.rows.len() == 1 {
            // The file would grow for ever otherwise.
            self.log.clear()?;
        } else {
            self.log.append(&Entry::<T>::Removed(key))?;
        }
        self.rows.remove(place);
        Ok(true)
    }
}

/// Puts a row in the place of the one with its key.
fn put<T: Keyed>(rows: &mut VecDeque<T>, row: T) {
    if let Some(old) = rows.iter_mut().find(|old| old.key() == row.key()) {
        *old = row;
    }
}

#[cfg(test)]
mod tests;
