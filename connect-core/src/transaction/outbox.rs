//! Events, written in the commit of their change.

use serde::{Deserialize, Serialize};

use uuid::Uuid;

use super::{EventRef, Row, UnitOfWork, event_id::numbered, fan_out::Bursts, keys::Family};
use crate::wire::{Event, EventType};

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
        };
        self.fan_out(&event, bursts);
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
