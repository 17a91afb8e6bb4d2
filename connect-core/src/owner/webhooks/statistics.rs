//! The recent deliveries of a webhook in numbers, from its log.

use serde::Deserialize;

use super::log::{LogEntry, PIECE, is_at, log_end};
use crate::{
    engine::Connect,
    rules::webhook::{RETRY_HORIZON, is_success},
    storage::{Entry, Key, Value},
    transaction::{Account, Delivery, DeliveryAttempt, Error, Fault, Webhook},
    wire::{Id, Location, Timestamp},
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
    /// Set if deliveries not looked at may have attempts in the time.
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

/// The fields of a logged delivery needed for its numbers.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct CountedDelivery {
    location_id: Option<Id<Location>>,
    attempts: Vec<CountedAttempt>,
    created_at: Timestamp,
}

/// The fields of an attempt needed for its numbers.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct CountedAttempt {
    at: Timestamp,
    duration_ms: u64,
    status_code: Option<u16>,
}

impl CountedAttempt {
    fn has_succeeded(&self) -> bool {
        self.status_code.is_some_and(is_success)
    }
}

/// The last failed attempt so far, with the row of its delivery.
struct LastFailure {
    at: Timestamp,
    place: Key,
    row: Value,
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

    fn add(&mut self, attempt: &CountedAttempt) {
        if attempt.at < self.since {
            return;
        }
        self.attempts += 1;
        self.succeeded += usize::from(attempt.has_succeeded());
        if attempt.status_code.is_some() {
            self.answered_in.push(attempt.duration_ms);
        }
    }

    /// Returns the numbers. `begun` is the last time at which a delivery not looked at may have begun.
    fn stats(mut self, begun: Option<Timestamp>) -> AttemptStats {
        // Its attempts go on from there.
        let last = begun.map(|begun| begun.plus_seconds(RETRY_HORIZON));
        self.answered_in.sort_unstable();
        AttemptStats {
            attempts: self.attempts,
            succeeded: self.succeeded,
            median_ms: self.answered_in.get(self.answered_in.len() / 2).copied(),
            slowest_ms: self.answered_in.last().copied(),
            is_part: last.is_some_and(|last| last > self.since),
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
        let (found, state) = self.webhook_with_state(account, webhook).await?;
        let now = self.now();
        let (mut day, mut week) = (
            AttemptCounts::since(now.plus_days(-1)),
            AttemptCounts::since(now.plus_days(-7)),
        );
        let (mut deliveries, mut failure) = (0, None);
        let (mut end, mut left) = (log_end(webhook, None), most);
        // Where the bound was reached.
        let mut oldest = None;
        while left > 0 {
            let limit = left.min(PIECE);
            let (reach, rows) = self.log_before(account, webhook, &end, limit).await?;
            for entry in &rows {
                let (place, row) = entry;
                let delivery: CountedDelivery =
                    serde_json::from_slice(row).map_err(|e| Fault::corrupt(place, e))?;
                oldest = Some(delivery.created_at);
                if !is_at(&reach, delivery.location_id) {
                    continue;
                }
                deliveries += 1;
                for attempt in &delivery.attempts {
                    day.add(attempt);
                    week.add(attempt);
                    note_failure(&mut failure, attempt, entry);
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
        // Older ones may have waited for a switch-on.
        let switched_on = Some(found.enabled_at).filter(|at| *at > found.created_at);
        let begun = oldest.map(|oldest| switched_on.map_or(oldest, |on| on.max(oldest)));
        let queue = self.waiting_queue(webhook).await?;
        let due = queue.next_due(state.due).filter(|_| found.is_enabled());
        let probe = state.health_since(found.enabled_at).next_probe();
        Ok(DeliveryStats {
            deliveries,
            day: day.stats(begun),
            week: week.stats(begun),
            last_failure: match failure {
                Some(failure) => failure.read()?,
                None => None,
            },
            waiting: queue.count,
            next_attempt_at: due.map(|due| probe.map_or(due, |probe| due.max(probe))),
        })
    }
}

impl LastFailure {
    /// Reads the attempt with all its fields.
    fn read(self) -> Result<Option<FailedAttempt>, Fault> {
        let Delivery { id, attempts, .. } = LogEntry::read(self.place, self.row)?.delivery;
        let attempt = attempts
            .into_iter()
            .find(|attempt| attempt.at == self.at && !attempt.status_code.is_some_and(is_success));
        Ok(attempt.map(|attempt| FailedAttempt {
            delivery: id,
            attempt,
        }))
    }
}

/// Keeps the last of the failed attempts.
fn note_failure(last: &mut Option<LastFailure>, attempt: &CountedAttempt, (place, row): &Entry) {
    let is_last = last.as_ref().is_none_or(|last| attempt.at > last.at);
    if is_last && !attempt.has_succeeded() {
        *last = Some(LastFailure {
            at: attempt.at,
            place: place.clone(),
            row: row.clone(),
        });
    }
}
