//! The queue of a device that may be offline, and may be switched off at any moment.

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

/// The rows of one screen that wait to be delivered, kept in a folder.
///
/// - A row is on disk before [`push`](Self::push) returns, with its idempotency key and, if it is a
///   journal row, its time.
/// - [`send`](Self::send) delivers rows in the order in which they were pushed, of all kinds
///   together, and removes each once the service has acknowledged it. A row that was sent and not
///   acknowledged, because the network or the device failed, is sent again with the same key, so
///   that it is applied once. The service remembers a key of a device for 7 days: an hour before the end
///   of the 7 days a row that was sent without an answer is set aside, since it would be written twice if it
///   had arrived.
/// - A row that the service refuses for good is set aside in [`refused`](Self::refused), and those
///   behind it go on.
/// - A row that was half written when the device stopped is dropped at the next start. Its push had
///   not returned.
/// - A full disk takes no new rows. Those that wait are delivered all the same. To set a row aside
///   takes room.
///
/// A closing and an order have no time of their own: they happen when they arrive. A row can name
/// only what the service has given an id, so an order can be changed, and a sale refunded, after it
/// was [delivered](super::Delivery::delivered).
///
/// A row whose `createdAt` is too far ahead, because the register's clock was wrong, is set aside
/// like any other: neither waiting nor a corrected clock changes it. To correct it:
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
/// The folder holds the rows as readable JSON and no key of a screen. A folder that the queue makes,
/// and its files, are for their owner only, on Unix. One queue has it open at a time. Methods may be
/// called from several threads: rows can be pushed while others are sent. Each row that is pushed,
/// sent, acknowledged or set aside waits for the disk, on the thread that calls.
pub struct DeviceQueue {
    rows: Mutex<Rows>,
    /// Held while rows are sent or set aside, so that each has one outcome.
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
    /// Moves a row from those that wait to the refused ones.
    pub(super) fn set_aside(&mut self, refused: RefusedRow) -> Result<(), QueueError> {
        let key = refused.row.key();
        // A crash in between leaves it in both.
        if !self.refused.has(key) {
            self.refused.push(refused)?;
        }
        self.waiting.remove(key)?;
        Ok(())
    }

    /// Removes those rows from the ones that wait which a crash left in both lists.
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
    /// Opens the queue in a folder, which is made when it is not there.
    ///
    /// # Errors
    /// The folder is in use, the disk failed, or a file is damaged other than by a crash.
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

    /// Adds a row at the end and returns its idempotency key. It is on disk once this returns.
    ///
    /// # Errors
    /// The row cannot be written to disk; it is not in the queue. A disk that fails for good may leave it
    /// there for the next start: look at [`first`](Self::first) before the same sale is pushed again.
    pub fn push(&self, write: impl Into<DeviceWrite>) -> Result<Uuid, QueueError> {
        let row = QueuedRow::new(write.into(), now())?;
        let key = row.key();
        self.rows().waiting.push(row)?;
        Ok(key)
    }

    /// The number of rows that wait.
    pub fn waiting(&self) -> usize {
        self.rows().waiting.rows().len()
    }

    /// The row that is sent next: that at which sending stopped.
    pub fn first(&self) -> Option<QueuedRow> {
        let rows = self.rows();
        rows.waiting.rows().front().map(|kept| kept.row.clone())
    }

    /// Sets a row aside that waits, when sending stops at it each time: a sale in the queue of a
    /// kiosk, for example, for which no waiting helps. It is among the [refused](Self::refused) ones
    /// from then on, and those behind it go on. Returns whether it was there. Waits for a
    /// [`send`](Self::send) that is under way.
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

    /// The rows that were set aside and not forgotten since, in their order.
    pub fn refused(&self) -> Vec<RefusedRow> {
        let rows = self.rows();
        let refused = rows.refused.rows().iter();
        refused.map(|kept| kept.row.clone()).collect()
    }

    /// Forgets a row that was set aside, when somebody has dealt with it. Returns whether it was
    /// there.
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
