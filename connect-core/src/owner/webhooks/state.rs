//! The row in which the workers keep what they know of a webhook: who is at it, and how it does.

use serde::{Deserialize, Serialize};
use uuid::Uuid;

use crate::{
    rules::webhook::{count_failure, has_come, is_probed, next_probe},
    storage::{Key, Value},
    transaction::{
        DeliveryAttempt, Fault, Unit, Webhook,
        keys::{Family, NOBODY, Part, key},
    },
    wire::{Id, Timestamp},
};

/// The health of the endpoint of a webhook.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct WebhookHealth {
    /// The number of attempts that have failed since one did not, or since the webhook was switched
    /// on. From 5 on one attempt a minute is made, and at 50 the webhook is switched off.
    pub failures_in_a_row: u32,
    /// The time at which an attempt last ended well.
    pub last_success_at: Option<Timestamp>,
    /// The time at which an attempt last failed.
    pub last_failure_at: Option<Timestamp>,
}

impl WebhookHealth {
    /// Returns whether one attempt a minute is made, and everything else waits for one to succeed.
    pub fn is_probed(&self) -> bool {
        is_probed(self.failures_in_a_row)
    }

    /// The time before which no attempt is made, while the endpoint is probed.
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
    /// The session that has the webhook to itself.
    pub(crate) lease: Option<Lease>,
    /// The place of the webhook in the order in which webhooks are due; `None` while it is not in
    /// there.
    pub(crate) due: Option<Timestamp>,
    /// Set once it was logged that the webhook leads to no account, until it does again.
    #[serde(default)]
    pub(crate) is_lost: bool,
    /// The time at which the webhook was switched on when the failures were counted.
    pub(crate) counted_since: Option<Timestamp>,
    pub(crate) health: WebhookHealth,
    /// The attempts that have failed since one did not, for the message to the owner.
    #[serde(default)]
    pub(crate) failing: Option<Failing>,
    /// The time at which the webhook was switched on when what had waited was put in order.
    #[serde(default)]
    pub(crate) resumed: Option<Timestamp>,
    /// The time since which the front of the queue cannot be read.
    #[serde(default)]
    pub(crate) unreadable_since: Option<Timestamp>,
}

/// A row of failed attempts.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Failing {
    /// The end of the first of them.
    pub(crate) since: Timestamp,
    /// The reason of the last one, in a sentence.
    pub(crate) reason: Option<String>,
}

/// The right to deliver to a webhook.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Lease {
    pub(crate) session: Uuid,
    pub(crate) until: Timestamp,
}

/// The seconds of a session's lease after each commit. Its work ends
/// [earlier](crate::rules::lease::LEASE_MARGIN).
pub(crate) const LEASE: i64 = 60;

impl Lease {
    /// The lease of a session from now on.
    pub(crate) fn new(session: Uuid, now: Timestamp) -> Self {
        let until = now.plus_seconds(LEASE);
        Self { session, until }
    }

    /// Returns whether another session may take it.
    pub(crate) fn is_over(&self, now: Timestamp) -> bool {
        has_come(self.until, self.until.plus_seconds(-LEASE), now)
    }
}

impl WebhookState {
    /// The key of the state of a webhook.
    pub(crate) fn key(webhook: Id<Webhook>) -> Key {
        key(webhook.uuid(), Family::WebhookState, &[])
    }

    /// Reads the state. One that is damaged begins anew: the deliveries are in rows of their own.
    pub(crate) fn read(key: &[u8], row: Option<&Value>) -> Self {
        let Some(row) = row else {
            return Self::default();
        };
        serde_json::from_slice(row).unwrap_or_else(|error| {
            let fault = Fault::corrupt(key, error);
            tracing::error!(%fault, "the state of a webhook begins anew");
            Self::default()
        })
    }

    /// Returns whether the lease is of this session. One that is over still is, until another session
    /// takes it.
    pub(crate) fn is_leased_to(&self, session: Uuid) -> bool {
        self.lease.is_some_and(|lease| lease.session == session)
    }

    /// Returns how the endpoint does since the webhook was switched on at `enabled_at`. Failures from
    /// before do not count.
    pub(crate) fn health_since(&self, enabled_at: Timestamp) -> WebhookHealth {
        let mut health = self.health;
        if self.counted_since != Some(enabled_at) {
            health.failures_in_a_row = 0;
        }
        health
    }

    /// Counts an attempt that reached out for the endpoint, at a webhook that was switched on at
    /// `enabled_at`.
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

    /// Writes the state of the webhook that the unit works on, and moves its entry to `due`.
    pub(crate) fn save(mut self, unit: &mut Unit<'_>, due: Option<Timestamp>) {
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
        let row = unit.json(&self);
        unit.put(WebhookState::key(webhook), row);
    }
}

/// The key of the entry in the order in which webhooks are due.
pub(crate) fn due_key(due: Timestamp, webhook: Id<Webhook>) -> Key {
    let parts = [Part::Time(due), Part::Id(webhook.uuid())];
    key(NOBODY, Family::WebhookByDue, &parts)
}
