//! Holding requests back that the rate limit would refuse, by the figures in the service's answers.

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

/// The requests that may still be sent, as far as that is known.
#[derive(Debug, Default)]
pub(crate) struct Pace {
    state: Mutex<State>,
    /// Tells those that wait that there may be room before the window ends.
    changed: Notify,
}

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
pub(super) struct Turn<'a> {
    pace: &'a Pace,
    /// The end of the window that it was taken out of, as the service names it.
    taken_from: Option<Timestamp>,
}

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
        let taken_from = state.window.map(|window| window.reset);
        Ok(self.begin(&mut state, taken_from))
    }

    /// Sends a request although the window has none left.
    pub(super) fn force(&self) -> Turn<'_> {
        self.begin(&mut self.state(), None)
    }

    /// Waits until there may be room sooner than [`take`](Self::take) has said. To miss nothing,
    /// call this first.
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
    /// Ends the turn of a request that did not reach the service, which therefore does not count
    /// it. A network that is down for some seconds would use up the window otherwise.
    pub(super) fn give_back(self) {
        let mut state = self.pace.state();
        let window = state.window.as_mut();
        if let Some(window) = window.filter(|window| Some(window.reset) == self.taken_from) {
            let most = window.told.min(window.limit);
            window.remaining = window.remaining.saturating_add(1).min(most);
            self.pace.changed.notify_one();
        }
    }

    /// Takes note of the answer, which arrived just now.
    pub(super) fn learn(&self, told: Told, now: Instant) {
        let Told { rate, .. } = told;
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
mod tests;
