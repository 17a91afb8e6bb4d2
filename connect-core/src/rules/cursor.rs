//! Cursors: a position in a list, bound to this list.

use sha2::{Digest, Sha256};
use uuid::Uuid;

use crate::{
    transaction::{
        SortKey,
        keys::{time_bytes, time_from},
    },
    wire::{Timestamp, read::Invalid},
};

/// The list of a cursor: its name, its location and its filters.
/// A cursor of another list is refused, since it would silently skip or repeat records.
#[derive(Clone, Copy, Debug)]
pub(crate) struct CursorScope<'a> {
    pub(crate) name: &'a str,
    pub(crate) location: Uuid,
    /// Every parameter but `limit` and `cursor`.
    pub(crate) filters: &'a str,
}

/// The length of a cursor's checksum.
const CHECK: usize = 8;

/// Encodes the position after a row, for a walk begun at `began`.
///
/// The start of the walk is passed on from page to page. A walk following the moving end may outlast the
/// retention of deletions, and only its duration tells if it missed one.
pub(crate) fn encode<K: SortKey>(list: CursorScope<'_>, place: K, began: Timestamp) -> String {
    let mut bytes = Vec::with_capacity(1 + K::LEN + 8 + CHECK);
    bytes.push(K::TAG);
    place.write(&mut bytes);
    bytes.extend_from_slice(&time_bytes(began));
    let check = check(list, &bytes);
    bytes.extend_from_slice(&check);
    hex::encode(bytes)
}

/// Decodes a cursor into its position and the start of its walk.
pub(crate) fn decode<K: SortKey>(
    list: CursorScope<'_>,
    cursor: &str,
) -> Result<(K, Timestamp), Invalid> {
    read(list, cursor).ok_or_else(|| {
        Invalid::new(
            "cursor",
            "is not one that this list gave out; send nextCursor unchanged, with the same \
             parameters, or leave it out to start again",
        )
    })
}

fn read<K: SortKey>(list: CursorScope<'_>, cursor: &str) -> Option<(K, Timestamp)> {
    // A cursor has exactly one written form.
    if cursor.bytes().any(|byte| byte.is_ascii_uppercase()) {
        return None;
    }
    let bytes = hex::decode(cursor).ok()?;
    let (held, sent) = bytes.split_last_chunk()?;
    if *sent != check(list, held) {
        return None;
    }
    let (tag, held) = held.split_first()?;
    let (place, began) = held.split_last_chunk()?;
    let place = K::read(place).filter(|_| *tag == K::TAG)?;
    Some((place, time_from(*began)))
}

/// A digest over the content of the cursor and the list.
/// It detects damage and mix-ups. It is no secret, as a cursor gives no access beyond the token's.
fn check(list: CursorScope<'_>, held: &[u8]) -> [u8; CHECK] {
    let mut digest = Sha256::new();
    digest.update(held);
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
    use crate::wire::limits::MAX_CURSOR_LEN;

    const LIST: CursorScope<'_> = CursorScope {
        name: "products",
        location: Uuid::from_u128(1),
        filters: "a=b",
    };

    type Place = (Timestamp, Uuid);

    const BEGAN: Timestamp = Timestamp::from_micros(1_600_000_000_000_001);

    #[test]
    fn a_cursor_leads_back_to_its_place_and_tells_when_its_walk_began() {
        let place = (
            Timestamp::from_micros(1_700_000_000_123_456),
            Uuid::from_u128(42),
        );
        for (place, began) in [
            (place, BEGAN),
            (place, place.0),
            ((Timestamp::MIN, Uuid::nil()), Timestamp::MAX),
            ((Timestamp::MAX, Uuid::max()), Timestamp::MIN),
        ] {
            let cursor = encode(LIST, place, began);
            assert!(cursor.len() <= MAX_CURSOR_LEN);
            assert!(cursor.bytes().all(|byte| byte.is_ascii_alphanumeric()));
            assert_eq!(decode(LIST, &cursor), Ok((place, began)));
        }
        let cursor = encode(LIST, u64::MAX, BEGAN);
        assert_eq!(decode(LIST, &cursor), Ok((u64::MAX, BEGAN)));
    }

    /// Only the sort key distinguishes two lists of one name.
    #[test]
    fn a_cursor_of_another_kind_of_sort_key_is_refused() {
        /// A different sort key of the same length as a number.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
        struct Other(u64);

        impl SortKey for Other {
            const TAG: u8 = 0xFF;
            const LEN: usize = u64::LEN;

            fn write(self, bytes: &mut Vec<u8>) {
                self.0.write(bytes);
            }

            fn read(bytes: &[u8]) -> Option<Self> {
                u64::read(bytes).map(Self)
            }

            fn first_at(_: Timestamp) -> Option<Self> {
                None
            }
        }

        let number = encode(LIST, 7_u64, BEGAN);
        assert!(decode::<u64>(LIST, &number).is_ok());
        assert!(decode::<Other>(LIST, &number).is_err());
        assert!(decode::<u64>(LIST, &encode(LIST, Other(7), BEGAN)).is_err());
        assert!(decode::<Place>(LIST, &number).is_err());
    }

    #[test]
    fn any_other_text_or_list_is_refused() {
        let cursor = encode(LIST, (Timestamp::EPOCH, Uuid::from_u128(42)), BEGAN);
        for at in 0..cursor.len() {
            let mut damaged = cursor.clone().into_bytes();
            damaged[at] = if damaged[at] == b'0' { b'1' } else { b'0' };
            let damaged = String::from_utf8(damaged).unwrap();
            assert!(decode::<Place>(LIST, &damaged).is_err(), "{at}");
        }
        for other in [
            CursorScope {
                name: "categories",
                ..LIST
            },
            CursorScope {
                location: Uuid::from_u128(2),
                ..LIST
            },
            CursorScope {
                filters: "",
                ..LIST
            },
        ] {
            assert!(decode::<Place>(other, &cursor).is_err());
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
            assert!(decode::<Place>(LIST, text).is_err(), "{text:?}");
        }
    }
}
