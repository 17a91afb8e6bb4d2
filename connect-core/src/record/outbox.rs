//! Events, written in the commit of the change that they tell of.

use serde::Serialize;

use super::{
    Unit,
    keys::{Family, Part, key},
};
use crate::wire::{Event, EventType};

impl Unit<'_> {
    /// Adds an event with the location's next sequence number.
    pub(crate) fn emit<D: Serialize>(&mut self, kind: EventType, data: D) {
        let sequence = self.next_sequence();
        let location = self.partition();
        let event = Event {
            id: self.next_id(),
            kind,
            created_at: self.time(),
            location_id: Some(location),
            sequence: Some(sequence),
            data,
        };
        let row = self.json(&event);
        self.put(key(location, Family::Event, &[Part::Number(sequence)]), row);
    }
}
