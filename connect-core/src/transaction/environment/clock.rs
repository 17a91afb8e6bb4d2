//! The clock of the core: the machine's, or a manual one in tests.

use std::{
    sync::{
        Arc,
        atomic::{AtomicI64, AtomicU64, Ordering},
    },
    time::{Duration, SystemTime, UNIX_EPOCH},
};

use crate::wire::Timestamp;

/// Tells the time of day, and the elapsed time.
pub trait Clock: Send + Sync + 'static {
    /// The time of day. It may step in either direction.
    fn now(&self) -> Timestamp;

    /// The time since a fixed point, chosen by the clock.
    /// It never goes back, and does not change when the time of day is set.
    fn elapsed(&self) -> Duration;
}

/// The clock of the machine.
///
/// On Linux, Android, OpenBSD and Apple's systems, [`elapsed`](Clock::elapsed) includes the time
/// while the machine is suspended. Elsewhere it equals [`std::time::Instant`].
#[derive(Clone, Copy, Debug, Default)]
pub struct SystemClock;

impl Clock for SystemClock {
    fn now(&self) -> Timestamp {
        let since_epoch = SystemTime::now()
            .duration_since(UNIX_EPOCH)
            .unwrap_or_default();
        Timestamp::from_micros(i64::try_from(since_epoch.as_micros()).unwrap_or(i64::MAX))
    }

    fn elapsed(&self) -> Duration {
        since_fixed_point()
    }
}

#[cfg(any(
    target_os = "linux",
    target_os = "android",
    target_os = "openbsd",
    target_vendor = "apple"
))]
fn since_fixed_point() -> Duration {
    use rustix::time::{ClockId, clock_gettime};

    // Apple's monotonic clock goes on while the machine sleeps; elsewhere that one stands still.
    #[cfg(target_vendor = "apple")]
    const CLOCK: ClockId = ClockId::Monotonic;
    #[cfg(not(target_vendor = "apple"))]
    const CLOCK: ClockId = ClockId::Boottime;

    // Counted from the start of the machine, so never negative.
    Duration::try_from(clock_gettime(CLOCK)).unwrap_or_default()
}

#[cfg(not(any(
    target_os = "linux",
    target_os = "android",
    target_os = "openbsd",
    target_vendor = "apple"
)))]
fn since_fixed_point() -> Duration {
    use std::{sync::LazyLock, time::Instant};

    static FIRST_CALL: LazyLock<Instant> = LazyLock::new(Instant::now);
    FIRST_CALL.elapsed()
}

/// A clock moved only by hand.
#[derive(Debug)]
pub struct ManualClock {
    /// Microseconds since 1970.
    now: AtomicI64,
    /// Microseconds since the creation of the clock.
    elapsed: AtomicU64,
}

impl ManualClock {
    /// A clock at `now`, with an elapsed time of zero.
    pub fn at(now: Timestamp) -> Arc<Self> {
        Arc::new(Self {
            now: AtomicI64::new(now.micros()),
            elapsed: AtomicU64::new(0),
        })
    }

    /// Sets the time of day, forwards or backwards.
    /// The elapsed time stays the same: it is a step of the clock.
    pub fn set(&self, now: Timestamp) {
        self.now.store(now.micros(), Ordering::SeqCst);
    }

    /// Lets a number of seconds pass.
    /// A negative number only sets the time of day back: elapsed time does not go backwards.
    pub fn advance(&self, seconds: i64) {
        self.set(self.now().plus_seconds(seconds));
        let passed = u64::try_from(seconds)
            .unwrap_or(0)
            .saturating_mul(1_000_000);
        self.elapsed.fetch_add(passed, Ordering::SeqCst);
    }
}

impl Clock for ManualClock {
    fn now(&self) -> Timestamp {
        Timestamp::from_micros(self.now.load(Ordering::SeqCst))
    }

    fn elapsed(&self) -> Duration {
        Duration::from_micros(self.elapsed.load(Ordering::SeqCst))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_manual_clock_tells_steps_from_time_that_passes() {
        let clock = ManualClock::at(Timestamp::EPOCH);
        let shows = || (clock.now().seconds(), clock.elapsed().as_secs());
        assert_eq!(shows(), (0, 0));
        clock.advance(5);
        assert_eq!(shows(), (5, 5));
        clock.set(Timestamp::from_micros(100_000_000));
        assert_eq!(shows(), (100, 5));
        clock.advance(-60);
        assert_eq!(shows(), (40, 5));
        clock.advance(1);
        assert_eq!(shows(), (41, 6));
    }

    #[test]
    fn the_machine_counts_the_time_that_passes() {
        let before = SystemClock.elapsed();
        std::thread::sleep(Duration::from_millis(20));
        assert!(SystemClock.elapsed() >= before + Duration::from_millis(20));
    }
}
