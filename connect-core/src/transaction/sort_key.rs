//! Sort keys: the order of a list, and the place of a row in it.
//!
//! A sort key is the end of the keys of its list's entries, and part of the list's cursors, in the
//! same bytes.

use std::fmt;

use uuid::Uuid;

use super::keys::{time_bytes, time_from};
use crate::wire::Timestamp;

/// A kind of sort key, unique within a list.
pub trait SortKey: Copy + Ord + fmt::Debug + Send + Sync + 'static {
    /// The byte of this kind in cursors. Never reuse one.
    const TAG: u8;
    /// The number of bytes.
    const LEN: usize;

    /// Appends the bytes, in the same order as the sort keys.
    fn write(self, bytes: &mut Vec<u8>);

    /// Reads bytes from [`write`](Self::write); `None` for other bytes.
    fn read(bytes: &[u8]) -> Option<Self>;

    /// The first sort key of a time, if it begins with one.
    fn first_at(time: Timestamp) -> Option<Self>;

    /// The number, for numbered rows.
    fn number(self) -> Option<u64> {
        None
    }

    /// Reads the sort key at the end of an entry's key.
    fn at_end_of(key: &[u8]) -> Option<Self> {
        Self::read(&key[key.len().checked_sub(Self::LEN)?..])
    }
}

/// A place in the order of change or creation.
pub(crate) type TimeKey = (Timestamp, Uuid);

/// A time and an id: rows by `updatedAt` or `createdAt`.
/// Rows of one time are ordered by id.
impl SortKey for TimeKey {
    const TAG: u8 = 1;
    const LEN: usize = 24;

    fn write(self, bytes: &mut Vec<u8>) {
        bytes.extend_from_slice(&time_bytes(self.0));
        bytes.extend_from_slice(self.1.as_bytes());
    }

    fn read(bytes: &[u8]) -> Option<Self> {
        let (time, id) = bytes.split_first_chunk()?;
        Some((time_from(*time), Uuid::from_slice(id).ok()?))
    }

    fn first_at(time: Timestamp) -> Option<Self> {
        Some((time, Uuid::nil()))
    }
}

/// A number: rows numbered in the order of their commits.
impl SortKey for u64 {
    const TAG: u8 = 2;
    const LEN: usize = 8;

    fn number(self) -> Option<u64> {
        Some(self)
    }

    fn write(self, bytes: &mut Vec<u8>) {
        bytes.extend_from_slice(&self.to_be_bytes());
    }

    fn read(bytes: &[u8]) -> Option<Self> {
        bytes.try_into().ok().map(Self::from_be_bytes)
    }

    fn first_at(_: Timestamp) -> Option<Self> {
        None
    }
}

/// An id: rows in the order of their ids.
impl SortKey for Uuid {
    const TAG: u8 = 4;
    const LEN: usize = 16;

    fn write(self, bytes: &mut Vec<u8>) {
        bytes.extend_from_slice(self.as_bytes());
    }

    fn read(bytes: &[u8]) -> Option<Self> {
        Self::from_slice(bytes).ok()
    }

    fn first_at(_: Timestamp) -> Option<Self> {
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sorts_as_its_bytes<K: SortKey>(mut keys: Vec<K>) {
        let bytes = |key: &K| {
            let mut bytes = Vec::new();
            key.write(&mut bytes);
            bytes
        };
        keys.sort();
        assert!(keys.is_sorted_by(|one, next| bytes(one) < bytes(next)));
        for key in keys {
            let bytes = bytes(&key);
            assert_eq!((bytes.len(), K::read(&bytes)), (K::LEN, Some(key)));
            assert_eq!(K::at_end_of(&[b"entry", &bytes[..]].concat()), Some(key));
            assert_eq!(K::read(&bytes[1..]), None);
            assert_eq!(K::read(&[&bytes[..], b"\0"].concat()), None);
            assert_eq!(K::at_end_of(&bytes[1..]), None);
        }
    }

    #[test]
    fn bytes_sort_as_sort_keys_do() {
        sorts_as_its_bytes(vec![0, 1, 255, 256, u64::MAX - 1, u64::MAX]);
        sorts_as_its_bytes([0, 1, 256, 1 << 120, u128::MAX].map(Uuid::from_u128).into());
        let at = |micros, id| (Timestamp::from_micros(micros), Uuid::from_u128(id));
        sorts_as_its_bytes(vec![
            at(-5, 9),
            at(0, 0),
            at(0, 1),
            at(0, u128::MAX),
            at(1, 0),
            at(256, 3),
        ]);
    }

    #[test]
    fn a_sort_key_is_a_time_or_a_number_or_an_id() {
        let time = Timestamp::from_micros(7);
        assert_eq!(TimeKey::first_at(time), Some((time, Uuid::nil())));
        assert_eq!((time, Uuid::nil()).number(), None);
        assert_eq!(u64::first_at(time), None);
        assert_eq!(Uuid::first_at(time), None);
        assert_eq!(Uuid::nil().number(), None);
        assert_eq!([0, 1, 7].map(u64::number), [Some(0), Some(1), Some(7)]);
    }
}
