//! A clock resistant to steps of the machine's clock.

use std::{
    cmp::Ordering,
    fmt,
    sync::{
        Arc,
        atomic::{AtomicBool, AtomicI64, Ordering::Relaxed},
    },
    time::Duration,
};

use super::Clock;
use crate::wire::Timestamp;

/// Follows another clock while its time is plausible.
///
/// The expected time is the time of day at the creation of this clock plus the elapsed time. The
/// other clock is trusted while its time of day is within [`TOLERANCE`](Self::TOLERANCE) of the
/// expected time. Otherwise this clock goes on from the last trusted time, at the pace of the
/// elapsed time. So a machine's clock set wrong for a minute does not let data expire, be purged or
/// be dated in the far future.
///
/// A process cannot tell a wrong step of the clock from a correction, so it follows no large step
/// while it runs: anything removed or dated in the meantime could not be undone. After a real
/// correction of more than an hour, [`skew`](Self::skew) reports it until the service is
/// restarted. The same goes for a virtual machine paused for more than an hour, if its
/// [`Clock::elapsed`] stood still. The clock therefore has to be right when the service starts. On
/// a machine without a battery, start the service after it has fetched the time from the network.
pub struct MonotonicClock {
    clock: Arc<dyn Clock>,
    /// Time of day minus elapsed time at creation, in microseconds.
    start: i64,
    /// The same, at the last trusted time of day.
    believed: AtomicI64,
    /// Set while the time of day is not trusted.
    /// Only for the log: one line at the beginning and one at the end.
    is_drifting: AtomicBool,
}

/// A step of the machine's clock, not followed: see [`MonotonicClock`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Skew {
    /// The time of the machine's clock.
    pub shown: Timestamp,
    /// The time in use by the core.
    pub used: Timestamp,
}

impl Skew {
    /// The lead of the machine's clock, in seconds; negative when behind.
    pub fn seconds(self) -> i64 {
        self.shown.seconds() - self.used.seconds()
    }
}

impl fmt::Display for Skew {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let side = match self.shown.cmp(&self.used) {
            Ordering::Less => "behind",
            _ => "ahead",
        };
        let seconds = self.seconds().unsigned_abs();
        write!(
            f,
            "the machine's clock shows {}, {seconds} s {side} of the time that has passed; \
             continuing with {}",
            self.shown, self.used
        )
    }
}

impl MonotonicClock {
    /// The largest trusted difference from the expected time of day.
    ///
    /// An hour is more than a time service corrects on a well-kept machine. It is less than the
    /// shortest time after which the core removes data: 24 hours, for an idempotency key.
    pub const TOLERANCE: Duration = Duration::from_secs(3600);

    /// Starts from the current time of `clock`.
    pub fn new(clock: Arc<dyn Clock>) -> Self {
        let start = difference(clock.now(), clock.elapsed());
        Self {
            clock,
            start,
            believed: AtomicI64::new(start),
            is_drifting: AtomicBool::new(false),
        }
    }

    /// The current skew: for readiness, and for jobs removing data.
    pub fn skew(&self) -> Option<Skew> {
        let (shown, used) = self.read();
        (shown != used).then_some(Skew { shown, used })
    }

    /// The shown time and the time to use, equal without a skew.
    fn read(&self) -> (Timestamp, Timestamp) {
        let (shown, elapsed) = (self.clock.now(), self.clock.elapsed());
        let difference = difference(shown, elapsed);
        let is_drifting = u128::from(difference.abs_diff(self.start)) > Self::TOLERANCE.as_micros();
        let used = if is_drifting {
            let believed = self.believed.load(Relaxed);
            Timestamp::from_micros(believed.saturating_add(micros(elapsed)))
        } else {
            // Every request comes here, and a store takes the value out of the other cores'
            // caches. The two clocks are not read at one moment, so they differ a little each time.
            if difference.abs_diff(self.believed.load(Relaxed)) > 1_000 {
                self.believed.store(difference, Relaxed);
            }
            shown
        };
        if self.is_drifting.load(Relaxed) != is_drifting
            && self.is_drifting.swap(is_drifting, Relaxed) != is_drifting
        {
            report(is_drifting, Skew { shown, used });
        }
        (shown, used)
    }
}

impl Clock for MonotonicClock {
    fn now(&self) -> Timestamp {
        self.read().1
    }

    fn elapsed(&self) -> Duration {
        self.clock.elapsed()
    }
}

impl fmt::Debug for MonotonicClock {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("MonotonicClock")
            .field("drift", &self.skew())
            .finish_non_exhaustive()
    }
}

