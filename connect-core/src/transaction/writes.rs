//! The writes of a unit of work so far, with rollback.

use std::{
    collections::BTreeSet,
    ops::Bound::{Excluded, Included},
};

use indexmap::{IndexMap, map::Entry};
use rustc_hash::{FxBuildHasher, FxHashSet};
use uuid::Uuid;

use crate::storage::{Key, Write};

/// The writes of a unit.
///
/// A batch makes thousands of writes and looks up as many keys with a common prefix. Hashing a key
/// once costs much less than repeated comparisons, so the keys are sorted only for a scan.
#[derive(Default)]
pub(super) struct Writes {
    /// In the order of the first write to each key.
    rows: IndexMap<Key, Write, FxBuildHasher>,
    /// The overwritten writes, with their place in `rows`.
    replaced: Vec<(usize, Write)>,
    /// The keys of the first `sorted` rows, in order.
    /// Some may be rolled back since.
    keys: BTreeSet<Key>,
    sorted: usize,
}

/// A point for a rollback.
#[derive(Clone, Copy)]
pub(super) struct Savepoint {
    rows: usize,
    replaced: usize,
}

impl Writes {
    /// The last write to a key, if there is one.
    pub(super) fn get(&self, key: &[u8]) -> Option<&Write> {
        self.rows.get(key)
    }

    /// Writes a row.
    /// In place of an earlier write, it counts as new only if the earlier one did too.
    pub(super) fn put(&mut self, key: Key, write: Write) {
        self.put_with(key, write, |_, _, _| ());
    }

    /// Writes a row, and calls `each` first.
    /// `each` gets the key, the write and the earlier write, without another look-up.
    pub(super) fn put_with(
        &mut self,
        key: Key,
        write: Write,
        each: impl FnOnce(&Key, &Write, Option<&Write>),
    ) {
        let (place, former) = match self.rows.entry(key) {
            Entry::Vacant(row) => {
                each(row.key(), &write, None);
                row.insert(write);
                return;
            }
            Entry::Occupied(mut row) => {
                each(row.key(), &write, Some(row.get()));
                let is_new = row.get().is_new();
                let write = if is_new { write } else { write.over_any() };
                (row.index(), row.insert(write))
            }
        };
        self.replaced.push((place, former));
    }

    /// Marks the current state.
    pub(super) fn mark(&self) -> Savepoint {
        Savepoint {
            rows: self.rows.len(),
            replaced: self.replaced.len(),
        }
    }

    /// Undoes the writes since `mark`.
    pub(super) fn back_to(&mut self, mark: Savepoint) {
        for (place, former) in self.replaced.drain(mark.replaced..).rev() {
            if let Some((_, value)) = self.rows.get_index_mut(place) {
                *value = former;
            }
        }
        self.rows.truncate(mark.rows);
        self.sorted = self.sorted.min(mark.rows);
    }

