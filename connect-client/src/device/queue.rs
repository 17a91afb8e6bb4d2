//! The queue of a device that may be offline, and may be switched off at any moment.

use std::{
    fmt,
    fs::{self, File, TryLockError},
    path::Path,
    sync::{Mutex, MutexGuard, PoisonError},
    time::{SystemTime, UNIX_EPOCH},
};

use serde::Deserialize;
use uuid::Uuid;

use super::{
    client::DeviceClient,
    error::QueueError,
    list::DiskList,
    log::disk_error,
    row::{DeviceWrite, QueuedRow, RefusedRow},
};
use crate::{Call, Error, IdempotencyKey, error::RequestError, wire::Timestamp};

/// The rows of one screen that wait to be delivered, kept in a folder.
///
/// - A row is on disk before [`push`](Self::push) returns, with its idempotency key and, if it is a
///   journal row, its time.
/// - [`send`](Self::send) delivers rows in the order in which they were pushed, of all kinds
///   together, and removes each once the service has acknowledged it. A row that was sent and not
///   acknowledged, because the network or the device failed, is sent again with the same key, so
///   that it is applied once. The service remembers a key for 24 hours: 23 hours after a row was first
///   sent without an answer it is set aside, since it would be written twice if it had arrived.
/// - A row that the service refuses for good is set aside in [`refused`](Self::refused), and those
///   behind it go on.
/// - A row that was half written when the device stopped is dropped at the next start. Its push had
///   not returned.
///
/// A closing and an order have no time of their own: they happen when they arrive. A row can name
/// only what the service has given an id, so an order can be changed, and a sale refunded, after it
/// was [delivered](Delivery::delivered).
///
/// The folder holds the rows as readable JSON and no key of a screen. One queue has it open at a
/// time. Methods may be called from several threads: rows can be pushed while others are sent. Each
/// row that is pushed, acknowledged or set aside waits for the disk, on the thread that calls.
pub struct DeviceQueue {
    rows: Mutex<Rows>,
    /// Held while rows are sent, so that two do not send the same one.
    sending: tokio::sync::Mutex<()>,
    /// Locked as long as the queue is open.
    _lock: File,
}

/// The rows, on disk as in memory.
struct Rows {
    waiting: DiskList<QueuedRow>,
    refused: DiskList<RefusedRow>,
}

/// The outcome of sending what waits.
#[derive(Debug, Default)]
#[non_exhaustive]
pub struct Delivery {
    /// The rows that were delivered.
    pub delivered: Vec<Delivered>,
    /// The rows that were refused for good. They are in [`DeviceQueue::refused`] too.
    pub refused: Vec<RefusedRow>,
    /// The error at which sending stopped: of the network, the service, or the key of the screen.
    /// The rows from there on wait. `None` when none are left.
    pub stopped: Option<Error>,
}

/// A row that was delivered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Delivered {
    /// The key of the row.
    pub key: Uuid,
    /// The id of the record that it made or changed.
    pub id: Uuid,
}

/// The part of a record that every answer has.
#[derive(Deserialize)]
struct Acknowledged {
    id: Uuid,
}

impl DeviceQueue {
    /// Opens the queue in a folder, which is made when it is not there.
    ///
    /// # Errors
    /// The folder is in use, the disk failed, or a file is damaged other than by a crash.
    pub fn open(folder: impl AsRef<Path>) -> Result<Self, QueueError> {
        let folder = folder.as_ref();
        let lock = lock(folder)?;
        let rows = Rows {
            waiting: DiskList::open(folder.join("queue.jsonl"))?,
            refused: DiskList::open(folder.join("refused.jsonl"))?,
        };
        Ok(Self {
            rows: Mutex::new(rows),
            sending: tokio::sync::Mutex::default(),
            _lock: lock,
        })
    }

    /// Adds a row at the end and returns its idempotency key. It is on disk once this returns.
    ///
    /// # Errors
    /// The row cannot be written to disk; it is not in the queue.
    pub fn push(&self, write: impl Into<DeviceWrite>) -> Result<Uuid, QueueError> {
        let row = QueuedRow::new(write.into(), now())?;
        let key = row.key();
        self.rows().waiting.push(row)?;
        Ok(key)
    }

