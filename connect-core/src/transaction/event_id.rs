//! The ids of events.
//!
//! The id of an event contains its number, in 42 of the bits left to a counter or to chance by UUID
//! v7. The other 32 stay random. So an event is found by its id without an index.

use uuid::Uuid;

/// The bits of an id with a number: its upper 12, and its lower 30.
const NUMBER: u128 = (0xFFF << 64) | (LOWER << 32);
const LOWER: u128 = (1 << 30) - 1;

/// A new id with the number of its event.
pub(super) fn numbered(id: Uuid, sequence: u64) -> Uuid {
    let sequence = u128::from(sequence);
    let held = ((sequence >> 30 & 0xFFF) << 64) | ((sequence & LOWER) << 32);
    Uuid::from_u128(id.as_u128() & !NUMBER | held)
}

/// The number in the id of an event.
/// For any other id it is the number of another event, or of none.
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
