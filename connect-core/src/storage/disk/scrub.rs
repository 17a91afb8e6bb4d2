//! The slow, repeated check of an open store's pages.
//!
//! A page may be damaged at any time, long after the store was opened. A thread checks some pages
//! a second, each time as of the last commit, so it delays no commit and keeps no room on the disk.
//! The writer gets the findings, since only the writer knows the engine open by now.
//! Once damage may explain a failed read, all pages are checked at once.

use std::{
    mem,
    sync::{
        Arc,
        mpsc::{self, RecvTimeoutError},
    },
    thread::{self, JoinHandle},
    time::Duration,
};

use super::{
    damage::{Checked, DamagedRange},
    engine::caught,
    queue::{CommitQueue, Message},
};
use crate::storage::StorageError;

/// The number of pages to check at a time: 1 MiB.
/// 1 GB takes a quarter of an hour.
const AT_ONCE: u64 = 256;

/// The pause between two checks, and before another read of unreadable pages.
pub(super) const PAUSE: Duration = Duration::from_secs(1);

/// A thread to check pages until this is dropped.
pub(super) struct Scrub {
    orders: mpsc::SyncSender<()>,
    thread: Option<JoinHandle<()>>,
}

impl Scrub {
    /// Starts the thread of an open store.
    pub(super) fn start(queue: Arc<CommitQueue>) -> std::io::Result<Self> {
        let (orders, received) = mpsc::sync_channel(1);
        let work = ScrubWork {
            queue,
            from: Vec::new(),
            found: Vec::new(),
        };
        let thread = thread::Builder::new()
            .name("store-scrub".to_owned())
            .spawn(move || work.run(&received))?;
        Ok(Self {
            orders,
            thread: Some(thread),
        })
    }

    /// Requests a check of all pages at once.
    pub(super) fn check_now(&self) {
        // An order already waiting is enough.
        let _ = self.orders.try_send(());
    }
}

impl Drop for Scrub {
    fn drop(&mut self) {
        // The thread ends once the sender of orders is dropped.
        let (orders, _) = mpsc::sync_channel(1);
        self.orders = orders;
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

struct ScrubWork {
    queue: Arc<CommitQueue>,
    /// The engine key to continue from.
    from: Vec<u8>,
    /// Damaged pages, for the writer.
    found: Vec<DamagedRange>,
}

impl ScrubWork {
    fn run(mut self, orders: &mpsc::Receiver<()>) {
        loop {
            let is_all = match orders.recv_timeout(PAUSE) {
                Ok(()) => true,
                Err(RecvTimeoutError::Timeout) => false,
                Err(RecvTimeoutError::Disconnected) => return,
            };
            self.tell();
            match self.check(is_all) {
                Ok(checked) => {
                    self.from = checked.next.unwrap_or_default();
                    self.found = checked.damaged;
                    // A retry of a failed disk read may succeed a moment later.
                    if !checked.is_unread {
                        self.tell();
                    }
                }
                // The store is being reopened, with a check of all pages, or it is closed.
                Err(error) => tracing::debug!(%error, "pages were not checked"),
            }
        }
    }

    /// Hands the findings to the writer.
    fn tell(&mut self) {
        let found = mem::take(&mut self.found);
        if !found.is_empty() {
            // Without a writer there are no readers.
            let _ = self.queue.send(Message::Damaged(found));
        }
    }

    fn check(&self, is_all: bool) -> Result<Checked, StorageError> {
        let Some(pages) = self.queue.ask(Message::Pages)? else {
            return Ok(Checked::default());
        };
        caught(|| {
            if is_all {
                pages.check_all()
            } else {
                pages.check_some(&self.from, AT_ONCE)
            }
        })?
    }
}