    /// Delivers what waits, in order, until nothing does or a failure that is not the row's own:
    /// the network, 429, 5xx, a key that does not work. Each row is tried as the client's
    /// [`RetryPolicy`](crate::RetryPolicy) says.
    ///
    /// # Errors
    /// The disk failed. The row under way may have been delivered; it is sent again with its key.
    pub async fn send(&self, client: &DeviceClient) -> Result<Delivery, QueueError> {
        let _turn = self.sending.lock().await;
        let mut delivery = Delivery::default();
        loop {
            let Some(mut row) = self.rows().waiting.rows().front().cloned() else {
                return Ok(delivery);
            };
            let key = row.key();
            if row.is_in_doubt(now()) {
                self.set_aside(RefusedRow::in_doubt(row), &mut delivery)?;
                continue;
            }
            let is_first = row.sent_at.is_none();
            if is_first {
                // Before it is sent: a crash in between must not hide that it may have arrived.
                row.sent_at = Some(now());
                self.rows().waiting.change(row.clone())?;
            }
            match deliver(client, &row).await {
                Ok(Acknowledged { id }) => {
                    self.rows().waiting.remove(key)?;
                    delivery.delivered.push(Delivered { key, id });
                }
                Err(error) if row.is_refused_by(&error) => {
                    self.set_aside(RefusedRow::new(row, &error), &mut delivery)?;
                }
                Err(error) => {
                    if is_first && !error.may_be_applied() {
                        row.sent_at = None;
                        self.rows().waiting.change(row)?;
                    }
                    delivery.stopped = Some(error);
                    return Ok(delivery);
                }
            }
        }
    }

    /// Moves a row from those that wait to the refused ones.
    fn set_aside(&self, refused: RefusedRow, delivery: &mut Delivery) -> Result<(), QueueError> {
        let mut rows = self.rows();
        rows.refused.push(refused.clone())?;
        rows.waiting.remove(refused.row.key())?;
        delivery.refused.push(refused);
        Ok(())
    }

    /// The number of rows that wait.
    pub fn waiting(&self) -> usize {
        self.rows().waiting.rows().len()
    }

    /// The rows that were refused for good and not forgotten since, in their order.
    pub fn refused(&self) -> Vec<RefusedRow> {
        self.rows().refused.rows().iter().cloned().collect()
    }

    /// Forgets a row that was refused, when somebody has dealt with it. Returns whether it was
    /// there.
    ///
    /// # Errors
    /// The disk failed; the row may be among the refused ones at the next start.
    pub fn forget_refused(&self, key: Uuid) -> Result<bool, QueueError> {
        self.rows().refused.remove(key)
    }

    fn rows(&self) -> MutexGuard<'_, Rows> {
        // Memory follows the disk, and nothing between the two panics.
        self.rows.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Sends a row with its key.
async fn deliver(client: &DeviceClient, row: &QueuedRow) -> Result<Acknowledged, Error> {
    let call = Call::record(client.client(), Ok(row.request()));
    match IdempotencyKey::new(row.key().to_string()) {
        Ok(key) => call.idempotency_key(key).await,
        Err(invalid) => Err(RequestError(invalid.to_string()).into()),
    }
}

/// Makes the folder and locks it.
fn lock(folder: &Path) -> Result<File, QueueError> {
    let failed = |source| disk_error(folder, source);
    fs::create_dir_all(folder).map_err(failed)?;
    let lock = File::create(folder.join("lock")).map_err(failed)?;
    match lock.try_lock() {
        Ok(()) => Ok(lock),
        Err(TryLockError::WouldBlock) => Err(QueueError::InUse(folder.to_owned())),
        Err(TryLockError::Error(error)) => Err(failed(error)),
    }
}

fn now() -> Timestamp {
    let since = SystemTime::now().duration_since(UNIX_EPOCH);
    let micros = since.unwrap_or_default().as_micros();
    Timestamp::from_micros(micros.try_into().unwrap_or(i64::MAX))
}

impl fmt::Debug for DeviceQueue {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("DeviceQueue")
            .field("waiting", &self.waiting())
            .finish_non_exhaustive()
    }
}
