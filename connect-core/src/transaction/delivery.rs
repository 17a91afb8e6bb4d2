//! Deliveries: an event on its way to a webhook.
//!
//! A pending delivery lies in the queue of its webhook, ordered by due time. The commit of the
//! change adds it together with the event. After its first attempt, it also lies under its id, in a
//! log kept for 30 days.

use serde::{Deserialize, Serialize};
use uuid::Uuid;

use super::{
    Webhook,
    event_id::number_in,
    keys::{Family, GLOBAL, KeyPart, key},
};
use crate::{
    storage::Key,
    wire::{AnyEvent, EventType, Id, Location, Timestamp},
};

/// An event on its way to a webhook, with all attempts at it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Delivery {
    /// Its id, the same in every attempt.
    /// Sending a delivery again by hand creates a new one.
    pub id: Id<Self>,
    /// The webhook.
    pub webhook_id: Id<Webhook>,
    /// The event.
    pub event_id: Id<AnyEvent>,
    /// The type of the event; `ping` for a plain test.
    pub event_type: EventType,
    /// The location of the event; `null` for a `ping`.
    pub location_id: Option<Id<Location>>,
    /// The state.
    pub status: DeliveryStatus,
    /// The attempts, oldest first: at most seven.
    pub attempts: Vec<DeliveryAttempt>,
    /// The time of the next attempt, while it is `pending`.
    pub next_attempt_at: Option<Timestamp>,
    /// The time of its creation.
    pub created_at: Timestamp,
    /// The delivery in place of this one, after it was given up.
    /// Set when it was sent again by hand, or when it was a `stock.changed` and a newer one of its
    /// product came. Left out otherwise.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub replaced_by: Option<Id<Self>>,
    /// The last switch-on of its webhook before the event.
    /// It separates deliveries from before a switch-on from later ones, independently of the
    /// clocks. Left out by earlier versions.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub webhook_enabled_at: Option<Timestamp>,
    /// Set for a test of a type of events.
    /// Its event is made up, and not stored.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub is_test: bool,
    /// The time of a test's event, after the test was sent again.
    /// Left out otherwise: the event is as old as the delivery, or stored.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub event_at: Option<Timestamp>,
}

/// The state of a delivery.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum DeliveryStatus {
    /// An attempt is to come. While its webhook is off, it waits.
    Pending,
    /// The endpoint accepted it.
    Delivered,
    /// No more attempts are made. It can be sent again by hand.
    GivenUp,
}

/// An attempt at a delivery.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct DeliveryAttempt {
    /// The time of its end.
    pub at: Timestamp,
    /// Its duration, in milliseconds.
    pub duration_ms: u64,
    /// The status code of the answer; `null` without an answer.
    pub status_code: Option<u16>,
    /// The reason of the failure, in a sentence; `null` after a success.
    pub reason: Option<String>,
    /// The first 500 characters of the answer's body; left out if empty.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub response: Option<String>,
}

impl Delivery {
    /// The delivery of an event created at `now`, due at once.
    pub(crate) fn new(id: Uuid, webhook: &Webhook, event: EventRef, now: Timestamp) -> Self {
        Self {
            id: id.into(),
            webhook_id: webhook.id,
            event_id: event.id,
            event_type: event.kind,
            location_id: event.location,
            status: DeliveryStatus::Pending,
            attempts: Vec::new(),
            next_attempt_at: Some(now),
            created_at: now,
            replaced_by: None,
            webhook_enabled_at: Some(webhook.enabled_at),
            is_test: event.is_test,
            event_at: event.at,
        }
    }

    /// Returns whether it was created before the switch-on at `enabled_at`.
    pub(crate) fn is_from_before(&self, enabled_at: Timestamp) -> bool {
        self.webhook_enabled_at.unwrap_or(self.created_at) < enabled_at
    }

    /// The event to deliver.
    pub(crate) fn event(&self) -> EventRef {
        EventRef {
            id: self.event_id,
            kind: self.event_type.clone(),
            location: self.location_id,
            is_test: self.is_test,
            at: self.event_key().is_none().then(|| self.event_time()),
        }
    }

    /// The time of a test's event, the same when it is sent again.
    pub(crate) fn event_time(&self) -> Timestamp {
        self.event_at.unwrap_or(self.created_at)
    }

    /// The time of the scheduling of its next attempt.
    /// A first attempt is due at once.
    pub(crate) fn scheduled_at(&self) -> Timestamp {
        let first = self.next_attempt_at.unwrap_or(self.created_at);
        self.attempts.last().map_or(first, |attempt| attempt.at)
    }

    /// The key of the event; `None` for a test, without a stored event.
    pub(crate) fn event_key(&self) -> Option<Key> {
        if self.is_test {
            return None;
        }
        let sequence = KeyPart::Number(number_in(self.event_id.uuid()));
        let location = self.location_id?.uuid();
        Some(key(location, Family::Event, &[sequence]))
    }

    /// Its key in the log.
    pub(crate) fn log_key(&self) -> Key {
        log_key(self.webhook_id, self.id)
    }

    /// Its key in the queue of its webhook, while it is pending.
    pub(crate) fn queue_key(&self) -> Option<Key> {
        let parts = [
            KeyPart::Time(self.next_attempt_at?),
            KeyPart::Id(self.id.uuid()),
        ];
        Some(key(self.webhook_id.uuid(), Family::DeliveryByDue, &parts))
    }
}

/// The event of a delivery, without its data.
#[derive(Clone, Debug)]
pub(crate) struct EventRef {
    pub(crate) id: Id<AnyEvent>,
    pub(crate) kind: EventType,
    pub(crate) location: Option<Id<Location>>,
    /// Set for a test with made-up records.
    pub(crate) is_test: bool,
    /// The time of a test sent again; `None` for a new event.
    pub(crate) at: Option<Timestamp>,
}

/// The key of a delivery in the log of its webhook.
pub(crate) fn log_key(webhook: Id<Webhook>, id: Id<Delivery>) -> Key {
    key(webhook.uuid(), Family::Delivery, &[KeyPart::Id(id.uuid())])
}

/// The key of a product's latest waiting `stock.changed`.
pub(crate) fn waiting_stock_key(webhook: Id<Webhook>, product: Uuid) -> Key {
    let product = [KeyPart::Id(product)];
    key(webhook.uuid(), Family::WaitingStock, &product)
}

/// The key of the mark for a webhook's unseen new work.
pub(crate) fn woken_key(webhook: Id<Webhook>) -> Key {
    key(GLOBAL, Family::WebhookWoken, &[KeyPart::Id(webhook.uuid())])
}
