//! The embedded store: sled 0.34 with its known faults kept in check.
//!
//! How a commit travels: [`SledStorage`] puts it in a queue; one thread (`writer`) takes what has
//! gathered there, lets every commit whose expectations hold join one `group`, applies the group
//! as one batch, makes it durable once and answers all. While that goes on, `view` shows readers
//! what the written keys held before, so that nothing is seen that a crash could take back, and
//! no read waits for the disk. `layout` says how rows lie in sled's tree, `open` and `directory`
//! what opening guards against.
//!
//! What to know before relying on it:
//!
//! - Killing the process loses nothing that was acknowledged or seen; tests kill it. Against loss
//!   of power the database file is synced (`fdatasync`) before a commit is acknowledged; sled
//!   0.34 alone does not do that. sled reuses parts of its file on the word of its own, weaker
//!   flush, which only a drive that reorders writes across a power cut could turn into damage.
//! - sled has one lock for all batches and reads of the process: a read of a key that lies
//!   outside the commits under way still waits while sled applies a batch in memory
//!   (milliseconds for thousands of writes), though never for a flush.
//! - A scan holds the next group back until it is done, and with it later readers: ask for pages,
//!   not for everything.

mod directory;
mod durable;
mod group;
mod layout;
mod open;
mod rows;
mod view;
mod writer;

use std::{path::Path, sync::Arc, thread::JoinHandle};

use async_trait::async_trait;
use tokio::sync::{mpsc, oneshot};

use self::{directory::Directory, view::View, writer::Request};
use super::{
    Commit, CommitError, Entry, MAX_KEY_LEN, MAX_VALUE_LEN, Range, Storage, StorageError, Value,
};

pub use self::open::{OpenError, SledOptions};

/// A [`Storage`] in a directory on the local disk, for one process at a time.
///
/// Reads run on the calling thread: they are served from sled's cache, or read a page from the
/// disk. After a failed write (disk full, say) the store takes no more commits and goes on
/// showing the last state that is known to be durable, until it is opened again.
///
/// Dropping it finishes what is queued, closes the database and waits until its lock is free, so
/// that it can be opened again at once.
pub struct SledStorage {
    // Dropped in this order: sled has to be closed before the directory is given up.
    queue: Option<mpsc::Sender<Request>>,
    writer: Option<JoinHandle<()>>,
    view: Arc<View>,
    _directory: Directory,
}

impl SledStorage {
    /// Opens the database in the directory `path`, which is created when it does not exist.
    ///
    /// Blocks while sled recovers: about 0.2 s for a million rows, more after a crash.
    ///
    /// # Errors
    ///
    /// See [`OpenError`]. A directory that another process holds, or that holds something else,
    /// is left as it was.
    pub fn open(path: impl AsRef<Path>, options: SledOptions) -> Result<Self, OpenError> {
        let opened = open::open(path.as_ref(), &options)?;
        let view = Arc::new(View::new(opened.rows));
        let (queue, writer) =
            writer::start(view.clone(), opened.durable).map_err(|source| OpenError::Io {
                path: path.as_ref().into(),
                source,
            })?;
        Ok(Self {
            queue: Some(queue),
            writer: Some(writer),
            view,
            _directory: opened.directory,
        })
    }
}

#[async_trait]
impl Storage for SledStorage {
    async fn get(&self, keys: &[&[u8]]) -> Result<Vec<Option<Value>>, StorageError> {
        self.view.get(keys)
    }

    async fn scan(&self, range: Range<'_>, limit: usize) -> Result<Vec<Entry>, StorageError> {
        self.view.scan(range, limit)
    }

    async fn commit(&self, commit: Commit) -> Result<(), CommitError> {
        check_sizes(&commit)?;
        let stopped = || StorageError::new("the writer of the sled database has stopped");
        let (reply, answer) = oneshot::channel();
        let queue = self.queue.as_ref().ok_or_else(stopped)?;
        queue
            .send(Request { commit, reply })
            .await
            .map_err(|_| stopped())?;
        answer.await.map_err(|_| stopped())?
    }
}

impl Drop for SledStorage {
    fn drop(&mut self) {
        // Without a sender the writer ends once the queue is empty.
        self.queue = None;
        if let Some(writer) = self.writer.take() {
            // A writer that panicked has told its callers; there is nothing left to do here.
            let _ = writer.join();
        }
    }
}

/// Longer keys would make pages that sled keeps in files of their own.
fn check_sizes(commit: &Commit) -> Result<(), StorageError> {
    for (key, value) in &commit.writes {
        if key.len() > MAX_KEY_LEN {
            return Err(StorageError::new(format_args!(
                "a key of {} bytes",
                key.len()
            )));
        }
        let len = value.as_ref().map_or(0, |value| value.len());
        if len > MAX_VALUE_LEN {
            return Err(StorageError::new(format_args!("a value of {len} bytes")));
        }
    }
    Ok(())
}
