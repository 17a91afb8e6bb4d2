//! Events and their deliveries, written in the commit of their change.
//!
//! An event goes to the webhooks matching at its commit: the unit reads their row with its first
//! read, and its commit expects the row unchanged. The deliveries are new rows in the partitions of
//! their webhooks, so workers and writers do not conflict.

use serde::{Deserialize, Serialize};

use uuid::Uuid;

use super::{
    Delivery, EventRef, Row, UnitOfWork, event_id::numbered, keys::Family, waiting_stock_key,
    woken_key,
};
use crate::{
    storage::Value,
    wire::{Event, EventType, limits::DELIVERY_DAYS},
};

/// The counted bytes of a delivery: its rows in the queue and in the log, with an attempt.
const DELIVERY: usize = 1600;

/// The handling of frequent events.
#[derive(Clone, Copy)]
enum Bursts {
    /// Each event is delivered.
    Kept,
    /// Only the latest event of this record is delivered, once a minute.
    Combined(Uuid),
}

/// Events are listed by their numbers, 1, 2, 3, ... per location.
impl<D: Serialize> Row for Event<D> {
    type Key = u64;
    const ROWS: Family = Family::Event;
    const IN_ORDER: Option<Family> = None;
    const TOMBSTONES: Option<Family> = None;

    /// Only a `ping` has no number, and it is no event of a location.
    fn key(&self) -> u64 {
        self.sequence.unwrap_or_default()
    }

    fn key_in(row: &[u8]) -> serde_json::Result<u64> {
        #[derive(Deserialize)]
        struct SequenceField {
            sequence: u64,
        }
        serde_json::from_slice(row).map(|event: SequenceField| event.sequence)
    }
}

impl UnitOfWork<'_> {
    /// Adds an event with the location's next sequence number.
    /// Also adds a delivery for each of its webhooks.
    pub(crate) fn emit<D: Serialize>(&mut self, kind: EventType, data: D) {
        self.add_event(kind, data, Bursts::Kept);
    }

    /// Adds an event of a frequently changing record.
    /// Webhooks get the latest event of a minute.
    pub(crate) fn emit_combined<D: Serialize>(&mut self, kind: EventType, record: Uuid, data: D) {
        self.add_event(kind, data, Bursts::Combined(record));
    }

    fn add_event<D: Serialize>(&mut self, kind: EventType, data: D, bursts: Bursts) {
        let sequence = self.next_number(Family::Event);
        self.retained_mut().is_quiet = false;
        let event = Event {
            id: numbered(self.next_id(), sequence).into(),
            kind,
            created_at: self.time(),
            location_id: Some(self.partition().into()),
            sequence: Some(sequence),
            data,
        };
        self.append(&event);
        let event = EventRef {
            id: event.id,
            kind: event.kind,
            location: event.location_id,
            is_test: false,
            at: None,
        };
        self.fan_out(&event, bursts);
    }

    /// Queues an event for its webhooks.
    fn fan_out(&mut self, event: &EventRef, bursts: Bursts) {
        let Some(subscribers) = self.subscribers() else {
            return;
        };
        let webhooks = subscribers.found().unwrap_or_default();
        let location = self.partition();
        let takers = webhooks.0.iter().map(|own| &own.webhook);
        for webhook in takers.filter(|webhook| webhook.takes(&event.kind, location)) {
            let id = self.next_id();
            // Not the time of the change, which may be ahead of a clock that was set back.
            let delivery = Delivery::new(id, webhook, event.clone(), self.now());
            let row = self.json(&delivery);
            self.count_until(DELIVERY, self.now().plus_days(DELIVERY_DAYS));
            match bursts {
                Bursts::Kept => {
                    if let Some(place) = delivery.queue_key() {
                        self.put_new(place, row);
                    }
                }
                Bursts::Combined(record) => self.put(waiting_stock_key(webhook.id, record), row),
            }
            // A webhook that is off needs no worker: it is woken when it is switched on.
            if webhook.is_enabled() {
                let event = Value::from(event.id.uuid().as_bytes().as_slice());
                self.put(woken_key(webhook.id), event);
            }
        }
        self.expect_webhooks();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_stored_event_has_its_number() {
        let row = br#"{ "id": "e", "sequence": 7, "data": {} }"#;
        assert_eq!(<Event<()> as Row>::key_in(row).unwrap(), 7);
        <Event<()> as Row>::key_in(b"{}").unwrap_err();
    }
}
