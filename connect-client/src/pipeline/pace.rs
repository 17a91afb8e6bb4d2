//! Holding requests back that the rate limit would refuse, by the figures in the service's answers.

use std::{
    sync::{Mutex, MutexGuard, PoisonError},
    time::{Duration, SystemTime},
};

use tokio::time::Instant;

use crate::{
    RateLimit,
    wire::{Timestamp, limits::RATE_WINDOW_SECONDS},
};

/// The length of a window.
const WINDOW: Duration = Duration::from_secs(RATE_WINDOW_SECONDS.unsigned_abs());

/// The requests that may still be sent, as far as that is known.
#[derive(Debug, Default)]
pub(crate) struct Pace(Mutex<State>);

#[derive(Debug, Default)]
struct State {
    /// Requests that have their turn: each is counted by the service already, or will be.
    under_way: u64,
    /// The window under way, once an answer has told of one.
    window: Option<Window>,
}

#[derive(Clone, Copy, Debug)]
struct Window {
    limit: u64,
    /// Requests that may still be sent in it.
    remaining: u64,
    /// The least that the service has said to remain; `u64::MAX` before it has said anything.
    told: u64,
    /// Its end on this machine's clock.
    ends: Instant,
    /// Its end as the service names it.
    reset: Timestamp,
}

/// A request that may be sent now. It ends when this is dropped.
#[derive(Debug)]
pub(super) struct Turn<'a>(&'a Pace);

/// The figures of an answer.
#[derive(Clone, Copy, Debug)]
pub(super) struct Told {
    pub(super) rate: RateLimit,
    /// The service's clock at the time of the answer.
    pub(super) date: SystemTime,
    /// The wait that a refusal because of the limit asks for.
    pub(super) refused: Option<Duration>,
}

impl Pace {
    /// Takes a request out of the window, or says how long it has to wait. Waiting does not
    /// reserve anything: take again afterwards.
    pub(super) fn take(&self, now: Instant) -> Result<Turn<'_>, Duration> {
        let mut state = self.state();
        if let Some(window) = &mut state.window {
            window.go_on(now);
            match window.remaining.checked_sub(1) {
                Some(remaining) => window.remaining = remaining,
                None => return Err(window.ends - now),
            }
        }
        state.under_way += 1;
        Ok(Turn(self))
    }

    /// Sends a request although the window has none left.
    pub(super) fn force(&self) -> Turn<'_> {
        self.state().under_way += 1;
        Turn(self)
    }

    fn state(&self) -> MutexGuard<'_, State> {
        // Plain values: a panic elsewhere cannot have left them half written.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Turn<'_> {
    /// Takes note of the answer, which arrived just now.
    pub(super) fn learn(&self, told: Told, now: Instant) {
        let Told { rate, .. } = told;
        let Some(left) = told.left() else {
            return;
        };
        let mut state = self.0.state();
        // The answered one is counted.
        let others = state.under_way.saturating_sub(1);
        match &mut state.window {
            Some(window) if told.refused.is_none() && rate.reset <= window.reset => {
                // An answer of an earlier window says nothing any more.
                if rate.reset == window.reset {
                    window.limit = rate.limit;
                    window.told = window.told.min(rate.remaining);
                    window.correct(others);
                }
            }
            window => {
                let window = window.insert(Window {
                    limit: rate.limit,
                    remaining: rate.remaining,
                    told: rate.remaining,
                    ends: now + left,
                    reset: rate.reset,
                });
                window.remaining = window.told.saturating_sub(others);
            }
        }
    }
}

impl Drop for Turn<'_> {
    fn drop(&mut self) {
        let mut state = self.0.state();
        state.under_way = state.under_way.saturating_sub(1);
    }
}

impl Window {
    /// Makes it the window of this time. Windows follow each other without gaps, so the next one
    /// need not be told of.
    fn go_on(&mut self, now: Instant) {
        while self.ends <= now {
            self.ends += WINDOW;
            self.reset = self.reset.plus_seconds(RATE_WINDOW_SECONDS);
            self.remaining = self.limit;
            // The limit may be another by now.
            self.told = u64::MAX;
        }
    }

    /// Corrects what remains by what the service has said, where so many requests are under way
    /// that it may or may not have counted.
    fn correct(&mut self, under_way: u64) {
        let least = self.told.saturating_sub(under_way);
        self.remaining = self.remaining.clamp(least, self.told);
    }
}

