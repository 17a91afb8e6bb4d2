//! The keys of an engine's map.
//!
//! | engine key                   | holds |
//! |------------------------------|-------|
//! | `m`                          | the mark: the progress of the store, see `progress` |
//! | `p` entry's key, number (4 bytes) | one part of a split value |
//! | `r` key                      | a row |
//!
//! Former programs wrote a large commit in slices: `c` was the record of one in force, and `s` with a
//! number each of its slices. Slices without `c` are of no commit, and do no harm.

/// The key of the store's mark.
pub(super) const MARK_KEY: &[u8] = b"m";

/// The key of a former program's unfinished large commit.
pub(super) const COMMIT_KEY: &[u8] = b"c";

const PART: u8 = b'p';
const ROW: u8 = b'r';

/// The families of entries.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum EngineFamily {
    Mark,
    Part,
    Row,
}

/// The family of an engine key; `None` for an unknown one.
pub(super) fn family(engine_key: &[u8]) -> Option<EngineFamily> {
    match engine_key {
        MARK_KEY => Some(EngineFamily::Mark),
        [PART, ..] => Some(EngineFamily::Part),
        [ROW, ..] => Some(EngineFamily::Row),
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