    /// The writes from `from` up to `to`, in key order.
    pub(super) fn range<'w>(
        &'w mut self,
        from: &'w [u8],
        to: &'w [u8],
    ) -> impl Iterator<Item = (&'w Key, &'w Write)> {
        self.keys
            .extend(self.rows.keys().skip(self.sorted).cloned());
        self.sorted = self.rows.len();
        let keys = self.keys.range::<[u8], _>((Included(from), Excluded(to)));
        keys.filter_map(|key| self.rows.get_key_value(key))
    }

    /// Makes room for a number of further rows.
    pub(super) fn reserve(&mut self, rows: usize) {
        self.rows.reserve(rows);
    }

    /// All writes for a commit, with room for the guard.
    /// A new row of `partition` removed again is left out: the guard keeps other writers from
    /// creating it.
    pub(super) fn into_all(self, partition: Uuid) -> Vec<(Key, Write)> {
        let mut places_seen = FxHashSet::default();
        let firsts = self
            .replaced
            .iter()
            .filter(|(at, _)| places_seen.insert(*at));
        let new: FxHashSet<usize> = firsts
            .filter(|(_, first)| first.is_new())
            .map(|(at, _)| *at)
            .collect();
        let mut all = Vec::with_capacity(self.rows.len() + 1);
        let was_never = |at: usize, key: &Key, write: &Write| {
            *write == Write::Remove && new.contains(&at) && key.starts_with(partition.as_bytes())
        };
        let rows = self.rows.into_iter().enumerate();
        let rows = rows.filter(|(at, (key, write))| !was_never(*at, key, write));
        all.extend(rows.map(|(_, row)| row));
        all
    }

    /// The writes, without their keys.
    pub(super) fn values(&self) -> impl ExactSizeIterator<Item = &Write> {
        self.rows.values()
    }

    pub(super) fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::storage::Value;

    fn all(writes: &mut Writes) -> Vec<(char, Option<u8>)> {
        let shown = |(key, write): (&Key, &Write)| {
            (char::from(key[0]), write.value().map(|value| value[0]))
        };
        writes.range(b"", b"z").map(shown).collect()
    }

    #[test]
    fn a_write_in_place_of_another_is_new_only_if_that_was() {
        let new = || Write::New(Value::default());
        let index = || Write::NewIndex(Value::default());
        let put = || Write::Put(Value::default());
        for (first, second, is_new) in [
            (new(), index(), true),
            (index(), new(), true),
            (new(), put(), false),
            (put(), new(), false),
            (put(), index(), false),
            (Write::Index(Value::default()), new(), false),
            (Write::Remove, new(), false),
            (Write::Remove, index(), false),
        ] {
            let mut writes = Writes::default();
            let before = writes.mark();
            writes.put(Key::from(*b"a"), first.clone());
            let between = writes.mark();
            writes.put(Key::from(*b"a"), second.clone());
            let last = writes.get(b"a").unwrap();
            assert_eq!(last.is_new(), is_new, "{first:?}, {second:?}");
            assert_eq!(
                last.clone(),
                if is_new { second } else { second.over_any() }
            );
            writes.back_to(between);
            assert_eq!(writes.get(b"a"), Some(&first));
            writes.back_to(before);
            assert!(writes.is_empty());
        }
    }

    #[test]
    fn what_is_taken_back_leaves_what_was_before() {
        let mut writes = Writes::default();
        let put = |writes: &mut Writes, key: &[u8], value: u8| {
            writes.put(key.into(), Write::Put(Value::from([value].as_slice())));
        };
        put(&mut writes, b"b", 1);
        put(&mut writes, b"a", 1);
        let first = writes.mark();
        put(&mut writes, b"b", 2);
        put(&mut writes, b"c", 2);
        let second = writes.mark();
        put(&mut writes, b"b", 3);
        writes.put(Key::from(*b"a"), Write::Remove);
        put(&mut writes, b"d", 3);
        let third = [('a', None), ('b', Some(3)), ('c', Some(2)), ('d', Some(3))];
        assert_eq!(all(&mut writes), third);

        writes.back_to(second);
        assert_eq!(
            all(&mut writes),
            [('a', Some(1)), ('b', Some(2)), ('c', Some(2))]
        );
        put(&mut writes, b"e", 4);
        assert_eq!(all(&mut writes).last(), Some(&('e', Some(4))));
        writes.back_to(first);
        assert_eq!(all(&mut writes), [('a', Some(1)), ('b', Some(1))]);
        assert_eq!(writes.get(b"e"), None);
        assert_eq!(writes.into_all(Uuid::nil()).len(), 2);
    }

    /// Several sales in a group each move a product's index entries.
    #[test]
    fn a_row_that_was_new_and_is_removed_is_not_sent() {
        let partition = Uuid::from_u128(7);
        let key = |partition: Uuid, at: u8| [partition.as_bytes(), &[at][..]].concat().into();
        let own = |at| key(partition, at);
        let (new, put) = (Write::New(Value::default()), Write::Put(Value::default()));
        let index = Write::NewIndex(Value::default());
        let other: Key = key(Uuid::nil(), 1);
        for (of, written, is_sent) in [
            (own(1), vec![&new, &Write::Remove], false),
            (own(1), vec![&index, &Write::Remove], false),
            (own(1), vec![&new, &Write::Remove, &index], true),
            (
                own(1),
                vec![&new, &Write::Remove, &index, &Write::Remove],
                false,
            ),
            (own(1), vec![&Write::Remove], true),
            (own(1), vec![&put, &Write::Remove], true),
            (own(1), vec![&Write::Remove, &new, &Write::Remove], true),
            (own(1), vec![&put, &new, &Write::Remove], true),
            (own(1), vec![&new], true),
            // The guard does not prevent writes to rows of other partitions.
            (other.clone(), vec![&new, &Write::Remove], true),
        ] {
            let mut writes = Writes::default();
            writes.put(own(0), put.clone());
            for write in &written {
                writes.put(of.clone(), (*write).clone());
            }
            let sent = writes.into_all(partition);
            assert_eq!(sent.len(), 1 + usize::from(is_sent), "{written:?}");
        }
        // Rolled-back writes do not count.
        let mut writes = Writes::default();
        writes.put(own(1), Write::Remove);
        let before = writes.mark();
        writes.put(own(2), new.clone());
        writes.put(own(2), Write::Remove);
        writes.back_to(before);
        writes.put(own(3), new);
        assert_eq!(writes.into_all(partition).len(), 2);
    }
}