impl Told {
    /// Returns the time until the end of the window, by the service's own clock. `None` when that
    /// cannot be: something on the way changed a header.
    fn left(&self) -> Option<Duration> {
        let left = self.refused.or_else(|| {
            let date = self.date.duration_since(SystemTime::UNIX_EPOCH).ok()?;
            let reset = u64::try_from(self.rate.reset.seconds()).ok()?;
            Duration::from_secs(reset).checked_sub(date)
        })?;
        (left <= WINDOW).then_some(left)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(seconds: i64) -> SystemTime {
        SystemTime::UNIX_EPOCH + Duration::from_secs(seconds.unsigned_abs())
    }

    /// An answer at this second, in a window that ends at 60.
    fn told(second: i64, remaining: u64) -> Told {
        Told {
            rate: RateLimit {
                limit: 3,
                remaining,
                reset: Timestamp::EPOCH.plus_seconds(60),
            },
            date: at(second),
            refused: None,
        }
    }

    /// Takes as many as there are; the wait for the next one.
    fn take_all(pace: &Pace, now: Instant) -> (usize, u64) {
        let mut turns = Vec::new();
        while turns.len() < 100 {
            match pace.take(now) {
                Ok(turn) => turns.push(turn),
                Err(wait) => return (turns.len(), wait.as_secs()),
            }
        }
        (turns.len(), 0)
    }

    fn learn(pace: &Pace, told: Told, now: Instant) {
        pace.force().learn(told, now);
    }

    #[test]
    fn a_window_that_is_used_up_holds_until_its_end() {
        let (pace, start) = (Pace::default(), Instant::now());
        assert_eq!(take_all(&pace, start), (100, 0), "nothing is known");
        learn(&pace, told(50, 2), start);
        assert_eq!(take_all(&pace, start), (2, 10));
        let next = start + Duration::from_secs(10);
        assert_eq!(take_all(&pace, next), (3, 60));
        let much_later = start + Duration::from_secs(605);
        assert_eq!(take_all(&pace, much_later), (3, 5));
    }

    #[test]
    fn requests_under_way_count_until_the_service_has_said_so() {
        let (pace, now) = (Pace::default(), Instant::now());
        let (first, second) = (pace.take(now).unwrap(), pace.take(now).unwrap());
        first.learn(told(50, 2), now);
        drop(first);
        // The service has counted both, or the first alone.
        let third = pace.take(now).unwrap();
        assert!(pace.take(now).is_err());
        third.learn(told(50, 1), now);
        drop(third);
        assert!(pace.take(now).is_err());
        second.learn(told(50, 2), now);
        drop(second);
        assert_eq!(take_all(&pace, now), (1, 10), "all answers are in");
    }

    #[test]
    fn other_programs_use_the_window_too_and_an_earlier_one_is_over() {
        let (pace, now) = (Pace::default(), Instant::now());
        learn(&pace, told(50, 3), now);
        learn(&pace, told(50, 1), now);
        assert_eq!(take_all(&pace, now), (1, 10));
        let later = now + Duration::from_secs(10);
        drop(pace.take(later).unwrap());
        learn(&pace, told(59, 0), later);
        assert_eq!(take_all(&pace, later), (2, 60));
    }

    #[test]
    fn a_limit_that_was_raised_holds_from_the_next_answer_on() {
        let (pace, now) = (Pace::default(), Instant::now());
        learn(&pace, told(50, 0), now);
        let later = now + Duration::from_secs(10);
        drop(pace.take(later).unwrap());
        let mut raised = told(60, 9);
        raised.rate.limit = 10;
        raised.rate.reset = raised.rate.reset.plus_seconds(60);
        learn(&pace, raised, later);
        assert_eq!(take_all(&pace, later), (9, 60));
        let next = later + Duration::from_secs(60);
        assert_eq!(take_all(&pace, next), (10, 60));
    }

    #[test]
    fn a_refusal_counts_whatever_was_thought() {
        let (pace, now) = (Pace::default(), Instant::now());
        learn(&pace, told(50, 3), now);
        let refused = Some(Duration::from_secs(7));
        let refusal = Told {
            refused,
            ..told(50, 0)
        };
        learn(&pace, refusal, now);
        assert_eq!(take_all(&pace, now), (0, 7));
    }

    #[test]
    fn figures_that_cannot_be_hold_nobody_up() {
        let (pace, now) = (Pace::default(), Instant::now());
        let endless = Told {
            refused: Some(Duration::from_secs(86_400)),
            ..told(50, 0)
        };
        let mut far = told(0, 0);
        far.rate.reset = Timestamp::MAX;
        for odd in [told(61, 0), far, endless] {
            learn(&pace, odd, now);
            assert_eq!(take_all(&pace, now), (100, 0), "{odd:?}");
        }
    }
}
