//! The queue of a device with interruptions of network and power.

use std::{
    collections::HashSet,
    fmt,
    fs::File,
    path::Path,
    sync::{Mutex, MutexGuard, PoisonError},
    time::SystemTime,
};

use uuid::Uuid;

use super::{
    disk::{self, disk_error},
    error::QueueError,
    list::{DiskList, Keyed},
    refused::RefusedRow,
    row::{DeviceWrite, QueuedRow},
};
use crate::wire::Timestamp;

/// The undelivered rows of one screen, kept in a folder.
///
/// - A row is on disk before [`push`](Self::push) returns, with its idempotency key and, for a journal
///   row, its time.
/// - [`send`](Self::send) delivers rows of all kinds in the order of their pushes, and removes each
///   after the service's acknowledgement. A row sent without an acknowledgement, because the network or
///   the device failed, is sent again with the same key, so that it is applied once. The service
///   remembers a device's key for 7 days. An hour before the end of the 7 days, a row sent without an
///   answer is set aside, since another attempt might write it twice.
/// - A row refused by the service for good is set aside in [`refused`](Self::refused), and delivery
///   continues with the next row.
/// - A row half written when the device stopped is dropped at the next start. Its push had not
///   returned.
/// - A full disk takes no new rows. The waiting rows are still delivered. Setting a row aside needs
///   room on the disk.
///
/// A closing and an order have no time of their own: they get their time of arrival. A row can only
/// refer to ids given by the service, so an order can be changed, and a sale refunded, only after it
/// was [delivered](super::Delivery::delivered).
///
/// A row is set aside like any other if its `createdAt` is too far ahead, because the register's clock
/// was wrong. Neither waiting nor correcting the clock changes that. To correct the row:
///
/// ```no_run
/// # use connect_client::{device::{DeviceQueue, DeviceWrite, RefusedRow}, wire::{Field, Timestamp}};
/// # fn example(queue: DeviceQueue, refused: RefusedRow, time: Timestamp)
/// # -> Result<(), Box<dyn std::error::Error>> {
/// if let DeviceWrite::Transaction(mut row) = refused.row.to_write()? {
///     row.created_at = Field::Value(time);
///     queue.push(*row)?;
///     queue.forget_refused(refused.row.key())?;
/// }
/// # Ok(()) }
/// ```
///
/// The folder holds the rows as readable JSON, and no keys of screens. On Unix a folder made by the
/// queue, and its files, are accessible to their owner only. Only one queue can have it open at a time.
/// Methods may be called from several threads: rows can be pushed while earlier ones are sent. Pushing,
/// sending, acknowledging or setting aside a row waits for the disk, on the calling thread.
pub struct DeviceQueue {
    rows: Mutex<Rows>,
    /// Held while rows are sent or set aside, so each has one outcome.
    pub(super) sending: tokio::sync::Mutex<()>,
    /// Locked as long as the queue is open.
    _lock: File,
}

/// The rows, on disk as in memory.
pub(super) struct Rows {
    pub(super) waiting: DiskList<QueuedRow>,
    refused: DiskList<RefusedRow>,
}

impl Rows {
    /// Moves a row from the waiting to the refused rows.
    pub(super) fn set_aside(&mut self, refused: RefusedRow) -> Result<(), QueueError> {
        let key = refused.row.key();
        // A crash in between leaves it in both, until the next start.
        self.refused.push(refused)?;
        self.waiting.remove(key)?;
        Ok(())
    }

    /// Removes waiting rows left in both lists by a crash.
    fn finish_setting_aside(&mut self) -> Result<(), QueueError> {
        let refused = self.refused.rows().iter().map(|kept| kept.row.key());
        let refused: HashSet<Uuid> = refused.collect();
        let waiting = self.waiting.rows().iter().map(|kept| kept.row.key());
        let both: Vec<Uuid> = waiting.filter(|key| refused.contains(key)).collect();
        for key in both {
            self.waiting.remove(key)?;
        }
        Ok(())
    }
}

impl DeviceQueue {
    /// Opens the queue in a folder, or makes the folder.
    ///
    /// # Errors
    /// The folder is in use, the disk failed, or a file is damaged beyond the effects of a crash.
    pub fn open(folder: impl AsRef<Path>) -> Result<Self, QueueError> {
        let folder = folder.as_ref();
        let lock = disk::lock(folder)?;
        let mut rows = Rows {
            waiting: DiskList::open(folder.join("queue.jsonl"))?,
            refused: DiskList::open(folder.join("refused.jsonl"))?,
        };
        rows.finish_setting_aside()?;
        disk::sync_folder(folder).map_err(|error| disk_error(folder, error))?;
        Ok(Self {
            rows: Mutex::new(rows),
            sending: tokio::sync::Mutex::default(),
            _lock: lock,
        })
    }

    /// Adds a row at the end and returns its idempotency key.
    /// The row is on disk once this returns.
    ///
    /// # Errors
    /// The row cannot be written to disk, and is not in the queue. A permanently failing disk may still
    /// have it at the next start: check [`first`](Self::first) before pushing the same sale again.
    pub fn push(&self, write: impl Into<DeviceWrite>) -> Result<Uuid, QueueError> {
        let row = QueuedRow::new(write.into(), now())?;
        let key = row.key();
        self.rows().waiting.push(row)?;
        Ok(key)
    }

    /// Returns the number of waiting rows.
    pub fn waiting(&self) -> usize {
        self.rows().waiting.rows().len()
    }

    /// Returns the next row to send, if any.
    /// If sending has stopped, it stopped at this row.
    pub fn first(&self) -> Option<QueuedRow> {
        let rows = self.rows();
        rows.waiting.rows().front().map(|kept| kept.row.clone())
    }

    /// Sets a waiting row aside, and returns whether it was there.
    /// Use it when sending stops at the row each time and waiting does not help: a sale in the queue of
    /// a kiosk, for example. The row moves to the [refused](Self::refused) rows, and delivery continues
    /// with the next. Waits for the end of a running [`send`](Self::send).
    ///
    /// # Errors
    /// The disk failed; the row may wait again at the next start.
    pub async fn set_aside(&self, key: Uuid) -> Result<bool, QueueError> {
        let _turn = self.sending.lock().await;
        let mut rows = self.rows();
        let mut waiting = rows.waiting.rows().iter();
        let Some(kept) = waiting.find(|kept| kept.row.key() == key).cloned() else {
            return Ok(false);
        };
        rows.set_aside(RefusedRow::by_hand(kept.row, kept.sent_at))?;
        Ok(true)
    }

    /// Returns the set-aside rows not yet forgotten, in their order.
    pub fn refused(&self) -> Vec<RefusedRow> {
        let rows = self.rows();
        let refused = rows.refused.rows().iter();
        refused.map(|kept| kept.row.clone()).collect()
    }

    /// Forgets a set-aside row, and returns whether it was there.
    /// Call it once the row has been dealt with.
    ///
    /// # Errors
    /// The disk failed; the row may be among the refused ones at the next start.
    pub fn forget_refused(&self, key: Uuid) -> Result<bool, QueueError> {
        self.rows().refused.remove(key)
    }

    pub(super) fn rows(&self) -> MutexGuard<'_, Rows> {
        // Nothing panics while it is locked.
        self.rows.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The time of the device's clock.
pub(super) fn now() -> Timestamp {
    SystemTime::now().into()
}

impl fmt::Debug for DeviceQueue {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("DeviceQueue")
            .field("waiting", &self.waiting())
            .finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests;
