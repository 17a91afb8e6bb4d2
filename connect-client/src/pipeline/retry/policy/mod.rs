//! The retry decision, and its settings.

use std::time::Duration;

use crate::transport::Fault;

/// The least time left to an attempt by a wait.
/// It applies to waits for the rate limit and for `Retry-After`. An attempt cut short ends with an
/// unknown outcome.
pub(crate) const LEAST_ATTEMPT: Duration = Duration::from_secs(1);

/// The rules for repeating a failed request.
///
/// Retried are 408 (the request arrived too slowly), 429, 5xx (except 501 and 505, which time does not
/// cure) and network faults; nothing else.
///
/// The wait before attempt *n + 1* is drawn evenly from zero to `base * 2^(n-1)`, at most `cap` (full
/// jitter). When the service sends `Retry-After`, the drawn time is added to it, so that many clients
/// do not return at one instant.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct RetryPolicy {
    /// The maximum number of attempts, including the first. 0 counts as 1.
    pub max_attempts: u32,
    /// The longest wait before the second attempt.
    pub base: Duration,
    /// The longest drawn wait, for any attempt.
    pub cap: Duration,
    /// The longest time of a call, including all attempts and waits.
    /// A `Retry-After` leaving less than a second for another attempt ends the call at once.
    pub budget: Duration,
}

impl Default for RetryPolicy {
    /// 5 attempts, 200 ms doubling to 10 s, 60 s in all.
    /// The service counts requests in windows of a minute, so a client at the rate limit succeeds in
    /// the next window.
    fn default() -> Self {
        Self {
            max_attempts: 5,
            base: Duration::from_millis(200),
            cap: Duration::from_secs(10),
            budget: Duration::from_secs(60),
        }
    }
}

/// The reason for not repeating a retryable request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum GaveUp {
    /// All attempts were used.
    Attempts,
    /// The time for the call is over, or too short for the next wait.
    Budget,
    /// The requested wait leaves less than a second of the budget.
    RetryAfter,
}

/// The ways an attempt fails.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Outcome {
    /// The service answered with an error.
    Answer {
        status: u16,
        retry_after: Option<Duration>,
    },
    /// No complete answer arrived.
    Fault(Fault),
}

/// The decision after a failed attempt.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Decision {
    /// Send the request again after this time.
    Wait(Duration),
    /// Report the failure; `None` when a repetition cannot help.
    GiveUp(Option<GaveUp>),
}

/// Returns whether the same request may succeed later.
pub(crate) fn is_retryable(status: u16) -> bool {
    matches!(status, 408 | 429) || ((500..=599).contains(&status) && !matches!(status, 501 | 505))
}

impl RetryPolicy {
    /// Allows a single attempt.
    pub fn never() -> Self {
        Self {
            max_attempts: 1,
            ..Self::default()
        }
    }

    /// These settings with another [`max_attempts`](Self::max_attempts).
    #[must_use]
    pub fn max_attempts(self, max_attempts: u32) -> Self {
        Self {
            max_attempts,
            ..self
        }
    }

    /// These settings with another [`base`](Self::base) and [`cap`](Self::cap).
    #[must_use]
    pub fn backoff(self, base: Duration, cap: Duration) -> Self {
        Self { base, cap, ..self }
    }

    /// These settings with another [`budget`](Self::budget).
    #[must_use]
    pub fn budget(self, budget: Duration) -> Self {
        Self { budget, ..self }
    }

    /// Decides the next step after a failed attempt.
    /// `attempt` counts from 1, `elapsed` is the time since the call began, and `draw` draws evenly
    /// from zero to the longest wait.
    pub(crate) fn decide(
        &self,
        attempt: u32,
        outcome: Outcome,
        elapsed: Duration,
        draw: impl FnOnce(Duration) -> Duration,
    ) -> Decision {
        let (retryable, asked) = match outcome {
            Outcome::Answer {
                status,
                retry_after,
            } => (is_retryable(status), retry_after.unwrap_or_default()),
            Outcome::Fault(fault) => (fault.may_pass(), Duration::ZERO),
        };
        if !retryable {
            return Decision::GiveUp(None);
        }
        if attempt >= self.max_attempts {
            return Decision::GiveUp(Some(GaveUp::Attempts));
        }
        let left = self.budget.saturating_sub(elapsed);
        let doubled = 2_u32.saturating_pow(attempt.saturating_sub(1));
        let drawn = draw(self.base.saturating_mul(doubled).min(self.cap));
        if left.is_zero() || (asked.is_zero() && drawn > left) {
            return Decision::GiveUp(Some(GaveUp::Budget));
        }
        if !asked.is_zero() && left.saturating_sub(asked) < LEAST_ATTEMPT {
            return Decision::GiveUp(Some(GaveUp::RetryAfter));
        }
        // Half of the time left after the requested wait is kept for the attempt: a little less jitter is
        // better than giving up.
        Decision::Wait(asked + drawn.min((left - asked) / 2))
    }
}

#[cfg(test)]
mod tests;
