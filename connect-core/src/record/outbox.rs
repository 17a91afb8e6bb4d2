//! Events, written in the commit of the change that they tell of.

use serde::{Deserialize, Serialize};

use super::{Row, Unit, keys::Family};
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
    /// Adds an event with the location's next sequence number.
    pub(crate) fn emit<D: Serialize>(&mut self, kind: EventType, data: D) {
        let event = Event {
            id: self.next_id(),
            kind,
            created_at: self.time(),
            location_id: Some(self.partition()),
            sequence: Some(self.next_number(Family::Event)),
            data,
        };
        self.append(&event);
    }
}
