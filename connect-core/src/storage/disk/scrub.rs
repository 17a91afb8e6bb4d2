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
        atomic::{AtomicU64, Ordering},
        mpsc::{self, RecvTimeoutError},
    },
    thread::{self, JoinHandle},
    time::Duration,
};

use super::{
    damage::{Checked, DamagedRange},
    engine::caught,
    health::HealthProbe,
    queue::{CommitQueue, Message},
};
use crate::storage::StorageError;

/// The usual rate of checking pages, in bytes a second.
/// 1 GB takes a quarter of an hour.
pub(in crate::storage) const DEFAULT_RATE: u64 = 1024 * 1024;

/// The least number of pages to check at a time.
/// Each time begins with the path to the first of them.
const LEAST_PAGES: u64 = 256;

/// The least length of a page in bytes.
const PAGE_LEN: u64 = 4096;

/// The shortest pause between two checks.
/// Also the pause before another read of unreadable pages.
pub(super) const PAUSE: Duration = Duration::from_secs(1);

/// A thread to check pages until this is dropped.
pub(super) struct Scrub {
    orders: mpsc::SyncSender<()>,
    /// The rate in bytes a second; 0 for checks by request only.
    pub(super) rate: Arc<AtomicU64>,
    thread: Option<JoinHandle<()>>,
}

impl Scrub {
    /// Starts the thread of an open store.
    pub(super) fn start(queue: Arc<CommitQueue>, health: HealthProbe) -> std::io::Result<Self> {
        let (orders, received) = mpsc::sync_channel(1);
        let rate = Arc::new(AtomicU64::new(DEFAULT_RATE));
        let work = ScrubWork {
            queue,
            health,
            rate: rate.clone(),
            from: Vec::new(),
            found: Vec::new(),
        };
        let thread = thread::Builder::new()
            .name("store-scrub".to_owned())
            .spawn(move || work.run(&received))?;
        Ok(Self {
            orders,
            rate,
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
    health: HealthProbe,
    rate: Arc<AtomicU64>,
    /// The engine key to continue from.
    from: Vec<u8>,
    /// Damaged pages, for the writer.
    found: Vec<DamagedRange>,
}

impl ScrubWork {
    fn run(mut self, orders: &mpsc::Receiver<()>) {
        let mut pause = PAUSE;
        loop {
            let is_all = match orders.recv_timeout(pause) {
                Ok(()) => true,
                Err(RecvTimeoutError::Timeout) => false,
                Err(RecvTimeoutError::Disconnected) => return,
            };
            pause = PAUSE;
            self.tell();
            let rate = self.rate.load(Ordering::Relaxed);
            let at_most = if is_all { None } else { Some(pages_of(rate)) };
            if at_most == Some(0) {
                continue;
            }
            match self.check(at_most) {
                Ok(checked) => {
                    self.health.scrubbed(checked.bytes);
                    self.from = checked.next.unwrap_or_default();
                    self.found = checked.damaged;
                    // A retry of a failed disk read may succeed a moment later.
                    if !checked.is_unread {
                        self.tell();
                        pause = at_most.map_or(PAUSE, |_| pause_after(checked.bytes, rate));
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

    /// Checks about `at_most` pages, or all.
    fn check(&self, at_most: Option<u64>) -> Result<Checked, StorageError> {
        let Some(pages) = self.queue.ask(Message::Pages)? else {
            return Ok(Checked::default());
        };
        caught(|| match at_most {
            None => pages.check_all(),
            Some(at_most) => pages.check_some(&self.from, at_most),
        })?
    }
}

/// The number of pages to check at a time, by the rate.
fn pages_of(rate: u64) -> u64 {
    match rate {
        0 => 0,
        rate => (rate / PAGE_LEN).max(LEAST_PAGES),
    }
}

/// The pause after a check of so many bytes.
/// Pages may be longer than the least length.
fn pause_after(bytes: u64, rate: u64) -> Duration {
    PAUSE.max(Duration::from_secs(bytes.div_ceil(rate.max(1))))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Without a rate, only requested checks are made.
    #[test]
    fn the_rate_is_kept() {
        assert_eq!(pages_of(0), 0);
        for rate in [1, 4096, DEFAULT_RATE, 50 * DEFAULT_RATE] {
            for page_len in [PAGE_LEN, 16 * PAGE_LEN] {
                let bytes = pages_of(rate) * page_len;
                let seconds = pause_after(bytes, rate).as_secs();
                assert!(bytes <= rate * seconds, "{rate}: {bytes} in {seconds} s");
            }
            // A short file is not read all the time.
            assert_eq!(pause_after(PAGE_LEN, rate.max(PAGE_LEN)), PAUSE);
        }
        assert_eq!(pages_of(DEFAULT_RATE) * PAGE_LEN, DEFAULT_RATE);
    }
}
