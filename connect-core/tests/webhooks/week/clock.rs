//! A clock that goes with the paused time of the runtime, and that somebody sets now and then. The
//! clock of a process is wrong by some seconds.

use std::{
    sync::{
        Arc, Mutex,
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
    /// The times before and after each step.
    steps: Mutex<Vec<(Timestamp, Timestamp)>>,
    /// The clocks of workers differ by so much that leases may end early at any time.
    are_apart: bool,
}

/// Within this time of a step, leases may end early.
const STEP: Duration = Duration::from_secs(150);

/// By how many seconds the clocks of workers are wrong, at most, where leases have to hold.
pub(super) const SKEW: i64 = 2;

impl SetClock {
    pub(super) fn new(are_apart: bool) -> Arc<Self> {
        Arc::new(Self {
            start: Instant::now(),
            offset: AtomicI64::new(0),
            set_at: AtomicI64::new(-(STEP.as_micros() as i64)),
            steps: Mutex::default(),
            are_apart,
        })
    }

    /// Sets the clock to so many seconds from the right time.
    pub(super) fn set(&self, offset: i64) {
        let before = self.now();
        self.offset.store(offset, Relaxed);
        self.steps.lock().unwrap().push((before, self.now()));
        let now = self.elapsed().as_micros() as i64;
        self.set_at.store(now, Relaxed);
    }

    /// Returns whether a step took the clock back to before this time. What was set then may be due at
    /// once.
    pub(super) fn was_taken_back(&self, time: Timestamp) -> bool {
        let steps = self.steps.lock().unwrap();
        steps.iter().any(|(before, after)| {
            (*after..=before.plus_seconds(SKEW)).contains(&time.plus_seconds(SKEW))
        })
    }

    /// Returns whether somebody has set it lately, or the clocks of workers are far apart anyway.
    pub(super) fn was_set(&self) -> bool {
        let since = self.elapsed().as_micros() as i64 - self.set_at.load(Relaxed);
        self.are_apart || since < STEP.as_micros() as i64
    }

    /// The most by which the clock of a worker is wrong, in seconds.
    pub(super) fn skew_of_workers(&self) -> i64 {
        if self.are_apart { 120 } else { SKEW }
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

/// The clock of a process, which is wrong by some seconds.
pub(super) struct Skewed {
    clock: Arc<SetClock>,
    seconds: i64,
}

impl Skewed {
    pub(super) fn new(clock: Arc<SetClock>, seconds: i64) -> Arc<Self> {
        Arc::new(Self { clock, seconds })
    }
}

impl Clock for Skewed {
    fn now(&self) -> Timestamp {
        self.clock.now().plus_seconds(self.seconds)
    }

    fn elapsed(&self) -> Duration {
        self.clock.elapsed()
    }
}
