//! The workers' row about a webhook: its lease and its health.

use serde::{Deserialize, Serialize};
use uuid::Uuid;

use crate::{
    rules::webhook::{count_failure, has_come, is_probed, next_probe},
    storage::{Key, Value},
    transaction::{
        DeliveryAttempt, Fault, UnitOfWork, Webhook,
        keys::{Family, GLOBAL, KeyPart, key},
    },
    wire::{Id, Timestamp},
};

/// The health of the endpoint of a webhook.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct WebhookHealth {
    /// The consecutive failures since the last success.
    /// Switching the webhook on sets it to 0. From 5 on one attempt a minute is made, and at 50 the
    /// webhook is switched off.
    pub failures_in_a_row: u32,
    /// The time of the last successful attempt.
    pub last_success_at: Option<Timestamp>,
    /// The time of the last failed attempt.
    pub last_failure_at: Option<Timestamp>,
    /// The time of the first of the consecutive failures; `None` without one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub failing_since: Option<Timestamp>,
}

impl WebhookHealth {
    /// Returns whether only one attempt a minute is made.
    /// All other deliveries wait for a success.
    pub fn is_probed(&self) -> bool {
        is_probed(self.failures_in_a_row)
    }

    /// The earliest time of the next attempt while the endpoint is probed.
    pub fn next_probe(&self) -> Option<Timestamp> {
        self.last_failure_at
            .filter(|_| self.is_probed())
            .map(next_probe)
    }

    /// Returns whether an attempt may be made now.
    pub(crate) fn may_attempt(&self, now: Timestamp) -> bool {
        let next = self.next_probe().zip(self.last_failure_at);
        next.is_none_or(|(next, failed_at)| has_come(next, failed_at, now))
    }
}

/// The state of a webhook.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct WebhookState {
    /// The session with the sole right to deliver, and its end.
    pub(crate) lease: Option<WebhookLease>,
    /// The time in its entry of the due order; `None` without an entry.
    pub(crate) due: Option<Timestamp>,
    /// Set after logging a webhook without an account, until it has one again.
    #[serde(default)]
    pub(crate) is_lost: bool,
    /// The `enabled_at` of the webhook when failures were counted.
    pub(crate) counted_since: Option<Timestamp>,
    pub(crate) health: WebhookHealth,
    /// The failures since the last success, for the message to the owner.
    #[serde(default)]
    pub(crate) failing: Option<Failing>,
    /// The `enabled_at` of the webhook when its waiting events were settled.
    #[serde(default)]
    pub(crate) resumed: Option<Timestamp>,
    /// The start of the time with an unreadable front of the queue.
    #[serde(default)]
    pub(crate) unreadable_since: Option<Timestamp>,
}

/// A series of failed attempts.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Failing {
    /// The time of the first failed attempt.
    pub(crate) since: Timestamp,
    /// The reason for the last failure, in a sentence.
    pub(crate) reason: Option<String>,
}

/// The right to deliver to a webhook.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct WebhookLease {
    pub(crate) session: Uuid,
    pub(crate) until: Timestamp,
}

/// The seconds of a session's lease after each commit.
/// Its work ends [earlier](crate::rules::lease::LEASE_MARGIN).
pub(crate) const LEASE: i64 = 60;

impl WebhookLease {
    /// The lease of a session from now on.
    pub(crate) fn new(session: Uuid, now: Timestamp) -> Self {
        let until = now.plus_seconds(LEASE);
        Self { session, until }
    }

    /// Returns whether the lease has expired and another session may take it.
    pub(crate) fn is_over(&self, now: Timestamp) -> bool {
        has_come(self.until, self.until.plus_seconds(-LEASE), now)
    }
}

impl WebhookState {
    /// The key of the state of a webhook.
    pub(crate) fn key(webhook: Id<Webhook>) -> Key {
        key(webhook.uuid(), Family::WebhookState, &[])
    }

    /// Reads the state.
    /// A damaged one starts empty: the deliveries have rows of their own.
    pub(crate) fn read(key: &[u8], row: Option<&Value>) -> Self {
        let Some(row) = row else {
            return Self::default();
        };
        serde_json::from_slice(row).unwrap_or_else(|error| {
            let fault = Fault::corrupt(key, error);
            tracing::error!(%fault, "the unreadable state of a webhook is reset");
            Self::default()
        })
    }

    /// Returns whether the lease is of this session.
    /// An expired lease still is, until another session takes it.
    pub(crate) fn is_leased_to(&self, session: Uuid) -> bool {
        self.lease.is_some_and(|lease| lease.session == session)
    }

    /// Returns the health of the endpoint since `enabled_at`, the switch-on of the webhook.
    /// Earlier failures do not count.
    pub(crate) fn health_since(&self, enabled_at: Timestamp) -> WebhookHealth {
        let mut health = self.health;
        if self.counted_since != Some(enabled_at) {
            health.failures_in_a_row = 0;
        }
        let failing = self.failing.as_ref().map(|failing| failing.since);
        health.failing_since = failing.filter(|_| health.failures_in_a_row > 0);
        health
    }

    /// Counts an attempt to reach the endpoint.
    /// `enabled_at` is the time the webhook was switched on.
    pub(crate) fn count(
        &mut self,
        attempt: &DeliveryAttempt,
        (is_success, is_probe): (bool, bool),
        enabled_at: Timestamp,
    ) {
        self.health = self.health_since(enabled_at);
        self.counted_since = Some(enabled_at);
        if is_success {
            self.health.failures_in_a_row = 0;
            self.health.last_success_at = Some(attempt.at);
            self.failing = None;
            return;
        }
        let is_first = self.health.failures_in_a_row == 0;
        let since = self.failing.take().filter(|_| !is_first);
        self.failing = Some(Failing {
            since: since.map_or(attempt.at, |failing| failing.since),
            reason: attempt.reason.clone(),
        });
        self.health.failures_in_a_row = count_failure(self.health.failures_in_a_row, is_probe);
        self.health.last_failure_at = Some(attempt.at);
    }

    /// Writes the state of the unit's webhook and moves its entry to `due`.
    pub(crate) fn save(mut self, unit: &mut UnitOfWork<'_>, due: Option<Timestamp>) {
        let webhook = unit.partition().into();
        if self.due != due {
            if let Some(old) = self.due {
                unit.delete(due_key(old, webhook));
            }
            if let Some(new) = due {
                // The value is the time at which it was set.
                let set_at = unit.json(&unit.now());
                unit.put_new(due_key(new, webhook), set_at);
            }
            self.due = due;
        }
        // `failing` has it.
        self.health.failing_since = None;
        let row = unit.json(&self);
        unit.put(WebhookState::key(webhook), row);
    }
}

/// The key of a webhook's entry in the due order.
pub(crate) fn due_key(due: Timestamp, webhook: Id<Webhook>) -> Key {
    let parts = [KeyPart::Time(due), KeyPart::Id(webhook.uuid())];
    key(GLOBAL, Family::WebhookByDue, &parts)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_lease_is_over_in_time_or_when_the_clock_is_set_back() {
        let at = |seconds: i64| Timestamp::EPOCH.plus_seconds(1000 + seconds);
        let lease = WebhookLease::new(Uuid::nil(), at(0));
        for (now, is_over) in [(-301, true), (-300, false), (59, false), (60, true)] {
            assert_eq!(lease.is_over(at(now)), is_over, "{now}");
        }
    }
}
