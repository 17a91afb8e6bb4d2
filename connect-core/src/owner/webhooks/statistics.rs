//! The recent deliveries of a webhook in numbers, from its log.

use super::log::{PIECE, log_end, may_see};
use crate::{
    engine::Connect,
    rules::webhook::is_success,
    transaction::{Account, Delivery, DeliveryAttempt, Error, Fault, Webhook},
    wire::{Id, Timestamp},
};

/// The recent deliveries of a webhook in numbers.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct DeliveryStats {
    /// The number of deliveries looked at, the newest of the log.
    pub deliveries: usize,
    /// The attempts of the last 24 hours.
    pub day: AttemptStats,
    /// The attempts of the last seven days.
    pub week: AttemptStats,
    /// The last failed attempt of these deliveries.
    pub last_failure: Option<FailedAttempt>,
    /// The number of waiting events, as by [`waiting_events`](Connect::waiting_events).
    pub waiting: usize,
    /// The time of the next attempt; `None` without one, and while the webhook is off.
    pub next_attempt_at: Option<Timestamp>,
}

/// The attempts of a time in numbers.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct AttemptStats {
    /// The number of attempts.
    pub attempts: usize,
    /// The number of successful ones.
    pub succeeded: usize,
    /// The median time to an answer, in milliseconds; `None` without an answer.
    pub median_ms: Option<u64>,
    /// The longest time to an answer, in milliseconds; `None` without an answer.
    pub slowest_ms: Option<u64>,
    /// Set if the time has more deliveries than were looked at.
    pub is_part: bool,
}

/// A failed attempt and its delivery.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FailedAttempt {
    /// The delivery.
    pub delivery: Id<Delivery>,
    /// The attempt.
    pub attempt: DeliveryAttempt,
}

/// The attempts since a time.
struct AttemptCounts {
    since: Timestamp,
    attempts: usize,
    succeeded: usize,
    /// The times to an answer, in milliseconds.
    answered_in: Vec<u64>,
}

impl AttemptCounts {
    fn since(since: Timestamp) -> Self {
        Self {
            since,
            attempts: 0,
            succeeded: 0,
            answered_in: Vec::new(),
        }
    }

    fn add(&mut self, attempt: &DeliveryAttempt) {
        if attempt.at < self.since {
            return;
        }
        self.attempts += 1;
        self.succeeded += usize::from(has_succeeded(attempt));
        if attempt.status_code.is_some() {
            self.answered_in.push(attempt.duration_ms);
        }
    }

    /// Returns the numbers. `oldest` is the creation of the last delivery before the bound.
    fn stats(mut self, oldest: Option<Timestamp>) -> AttemptStats {
        self.answered_in.sort_unstable();
        AttemptStats {
            attempts: self.attempts,
            succeeded: self.succeeded,
            median_ms: self.answered_in.get(self.answered_in.len() / 2).copied(),
            slowest_ms: self.answered_in.last().copied(),
            is_part: oldest.is_some_and(|oldest| oldest > self.since),
        }
    }
}

impl Connect {
    /// Counts the attempts of the last 24 hours and seven days at a webhook.
    /// Looks at the newest deliveries within the caller's reach, at most `most` of the log.
    ///
    /// # Errors
    /// [`Error::NotFound`]: there is no such webhook.
    pub async fn delivery_stats(
        &self,
        account: Id<Account>,
        webhook: Id<Webhook>,
        most: usize,
    ) -> Result<DeliveryStats, Error> {
        let (found, health) = self.webhook_with_health(account, webhook).await?;
        let now = self.now();
        let (mut day, mut week) = (
            AttemptCounts::since(now.plus_days(-1)),
            AttemptCounts::since(now.plus_days(-7)),
        );
        let mut stats = DeliveryStats::default();
        let (mut end, mut left) = (log_end(webhook, None), most);
        // Where the bound was reached.
        let mut oldest = None;
        while left > 0 {
            let limit = left.min(PIECE);
            let (reach, rows) = self.log_before(account, webhook, &end, limit).await?;
            for (place, row) in &rows {
                let delivery: Delivery =
                    serde_json::from_slice(row).map_err(|e| Fault::corrupt(place, e))?;
                oldest = Some(delivery.created_at);
                if !may_see(&reach, &delivery) {
                    continue;
                }
                stats.deliveries += 1;
                for attempt in &delivery.attempts {
                    day.add(attempt);
                    week.add(attempt);
                    stats.note_failure(delivery.id, attempt);
                }
            }
            left = left.saturating_sub(rows.len());
            let is_full = rows.len() == limit;
            match rows.into_iter().next_back().filter(|_| is_full) {
                Some((place, _)) => end = place,
                None => {
                    oldest = None;
                    break;
                }
            }
        }
        let queue = self.waiting_queue(webhook).await?;
        let due = queue.first_due.filter(|_| found.is_enabled());
        let probe = health.next_probe();
        Ok(DeliveryStats {
            day: day.stats(oldest),
            week: week.stats(oldest),
            waiting: queue.count,
            next_attempt_at: due.map(|due| probe.map_or(due, |probe| due.max(probe))),
            ..stats
        })
    }
}

impl DeliveryStats {
    /// Keeps the last of the failed attempts.
    fn note_failure(&mut self, delivery: Id<Delivery>, attempt: &DeliveryAttempt) {
        let last = self.last_failure.as_ref().map(|last| last.attempt.at);
        if !has_succeeded(attempt) && last.is_none_or(|last| attempt.at > last) {
            let attempt = attempt.clone();
            self.last_failure = Some(FailedAttempt { delivery, attempt });
        }
    }
}

fn has_succeeded(attempt: &DeliveryAttempt) -> bool {
    attempt.status_code.is_some_and(is_success)
}
