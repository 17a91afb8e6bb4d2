//! A clock that goes with the paused time of the runtime, and that somebody sets now and then.

use std::{
    sync::{
        Arc,
        atomic::{AtomicI64, Ordering::Relaxed},
    },
    time::Duration,
};

use connect_core::{environment::Clock, wire::Timestamp};
use tokio::time::Instant;

use crate::shop::START;

pub(super) struct SetClock {
    start: Instant,
    /// By how many seconds the time of day was set.
    offset: AtomicI64,
    /// The microseconds that had passed when it was last set.
    set_at: AtomicI64,
}

/// Within this time of a step, leases may end early.
const STEP: Duration = Duration::from_secs(150);

impl SetClock {
    pub(super) fn new() -> Arc<Self> {
        Arc::new(Self {
            start: Instant::now(),
            offset: AtomicI64::new(0),
            set_at: AtomicI64::new(-(STEP.as_micros() as i64)),
        })
    }

    /// Sets the clock to so many seconds from the right time.
    pub(super) fn set(&self, offset: i64) {
        self.offset.store(offset, Relaxed);
        let now = self.elapsed().as_micros() as i64;
        self.set_at.store(now, Relaxed);
    }

    /// Returns whether somebody has set it lately.
    pub(super) fn was_set(&self) -> bool {
        let since = self.elapsed().as_micros() as i64 - self.set_at.load(Relaxed);
        since < STEP.as_micros() as i64
    }
}

impl Clock for SetClock {
    fn now(&self) -> Timestamp {
        let passed = self.elapsed().as_micros() as i64;
        START
            .plus_seconds(self.offset.load(Relaxed))
            .plus_seconds(passed / 1_000_000)
            .plus_micros(passed % 1_000_000)
    }

    fn elapsed(&self) -> Duration {
        self.start.elapsed()
    }
}
