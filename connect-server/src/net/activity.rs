//! The activity of one connection, by which its limits on time are kept.

use std::{
    sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering::Relaxed},
    time::Duration,
};

use tokio::time::Instant;

use super::Limits;

/// The activity of one connection: shared by its socket, its requests and the task that watches its
/// time. One clock reading a request, no timer.
#[derive(Debug)]
pub(super) struct Activity {
    opened: Instant,
    in_flight: AtomicUsize,
    served: AtomicBool,
    http2: AtomicBool,
    linger: AtomicBool,
    /// Milliseconds after `opened` at which the last request ended.
    idle_since: AtomicU64,
    /// The same for the first byte after that; [`NEVER`] when none came.
    head_since: AtomicU64,
}

const NEVER: u64 = u64::MAX;

/// The decision about a connection's time.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Verdict {
    Stay,
    /// Take no new request, finish the running ones.
    Finish,
    /// It has nothing running and half a head at most: cut it.
    Cut,
}

impl Activity {
    pub(super) fn new() -> Self {
        Self {
            opened: Instant::now(),
            in_flight: AtomicUsize::new(0),
            served: AtomicBool::new(false),
            http2: AtomicBool::new(false),
            linger: AtomicBool::new(false),
            idle_since: AtomicU64::new(0),
            head_since: AtomicU64::new(NEVER),
        }
    }

    /// A request begins; it ends when the guard is dropped.
    pub(super) fn begin(&self, http2: bool) -> InFlight<'_> {
        self.in_flight.fetch_add(1, Relaxed);
        self.served.store(true, Relaxed);
        self.http2.store(http2, Relaxed);
        self.head_since.store(NEVER, Relaxed);
        InFlight(self)
    }

    /// Bytes came in. Between two requests they are the start of the next head.
    pub(super) fn received(&self) {
        if self.in_flight.load(Relaxed) == 0 && self.head_since.load(Relaxed) == NEVER {
            self.head_since.store(self.now(), Relaxed);
        }
    }

    /// The client may still be sending when this connection closes: keep reading for a while, or
    /// the system answers those bytes with a reset, which can overtake our last answer.
    pub(super) fn linger(&self) {
        self.linger.store(true, Relaxed);
    }

    pub(super) fn lingers(&self) -> bool {
        self.linger.load(Relaxed)
    }

    pub(super) fn verdict(&self, limits: &Limits) -> Verdict {
        let now = self.now();
        let past = |since: u64, limit: Duration| {
            since != NEVER && u128::from(now.saturating_sub(since)) > limit.as_millis()
        };
        if self.in_flight.load(Relaxed) == 0 {
            if !self.served.load(Relaxed) && past(0, limits.head) {
                return Verdict::Cut;
            }
            // HTTP/2 sends frames between requests that are no heads.
            if !self.http2.load(Relaxed) && past(self.head_since.load(Relaxed), limits.head) {
                return Verdict::Cut;
            }
            if past(self.idle_since.load(Relaxed), limits.idle) {
                return Verdict::Finish;
            }
        }
        if past(0, limits.connection_age) {
            Verdict::Finish
        } else {
            Verdict::Stay
        }
    }

    fn now(&self) -> u64 {
        u64::try_from(self.opened.elapsed().as_millis()).unwrap_or(NEVER - 1)
    }
}

/// A request that is being answered.
#[derive(Debug)]
pub(super) struct InFlight<'a>(&'a Activity);

impl Drop for InFlight<'_> {
    fn drop(&mut self) {
        self.0.idle_since.store(self.0.now(), Relaxed);
        self.0.in_flight.fetch_sub(1, Relaxed);
    }
}
