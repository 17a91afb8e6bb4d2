//! How rows lie in sled's tree.
//!
//! | sled key                | holds |
//! |-------------------------|-------|
//! | `format`                | the name and version of this layout |
//! | `r` key                 | a row: its value, or the length of a value that is split |
//! | `p` key, number (4 bytes) | one part of a split value |
//!
//! A short value is stored as it is, so that reading and writing it costs one copy and no more.
//! Only a value that begins with the byte 0xFF, which no JSON text does, gets a marker before it:
//! `FF 00` before such a value, `FF 01` and the length (4 bytes) instead of a split one.

use sled::{Batch, IVec};

use crate::storage::Value;

/// Where the layout's own version is kept.
pub(super) const FORMAT_KEY: &[u8] = b"format";

/// The version of this layout. A directory with another one is refused.
pub(super) const FORMAT: &[u8] = b"connect-storage 1";

const ROW: u8 = b'r';
const PART: u8 = b'p';

/// A value longer than this is split into parts of this length.
///
/// sled puts a page of more than 128 KiB into a file of its own that it never syncs. A page holds
/// 16 entries, and up to 20 for a moment; with keys of 1 KiB they stay below 104 KiB.
pub(super) const PART_LEN: usize = 4096;

const MARKER: u8 = 0xFF;
const ESCAPED: u8 = 0;
const SPLIT: u8 = 1;

/// What a row's stored bytes turn out to be.
pub(super) enum Stored<'a> {
    /// The value itself.
    Whole(&'a [u8]),
    /// A value of this length, in parts.
    Split(usize),
}

/// Reads a row's stored bytes; `None` when they are not of this layout.
pub(super) fn decode(stored: &[u8]) -> Option<Stored<'_>> {
    match stored {
        [MARKER, ESCAPED, value @ ..] => Some(Stored::Whole(value)),
        [MARKER, SPLIT, len @ ..] => {
            let len = u32::from_be_bytes(len.try_into().ok()?);
            Some(Stored::Split(usize::try_from(len).ok()?))
        }
        [MARKER, ..] => None,
        value => Some(Stored::Whole(value)),
    }
}

/// How many parts a value of this length is stored in; none when it is stored whole.
pub(super) fn parts_of(len: usize) -> u32 {
    if len <= PART_LEN {
        0
    } else {
        u32::try_from(len.div_ceil(PART_LEN)).unwrap_or(u32::MAX)
    }
}

/// The sled key of a row, into a buffer that is used again and again.
pub(super) fn row_key<'a>(key: &[u8], buffer: &'a mut Vec<u8>) -> &'a [u8] {
    buffer.clear();
    buffer.push(ROW);
    buffer.extend_from_slice(key);
    buffer
}

/// The first sled key after all rows.
pub(super) fn rows_end() -> Vec<u8> {
    vec![ROW + 1]
}

/// The row's key in a sled key.
pub(super) fn key_of(row_key: &[u8]) -> &[u8] {
    row_key.get(1..).unwrap_or_default()
}

/// The sled key of one part of a row's value.
///
/// The number has a fixed length at the end, so parts of different rows cannot meet.
pub(super) fn part_key<'a>(key: &[u8], part: u32, buffer: &'a mut Vec<u8>) -> &'a [u8] {
    buffer.clear();
    buffer.push(PART);
    buffer.extend_from_slice(key);
    buffer.extend_from_slice(&part.to_be_bytes());
    buffer
}

/// Adds to `batch` what turns the row from `before` into `after`, parts included.
pub(super) fn write(
    batch: &mut Batch,
    key: &[u8],
    before: Option<&Value>,
    after: Option<&Value>,
    buffer: &mut Vec<u8>,
) {
    let parts = |value: Option<&Value>| value.map_or(0, |value| parts_of(value.len()));
    let row = IVec::from(row_key(key, buffer));
    match after {
        None => batch.remove(row),
        Some(value) if parts(after) > 0 => batch.insert(row, split_row(value.len())),
        Some(value) if value.first() == Some(&MARKER) => batch.insert(row, escaped_row(value)),
        Some(value) => batch.insert(row, &**value),
    }
    if let Some(value) = after.filter(|_| parts(after) > 0) {
        for (part, bytes) in (0..).zip(value.chunks(PART_LEN)) {
            batch.insert(part_key(key, part, buffer), bytes);
        }
    }
    for part in parts(after)..parts(before) {
        batch.remove(part_key(key, part, buffer));
    }
}

fn split_row(len: usize) -> Vec<u8> {
    let len = u32::try_from(len).unwrap_or(u32::MAX);
    [&[MARKER, SPLIT][..], &len.to_be_bytes()].concat()
}

fn escaped_row(value: &[u8]) -> Vec<u8> {
    [&[MARKER, ESCAPED][..], value].concat()
}
