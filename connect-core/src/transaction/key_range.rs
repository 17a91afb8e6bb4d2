//! A range of a list between two places, read in either direction.

use std::{
    cmp::Ordering,
    ops::{Bound, RangeBounds as _},
};

use super::{SortKey, keys::after_prefix};
use crate::storage::Key;

/// A range of a list, with the direction of reading.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct KeyRange<K> {
    /// The beginning.
    pub(crate) from: Bound<K>,
    /// The end.
    pub(crate) to: Bound<K>,
    /// Reads from the end.
    pub(crate) newest_first: bool,
}

impl<K: SortKey> KeyRange<K> {
    /// The whole list, oldest first.
    pub(crate) const ALL: Self = Self {
        from: Bound::Unbounded,
        to: Bound::Unbounded,
        newest_first: false,
    };

    /// Returns the rest of the range behind the row at `place`.
    pub(crate) fn after(self, place: K) -> Self {
        let place = Bound::Excluded(place);
        match self.newest_first {
            false => Self {
                from: place,
                ..self
            },
            true => Self { to: place, ..self },
        }
    }

    /// Returns the range up to and including the row at `place`.
    pub(crate) fn up_to(self, place: K) -> Self {
        let place = Bound::Included(place);
        match self.newest_first {
            false => Self { to: place, ..self },
            true => Self {
                from: place,
                ..self
            },
        }
    }

    /// Returns whether a place lies in the range.
    pub(crate) fn contains(&self, place: K) -> bool {
        (self.from, self.to).contains(&place)
    }

    /// Compares two places in the direction of reading.
    pub(crate) fn compare(&self, one: K, other: K) -> Ordering {
        match self.newest_first {
            false => one.cmp(&other),
            true => other.cmp(&one),
        }
    }

    /// The keys of its entries: `prefix` followed by a place.
    /// Returns the first key of the range, and the first key behind it.
    pub(crate) fn keys(&self, prefix: &[u8]) -> (Key, Key) {
        let at = |place: K, is_behind: bool| {
            let mut key = prefix.to_vec();
            place.write(&mut key);
            // The next key in order: this one with a zero byte behind it.
            key.extend(is_behind.then_some(0));
            key.into_boxed_slice()
        };
        let from = match self.from {
            Bound::Unbounded => prefix.into(),
            Bound::Included(place) => at(place, false),
            Bound::Excluded(place) => at(place, true),
        };
        let to = match self.to {
            Bound::Unbounded => after_prefix(prefix),
            Bound::Excluded(place) => at(place, false),
            Bound::Included(place) => at(place, true),
        };
        (from, to)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_keys_of_a_span_are_those_of_its_places() {
        let bounds = |place| [Bound::Included(place), Bound::Excluded(place)];
        let ends: Vec<Bound<u64>> = (0..6).flat_map(bounds).chain([Bound::Unbounded]).collect();
        let entry = |place: u64| [b"list".as_slice(), &place.to_be_bytes()].concat();
        for (from, to) in ends
            .iter()
            .flat_map(|from| ends.iter().map(move |to| (*from, *to)))
        {
            let key_range = KeyRange {
                from,
                to,
                newest_first: false,
            };
            let (first, end) = key_range.keys(b"list");
            for place in 0..6 {
                let entry = entry(place);
                let is_read = *first <= *entry && *entry < *end;
                assert_eq!(
                    is_read,
                    key_range.contains(place),
                    "{place} in {key_range:?}"
                );
            }
        }
    }

    #[test]
    fn a_place_splits_a_span_in_either_direction() {
        let all = KeyRange::<u64>::ALL;
        let back = KeyRange {
            newest_first: true,
            ..all
        };
        let places =
            |key_range: KeyRange<u64>| (0..6).filter(|place| key_range.contains(*place)).collect();
        let split = |key_range: KeyRange<u64>| -> (Vec<u64>, Vec<u64>) {
            (places(key_range.up_to(2)), places(key_range.after(2)))
        };
        assert_eq!(split(all), (vec![0, 1, 2], vec![3, 4, 5]));
        assert_eq!(split(back), (vec![2, 3, 4, 5], vec![0, 1]));
        assert_eq!(all.compare(1, 2), Ordering::Less);
        assert_eq!(back.compare(1, 2), Ordering::Greater);
    }
}