fn report(is_drifting: bool, skew: Skew) {
    if is_drifting {
        tracing::warn!(
            shown = %skew.shown,
            used = %skew.used,
            seconds = skew.seconds(),
            "the machine's clock jumped and is ignored; restart the service if it is right"
        );
    } else {
        tracing::warn!(shown = %skew.shown, "the machine's clock agrees again and is used");
    }
}

/// The time of day at elapsed time zero, in microseconds.
fn difference(now: Timestamp, elapsed: Duration) -> i64 {
    now.micros().saturating_sub(micros(elapsed))
}

fn micros(elapsed: Duration) -> i64 {
    i64::try_from(elapsed.as_micros()).unwrap_or(i64::MAX)
}

#[cfg(test)]
mod tests {
    use super::{super::ManualClock, *};

    const START: Timestamp = Timestamp::from_micros(1_795_000_000_000_000);
    const HOUR: i64 = 3600;
    const DAY: i64 = 24 * HOUR;

    /// A machine's clock, and the monotonic clock following it.
    struct Pair(Arc<ManualClock>, MonotonicClock);

    impl Pair {
        fn new() -> Self {
            let machine = ManualClock::at(START);
            Self(machine.clone(), MonotonicClock::new(machine))
        }

        fn step(&self, seconds: i64) {
            self.0.set(self.0.now().plus_seconds(seconds));
        }

        fn used(&self) -> i64 {
            (self.1.now().micros() - START.micros()) / 1_000_000
        }
    }

    #[test]
    fn small_steps_are_followed_and_large_ones_are_not() {
        for (step, followed) in [
            (0, true),
            (1, true),
            (-1, true),
            (HOUR, true),
            (-HOUR, true),
            (HOUR + 1, false),
            (-HOUR - 1, false),
            (25 * HOUR, false),
            (-25 * HOUR, false),
            (91 * DAY, false),
            (3650 * DAY, false),
            (-3650 * DAY, false),
            (i64::MAX, false),
            (i64::MIN, false),
        ] {
            let pair = Pair::new();
            pair.0.advance(10);
            pair.step(step);
            assert_eq!(pair.used(), if followed { 10 + step } else { 10 }, "{step}");
            assert_eq!(pair.1.skew().is_none(), followed, "{step}");
        }
    }

    #[test]
    fn time_goes_on_while_the_clock_is_wrong_and_after_it_is_right_again() {
        for step in [25 * HOUR, 91 * DAY, 3650 * DAY, -25 * HOUR, -3650 * DAY] {
            let pair = Pair::new();
            pair.0.advance(100);
            assert_eq!(pair.used(), 100);
            pair.step(step);
            assert_eq!(pair.used(), 100, "{step}");
            pair.0.advance(60);
            assert_eq!(pair.used(), 160, "{step}");
            let skew = pair.1.skew().unwrap();
            assert_eq!(skew.seconds(), step);
            assert_eq!(skew.used, START.plus_seconds(160));
            pair.step(-step);
            pair.0.advance(1);
            assert_eq!((pair.used(), pair.1.skew()), (161, None), "{step}");
        }
    }

    #[test]
    fn a_wrong_clock_goes_on_from_the_last_step_that_was_followed() {
        let pair = Pair::new();
        pair.step(40);
        assert_eq!(pair.used(), 40);
        pair.step(DAY);
        pair.0.advance(5);
        assert_eq!(pair.used(), 45);
    }

    #[test]
    fn small_steps_do_not_add_up_to_a_large_one() {
        let pair = Pair::new();
        for _ in 0..24 {
            pair.step(HOUR / 2);
            assert!(pair.used() <= HOUR);
        }
        assert!(pair.1.skew().is_some());
    }

    #[test]
    fn time_that_passes_is_no_step() {
        let pair = Pair::new();
        pair.0.advance(3650 * DAY);
        assert_eq!((pair.used(), pair.1.skew()), (3650 * DAY, None));
        assert_eq!(pair.1.elapsed().as_secs(), 3650 * 86_400);
    }

    #[test]
    fn a_drift_is_told_in_a_sentence() {
        let pair = Pair::new();
        pair.step(-2 * HOUR);
        let text = pair.1.skew().unwrap().to_string();
        assert!(text.contains("7200 s behind"), "{text}");
        pair.step(4 * HOUR);
        let text = pair.1.skew().unwrap().to_string();
        assert!(text.contains("7200 s ahead"), "{text}");
    }
}
