//! The keys of an engine's map.
//!
//! | engine key                   | holds |
//! |------------------------------|-------|
//! | `c`                          | the commit record of a large commit in force, see `staged` |
//! | `m`                          | the mark: the progress of the store, see `progress` |
//! | `p` entry's key, number (4 bytes) | one part of a split value |
//! | `r` key                      | a row |
//! | `s` number (4 bytes)         | a redo record of a large commit, see `staged` |

/// The key of the store's mark.
pub(super) const MARK_KEY: &[u8] = b"m";

/// The key of the commit record.
pub(super) const COMMIT_KEY: &[u8] = b"c";

const PART: u8 = b'p';
const ROW: u8 = b'r';
const REDO: u8 = b's';

/// The families of entries.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum EngineFamily {
    Mark,
    Commit,
    Part,
    Row,
    Redo,
}

/// The family of an engine key; `None` for an unknown one.
pub(super) fn family(engine_key: &[u8]) -> Option<EngineFamily> {
    match engine_key {
        MARK_KEY => Some(EngineFamily::Mark),
        COMMIT_KEY => Some(EngineFamily::Commit),
        [PART, ..] => Some(EngineFamily::Part),
        [ROW, ..] => Some(EngineFamily::Row),
        [REDO, ..] => Some(EngineFamily::Redo),
        _ => None,
    }
}

/// The engine key of a row.
pub(super) fn row_key(key: &[u8]) -> Vec<u8> {
    let mut engine_key = Vec::with_capacity(1 + key.len());
    engine_key.push(ROW);
    engine_key.extend_from_slice(key);
    engine_key
}

/// The first engine key after all rows.
pub(super) const ROWS_END: &[u8] = &[ROW + 1];

/// The row's key in an engine key.
pub(super) fn key_of(engine_key: &[u8]) -> &[u8] {
    engine_key.get(1..).unwrap_or_default()
}

/// The engine key of a redo record of a large commit.
pub(super) fn redo_key(number: u32) -> Vec<u8> {
    [&[REDO][..], &number.to_be_bytes()].concat()
}

/// The number of a redo record.
pub(super) fn number_of(redo_key: &[u8]) -> Option<u32> {
    let number = redo_key.get(1..)?.try_into().ok()?;
    Some(u32::from_be_bytes(number))
}

/// The bounds of the engine keys of all redo records.
pub(super) const REDO_RECORDS: (&[u8], &[u8]) = (&[REDO], &[REDO + 1]);

/// The engine key of one part of an entry's value.
/// The number at the end has a fixed length, so parts of different entries have different keys.
pub(super) fn part_key(engine_key: &[u8], part: u32) -> Vec<u8> {
    [&[PART][..], engine_key, &part.to_be_bytes()].concat()
}

/// The entry of a part, and the number of the part.
pub(super) fn owner_of(part_key: &[u8]) -> Option<(&[u8], u32)> {
    let (owner, number) = part_key.get(1..)?.split_last_chunk()?;
    Some((owner, u32::from_be_bytes(*number)))
}
