//! The two parts of a key: its start and its rest.
//! The start names its group, the rest distinguishes it within the group.

use std::{cmp::Ordering, ops::Deref};

/// At most `MOST` bytes, without an allocation.
///
/// The bytes after the end are zero, so two of them compare word by word, in a few instructions and
/// without a call. When one is a prefix of the other, either the other has a larger byte after the
/// prefix, or only zeros follow and the lengths decide.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct InlineBytes<const MOST: usize> {
    bytes: [u8; MOST],
    length: u8,
}

impl<const MOST: usize> InlineBytes<MOST> {
    /// The first `MOST` bytes, and the remaining bytes.
    pub(super) fn split(key: &[u8]) -> (Self, &[u8]) {
        let (start, rest) = key.split_at(key.len().min(MOST));
        let mut bytes = [0; MOST];
        bytes[..start.len()].copy_from_slice(start);
        let length = start.len() as u8;
        (Self { bytes, length }, rest)
    }

    /// The eight bytes from `at` on, as a big-endian number, for comparison.
    fn word(&self, at: usize) -> u64 {
        let word = self.bytes[at..].first_chunk();
        word.map_or(0, |word| u64::from_be_bytes(*word))
    }
}

impl<const MOST: usize> Ord for InlineBytes<MOST> {
    fn cmp(&self, other: &Self) -> Ordering {
        // Whole words, then a last one that ends at the end of the bytes.
        for at in (0..MOST / 8).map(|word| 8 * word).chain([MOST - 8]) {
            let (one, other) = (self.word(at), other.word(at));
            if one != other {
                return one.cmp(&other);
            }
        }
        self.length.cmp(&other.length)
    }
}

impl<const MOST: usize> PartialOrd for InlineBytes<MOST> {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl<const MOST: usize> Deref for InlineBytes<MOST> {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        &self.bytes[..usize::from(self.length)]
    }
}

/// The rest of a key.
/// A short one lies in the tree itself: a search reads it without following a pointer.
#[derive(Clone, Debug)]
pub(super) enum KeySuffix {
    Short(InlineBytes<SHORT>),
    Long(Box<[u8]>),
}

/// The longest rest without an allocation, in bytes.
/// With the length and the kind it fills five words: enough for two ids and a time, less the two
/// bytes in the start. A larger size would save more allocations and take more memory.
const SHORT: usize = 38;

impl KeySuffix {
    pub(super) fn of(key: &[u8]) -> Self {
        match InlineBytes::split(key) {
            (short, []) => Self::Short(short),
            _ => Self::Long(key.into()),
        }
    }
}

impl Deref for KeySuffix {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        match self {
            Self::Short(bytes) => bytes,
            Self::Long(bytes) => bytes,
        }
    }
}

impl PartialEq for KeySuffix {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other).is_eq()
    }
}

impl Eq for KeySuffix {}

impl PartialOrd for KeySuffix {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for KeySuffix {
    fn cmp(&self, other: &Self) -> Ordering {
        match (self, other) {
            (Self::Short(one), Self::Short(other)) => one.cmp(other),
            _ => (**self).cmp(&**other),
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn any_bytes_are_kept_in_five_words() {
        assert_eq!(size_of::<KeySuffix>(), 5 * size_of::<usize>());
        let text: Vec<u8> = (0..60).collect();
        for length in 0..text.len() {
            assert_eq!(*KeySuffix::of(&text[..length]), text[..length]);
            assert!(KeySuffix::of(&text[..length]) < KeySuffix::of(&text[..length + 1]));
        }
    }

    /// Few byte values, zero included: one key is often another's prefix.
    fn key() -> impl Strategy<Value = Vec<u8>> {
        proptest::collection::vec(prop::sample::select(vec![0, 1, 255]), 0..SHORT + 3)
    }

    proptest! {
        #[test]
        fn rests_compare_as_their_bytes(one in key(), end in key(), cut in 0..SHORT) {
            let other = [&one[..cut.min(one.len())], &end[..]].concat();
            prop_assert_eq!(KeySuffix::of(&one).cmp(&KeySuffix::of(&other)), one.cmp(&other));
        }
    }
}
