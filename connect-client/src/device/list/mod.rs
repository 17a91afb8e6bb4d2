//! A list of rows, the same on disk as in memory.
//!
//! Rows are appended to a file, and marked and removed in place, so that a full disk does not prevent
//! their delivery. The list relies on a property also used by databases: overwriting bytes leaves their
//! neighbours intact, even at a power failure.

use std::{
    collections::VecDeque,
    fs,
    path::{Path, PathBuf},
};

use serde::{Serialize, de::DeserializeOwned};
use uuid::Uuid;

use super::{
    disk::{self, Disk, disk_error},
    error::QueueError,
    line::{self, State},
};
use crate::wire::Timestamp;

/// A row with a key.
pub(super) trait Keyed {
    fn key(&self) -> Uuid;
}

/// Rows in the order of their addition.
pub(super) struct DiskList<T> {
    rows: VecDeque<StoredItem<T>>,
    path: PathBuf,
    disk: Box<dyn Disk>,
    /// The length of the file's complete lines, in bytes.
    length: u64,
}

/// A row of the list.
#[derive(Clone, Debug)]
pub(super) struct StoredItem<T> {
    pub(super) row: T,
    /// The time of its first sending without a conclusive answer.
    pub(super) sent_at: Option<Timestamp>,
    /// The offset of its line.
    at: u64,
}

impl<T: Keyed + Serialize + DeserializeOwned> DiskList<T> {
    /// Opens the list in this file, or makes an empty one.
    /// The file is rewritten without its removed rows, if the disk has room for it. The caller syncs
    /// the folder.
    pub(super) fn open(path: PathBuf) -> Result<Self, QueueError> {
        let failed = |source| disk_error(&path, source);
        let mut file = disk::open(&path).map_err(failed)?;
        let bytes = fs::read(&path).map_err(failed)?;
        let found = ReadItems::<T>::read(&path, &bytes)?;
        if found.kept.len() < found.length
            && let Ok(file) = disk::replace(&path, &found.kept)
        {
            let found = ReadItems::read(&path, &found.kept)?;
            return Ok(Self::over(path, file, found));
        }
        // A process that was killed may have left lines that are not on disk yet, and an incomplete one.
        file.cut(found.length as u64).map_err(failed)?;
        Ok(Self::over(path, file, found))
    }

    /// An empty list in an empty file.
    #[cfg(test)]
    pub(super) fn new(path: PathBuf, disk: impl Disk + 'static) -> Self {
        Self::over(path, disk, ReadItems::new())
    }

    /// The list of the rows found in a file.
    fn over(path: PathBuf, disk: impl Disk + 'static, found: ReadItems<T>) -> Self {
        Self {
            rows: found.rows,
            path,
            disk: Box::new(disk),
            length: found.length as u64,
        }
    }

    /// The rows.
    pub(super) fn rows(&self) -> &VecDeque<StoredItem<T>> {
        &self.rows
    }

    /// Adds a row at the end. It is on disk once this returns.
    pub(super) fn push(&mut self, row: T) -> Result<(), QueueError> {
        let line = line::line(&row)?;
        let at = self.length;
        if let Err(error) = self.disk.write(at, &line) {
            // If this fails too, the next row overwrites the rest, or the next start cuts it off.
            self.disk.cut(at).ok();
            return Err(disk_error(&self.path, error));
        }
        self.length += line.len() as u64;
        self.rows.push_back(StoredItem {
            row,
            sent_at: None,
            at,
        });
        Ok(())
    }

    /// Sets the time of the first sending of the row with this key.
    pub(super) fn mark(&mut self, key: Uuid, sent_at: Option<Timestamp>) -> Result<(), QueueError> {
        let Some(kept) = self.rows.iter_mut().find(|kept| kept.row.key() == key) else {
            return Ok(());
        };
        let written = self.disk.write(kept.at, line::state(sent_at).as_bytes());
        written.map_err(|error| disk_error(&self.path, error))?;
        kept.sent_at = sent_at;
        Ok(())
    }

    /// Removes the row with this key, and returns whether it was there.
    /// After an error it is gone, but reappears at the next start.
    pub(super) fn remove(&mut self, key: Uuid) -> Result<bool, QueueError> {
        let place = self.rows.iter().position(|kept| kept.row.key() == key);
        let Some(removed) = place.and_then(|place| self.rows.remove(place)) else {
            return Ok(false);
        };
        let done = if self.rows.is_empty() {
            // The file would grow for ever otherwise.
            let cut = self.disk.cut(0);
            // After an error it may have been cut all the same: a row must not be written behind a
            // gap.
            if let Ok(length) = self.disk.length() {
                self.length = self.length.min(length);
            }
            cut
        } else {
            self.disk.write(removed.at, line::REMOVED)
        };
        done.map_err(|error| disk_error(&self.path, error))?;
        Ok(true)
    }
}

/// The content of a file.
struct ReadItems<T> {
    rows: VecDeque<StoredItem<T>>,
    /// The length of the complete lines.
    length: usize,
    /// The lines without the removed ones.
    kept: Vec<u8>,
}

impl<T: DeserializeOwned> ReadItems<T> {
    fn new() -> Self {
        Self {
            rows: VecDeque::new(),
            length: 0,
            kept: Vec::new(),
        }
    }

    /// Reads a file.
    /// An incomplete last line is left out: the device stopped while writing it, and its push never
    /// returned.
    fn read(path: &Path, bytes: &[u8]) -> Result<Self, QueueError> {
        let mut found = Self::new();
        let lines = bytes.split_inclusive(|byte| *byte == b'\n');
        for (text, line) in lines.zip(1..) {
            let at = found.length;
            match line::read(text) {
                Some((State::Kept(sent_at), json)) => {
                    let row = serde_json::from_str(json).map_err(|source| {
                        let path = path.to_owned();
                        QueueError::Unreadable { path, line, source }
                    })?;
                    let at = at as u64;
                    found.rows.push_back(StoredItem { row, sent_at, at });
                    found.kept.extend_from_slice(text);
                }
                Some((State::Removed, _)) => {}
                None if at + text.len() == bytes.len() => break,
                None => {
                    let path = path.to_owned();
                    return Err(QueueError::Damaged { path, line });
                }
            }
            found.length += text.len();
        }
        Ok(found)
    }
}

#[cfg(test)]
mod tests;
