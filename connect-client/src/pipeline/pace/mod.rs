//! Client-side pacing by the rate limit in the service's answers.

use std::{
    sync::{Mutex, MutexGuard, PoisonError},
    time::{Duration, SystemTime},
};

use tokio::{
    sync::{Notify, futures::Notified},
    time::Instant,
};

use crate::{
    call::RateLimit,
    wire::{Timestamp, limits::RATE_WINDOW_SECONDS},
};

/// The length of a window.
const WINDOW: Duration = Duration::from_secs(RATE_WINDOW_SECONDS.unsigned_abs());

/// The known remainder of the rate limit.
#[derive(Debug, Default)]
pub(crate) struct Pace {
    state: Mutex<State>,
    /// Notifies waiting requests about possible room before the window ends.
    changed: Notify,
}

#[derive(Debug, Default)]
struct State {
    /// Requests with a turn: the service has counted each, or will.
    under_way: u64,
    /// The current window, once an answer has named it.
    window: Option<Window>,
}

#[derive(Clone, Copy, Debug)]
struct Window {
    limit: u64,
    /// The number of requests left in it.
    remaining: u64,
    /// The lowest remainder reported by the service.
    /// `u64::MAX` before the first report.
    told: u64,
    /// Its end on this machine's clock.
    ends: Instant,
    /// Its end by the service's clock.
    reset: Timestamp,
}

/// Permission to send one request. Ends when dropped.
#[derive(Debug)]
pub(super) struct Turn<'a> {
    pace: &'a Pace,
    /// The end of its window by the service's clock.
    taken_from: Option<Timestamp>,
}

/// The rate limit in an answer.
#[derive(Clone, Copy, Debug)]
pub(super) struct RateInfo {
    pub(super) rate: RateLimit,
    /// The service's clock at the time of the answer.
    pub(super) date: SystemTime,
    /// The wait requested by a refusal for the rate limit.
    pub(super) refused: Option<Duration>,
}

impl Pace {
    /// Takes a turn from the window, or returns the necessary wait.
    /// Waiting reserves nothing: take again afterwards.
    pub(super) fn take(&self, now: Instant) -> Result<Turn<'_>, Duration> {
        let mut state = self.state();
        if let Some(window) = &mut state.window {
            window.go_on(now);
            match window.remaining.checked_sub(1) {
                Some(remaining) => window.remaining = remaining,
                None => return Err(window.ends - now),
            }
        }
        let taken_from = state.window.map(|window| window.reset);
        Ok(self.begin(&mut state, taken_from))
    }

    /// Gives a turn beyond the window.
    pub(super) fn force(&self) -> Turn<'_> {
        self.begin(&mut self.state(), None)
    }

    /// Waits for possible room before the time from [`take`](Self::take).
    /// To miss no notification, call this before `take`.
    pub(super) fn changed(&self) -> Notified<'_> {
        self.changed.notified()
    }

    fn begin(&self, state: &mut State, taken_from: Option<Timestamp>) -> Turn<'_> {
        state.under_way += 1;
        Turn {
            pace: self,
            taken_from,
        }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        // Plain values: a panic elsewhere cannot have left them half written.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Turn<'_> {
    /// Returns the turn of a request not received by the service.
    /// The service has not counted it. Otherwise a network failure of some seconds would use up the
    /// window.
    pub(super) fn give_back(self) {
        let mut state = self.pace.state();
        let window = state.window.as_mut();
        if let Some(window) = window.filter(|window| Some(window.reset) == self.taken_from) {
            let most = window.told.min(window.limit);
            window.remaining = window.remaining.saturating_add(1).min(most);
            self.pace.changed.notify_one();
        }
    }

    /// Learns from an answer just received.
    pub(super) fn learn(&self, told: RateInfo, now: Instant) {
        let RateInfo { rate, .. } = told;
        let Some(left) = told.left() else {
            return;
        };
        let mut state = self.pace.state();
        // The answered one is counted.
        let others = state.under_way.saturating_sub(1);
        match &mut state.window {
            Some(window) if told.refused.is_none() && rate.reset <= window.reset => {
                // An answer of an earlier window says nothing any more.
                if rate.reset == window.reset {
                    window.limit = rate.limit;
                    window.told = window.told.min(rate.remaining);
                    // The service may or may not have counted the others.
                    let least = window.told.saturating_sub(others);
                    window.remaining = window.remaining.clamp(least, window.told);
                }
            }
            window => {
                *window = Some(Window {
                    limit: rate.limit,
                    remaining: rate.remaining.saturating_sub(others),
                    told: rate.remaining,
                    ends: now + left,
                    reset: rate.reset,
                });
            }
        }
        // There may be more left than was thought, or the window may end earlier.
        self.pace.changed.notify_waiters();
    }
}

impl Drop for Turn<'_> {
    fn drop(&mut self) {
        let mut state = self.pace.state();
        state.under_way = state.under_way.saturating_sub(1);
    }
}

impl Window {
    /// Advances the window to this time.
    /// Windows follow each other without gaps, so the next one is known without an answer.
    fn go_on(&mut self, now: Instant) {
        while self.ends <= now {
            self.ends += WINDOW;
            self.reset = self.reset.plus_seconds(RATE_WINDOW_SECONDS);
            self.remaining = self.limit;
            // The limit may be another by now.
            self.told = u64::MAX;
        }
    }
}

impl RateInfo {
    /// Returns the time left in the window, by the service's clock.
    /// `None` for an impossible value: a proxy has changed a header.
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
mod tests;
