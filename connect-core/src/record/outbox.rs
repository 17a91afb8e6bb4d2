//! Events, written in the commit of the change that they tell of.
//!
//! The id of an event holds its number: 42 of the bits that UUID v7 leaves to a counter or to
//! chance are the number, and 32 stay random. So an event is found by its id without an index.

use serde::{Deserialize, Serialize};

use uuid::Uuid;

use super::{EventRef, Row, Unit, fan_out::Bursts, keys::Family};
use crate::wire::{Event, EventType};

/// Events are listed by their numbers, 1, 2, 3, ... per location.
impl<D: Serialize> Row for Event<D> {
    type Key = u64;
    const ROWS: Family = Family::Event;
    const IN_ORDER: Option<Family> = None;
    const TOMBSTONES: Option<Family> = None;

    /// Only a `ping` has no number, and that is no event of a location.
    fn key(&self) -> u64 {
        self.sequence.unwrap_or_default()
    }

    fn key_in(row: &[u8]) -> serde_json::Result<u64> {
        #[derive(Deserialize)]
        struct Numbered {
            sequence: u64,
        }
        serde_json::from_slice(row).map(|event: Numbered| event.sequence)
    }
}

impl Unit<'_> {
    /// Adds an event with the location's next sequence number, and a delivery of it for each webhook
    /// that gets it.
    pub(crate) fn emit<D: Serialize>(&mut self, kind: EventType, data: D) {
        self.add_event(kind, data, Bursts::Kept);
    }

    /// Adds an event about a record of which many may follow one another. Webhooks get the latest of
    /// a minute.
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

/// The bits of an id that hold the upper 12 bits of a number, and the lower 30.
const NUMBER: u128 = (0xFFF << 64) | (LOWER << 32);
const LOWER: u128 = (1 << 30) - 1;

/// A fresh id that holds the number of its event.
fn numbered(id: Uuid, sequence: u64) -> Uuid {
    let sequence = u128::from(sequence);
    let held = ((sequence >> 30 & 0xFFF) << 64) | ((sequence & LOWER) << 32);
    Uuid::from_u128(id.as_u128() & !NUMBER | held)
}

/// The number that the id of an event holds. Any other id holds one too, of an event with another
/// id or of none.
pub(crate) fn number_in(id: Uuid) -> u64 {
    let bits = id.as_u128();
    ((bits >> 64 & 0xFFF) << 30 | (bits >> 32 & LOWER)) as u64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_id_holds_its_number_and_stays_an_id() {
        for sequence in [0, 1, 2, 1 << 29, (1 << 30) - 1, 1 << 30, (1 << 42) - 1] {
            for rest in [0, 0xA5, 0xFF] {
                let fresh = uuid::Builder::from_unix_timestamp_millis(1 << 40, &[rest; 10]);
                let fresh = fresh.into_uuid();
                let id = numbered(fresh, sequence);
                assert_eq!(number_in(id), sequence);
                assert_eq!(id.get_version_num(), fresh.get_version_num());
                assert_eq!(id.get_variant(), fresh.get_variant());
                let time = |id: Uuid| id.as_bytes()[..6].to_vec();
                let chance = |id: Uuid| id.as_bytes()[12..].to_vec();
                assert_eq!((time(id), chance(id)), (time(fresh), chance(fresh)));
            }
        }
    }
}
