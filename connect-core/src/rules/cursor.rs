//! Cursors: a place in a list, bound to the list it was given for.

use sha2::{Digest, Sha256};
use uuid::Uuid;

use crate::wire::{Timestamp, limits::MAX_CURSOR_LEN, read::Invalid};

/// The list a cursor belongs to: its name, its location and its filters. A cursor of another list
/// is refused, since it would skip or repeat records without anybody noticing.
#[derive(Clone, Copy, Debug)]
pub(crate) struct List<'a> {
    pub(crate) name: &'a str,
    pub(crate) location: Uuid,
    /// Every parameter but `limit` and `cursor`.
    pub(crate) filters: &'a str,
}

/// The length of a cursor's place: a time and an id.
const PLACE: usize = 32;
/// The length of its check.
const CHECK: usize = 8;

/// The cursor of the place after the record that changed at `time` and has this id.
pub(crate) fn encode(list: List<'_>, (time, id): (Timestamp, Uuid), began: Timestamp) -> String {
    let mut bytes = [0; PLACE + CHECK];
    bytes[..8].copy_from_slice(&time.micros().to_be_bytes());
    bytes[8..24].copy_from_slice(id.as_bytes());
    bytes[24..PLACE].copy_from_slice(&began.micros().to_be_bytes());
    let check = check(list, &bytes[..PLACE]);
    bytes[PLACE..].copy_from_slice(&check);
    hex::encode(bytes)
}

/// The place that a cursor of this list stands for.
pub(crate) fn decode(
    list: List<'_>,
    cursor: &str,
) -> Result<((Timestamp, Uuid), Timestamp), Invalid> {
    let invalid = || {
        Invalid::new(
            "cursor",
            "is not one that this list gave out; send nextCursor unchanged, with the same \
             parameters, or leave it out to start again",
        )
    };
    let mut bytes = [0; PLACE + CHECK];
    if cursor.len() > MAX_CURSOR_LEN || cursor.bytes().any(|b| b.is_ascii_uppercase()) {
        return Err(invalid());
    }
    hex::decode_to_slice(cursor, &mut bytes).map_err(|_| invalid())?;
    if bytes[PLACE..] != check(list, &bytes[..PLACE]) {
        return Err(invalid());
    }
    let micros = |at: &[u8]| at.try_into().map(i64::from_be_bytes).map_err(|_| invalid());
    let time = Timestamp::from_micros(micros(&bytes[..8])?);
    let id = Uuid::from_slice(&bytes[8..24]).map_err(|_| invalid())?;
    let began = Timestamp::from_micros(micros(&bytes[24..PLACE])?);
    Ok(((time, id), began))
}

/// A digest over the place and the list. It finds damage and mix-ups; it is no secret, as a
/// cursor opens nothing that the token does not open.
fn check(list: List<'_>, place: &[u8]) -> [u8; CHECK] {
    let mut digest = Sha256::new();
    digest.update(place);
    digest.update(list.location.as_bytes());
    digest.update(list.name.as_bytes());
    digest.update([0]);
    digest.update(list.filters.as_bytes());
    let mut check = [0; CHECK];
    check.copy_from_slice(&digest.finalize()[..CHECK]);
    check
}

#[cfg(test)]
mod tests {
    use super::*;

    const LIST: List<'_> = List {
        name: "products",
        location: Uuid::from_u128(1),
        filters: "a=b",
    };

    #[test]
    fn a_cursor_leads_back_to_its_place() {
        let place = (
            Timestamp::from_micros(1_700_000_000_123_456),
            Uuid::from_u128(42),
        );
        let began = Timestamp::from_micros(7);
        let cursor = encode(LIST, place, began);
        assert!(cursor.len() <= MAX_CURSOR_LEN);
        assert_eq!(decode(LIST, &cursor), Ok((place, began)));
    }

    #[test]
    fn any_other_text_or_list_is_refused() {
        let cursor = encode(
            LIST,
            (Timestamp::EPOCH, Uuid::from_u128(42)),
            Timestamp::EPOCH,
        );
        for at in 0..cursor.len() {
            let mut damaged = cursor.clone().into_bytes();
            damaged[at] = if damaged[at] == b'0' { b'1' } else { b'0' };
            let damaged = String::from_utf8(damaged).unwrap();
            assert!(decode(LIST, &damaged).is_err(), "{at}");
        }
        for other in [
            List {
                name: "categories",
                ..LIST
            },
            List {
                location: Uuid::from_u128(2),
                ..LIST
            },
            List {
                filters: "",
                ..LIST
            },
        ] {
            assert!(decode(other, &cursor).is_err());
        }
        let upper = cursor.to_uppercase();
        for text in [
            "",
            "x",
            &cursor[1..],
            &format!("{cursor}0"),
            &upper,
            &"0".repeat(201),
        ] {
            assert!(decode(LIST, text).is_err(), "{text:?}");
        }
    }
}
