//! One read: the engine's rows and the overlay, merged in order.

use std::{cell::Cell, cmp::Ordering, iter::Peekable, ops::Bound};

use itertools::Either;

use super::{
    cache::RowCache,
    engine::{Engine, EngineSnapshot as _, ReadFault},
    engine_keys, layout,
    read_view::{GroupKey, Preimage, ReadView},
};
use crate::storage::{Entry, Range, Snapshot, StorageError, Value};

/// The capacity for a usual scan: a page and one more entry.
const USUAL_SCAN: usize = 256;

/// One read, under the read lock.
pub(super) struct LockedRead<'a, E: Engine> {
    pub(super) shown: &'a ReadView<E>,
    pub(super) cache: &'a RowCache,
    /// Set when the engine has failed, and a reopening may help.
    pub(super) engine_failed: &'a Cell<bool>,
}

/// A key and its value in the overlay.
type Over<'a> = (&'a [u8], Result<Option<&'a Value>, StorageError>);

impl<E: Engine> Snapshot for LockedRead<'_, E> {
    fn get(&self, key: &[u8]) -> Result<Option<Value>, StorageError> {
        self.find(key).map_err(|fault| self.error(fault))
    }

    fn scan(
        &self,
        range: Range<'_>,
        limit: usize,
        newest_first: bool,
    ) -> Result<Vec<Entry>, StorageError> {
        let found = self.walk(range, limit, newest_first);
        found.map_err(|fault| self.error(fault))
    }
}

impl<E: Engine> LockedRead<'_, E> {
    fn error(&self, fault: ReadFault) -> StorageError {
        if matches!(fault, ReadFault::Engine(_)) {
            self.engine_failed.set(true);
        }
        fault.into()
    }

    fn find(&self, key: &[u8]) -> Result<Option<Value>, ReadFault> {
        if let Some(slot) = self.shown.hidden.get(key) {
            return match self.before(slot) {
                Some(before) => Ok(before.map_err(ReadFault::Damaged)?.cloned()),
                None => layout::row(self.shown.snapshot()?, key, E::PART_LEN),
            };
        }
        if let Some(value) = self.cache.get(key) {
            return Ok(Some(value));
        }
        let found = layout::row(self.shown.snapshot()?, key, E::PART_LEN)?;
        if let Some(value) = &found {
            self.cache.keep(key, value);
        }
        Ok(found)
    }

    fn walk(
        &self,
        range: Range<'_>,
        limit: usize,
        newest_first: bool,
    ) -> Result<Vec<Entry>, ReadFault> {
        if limit == 0 || range.is_empty() {
            return Ok(Vec::new());
        }
        let snapshot = self.shown.snapshot()?;
        let mut merge = Merge {
            entries: Vec::with_capacity(limit.min(USUAL_SCAN)),
            over: self.over(range, newest_first).peekable(),
            limit,
            newest_first,
        };
        let to = range
            .to
            .map_or_else(|| engine_keys::ROWS_END.into(), engine_keys::row_key);
        let from = engine_keys::row_key(range.from);
        snapshot.visit(&from, &to, newest_first, |engine_key, stored| {
            merge.add(engine_keys::key_of(engine_key), || {
                layout::decode(snapshot, engine_key, stored, E::PART_LEN)
            })
        })?;
        merge.finish()
    }
}

/// The entries of a scan, merged from the store and the overlay.
struct Merge<'a, I: Iterator<Item = Over<'a>>> {
    entries: Vec<Entry>,
    over: Peekable<I>,
    limit: usize,
    newest_first: bool,
}

impl<'a, I: Iterator<Item = Over<'a>>> Merge<'a, I> {
    /// Adds the store's next entry, after the overlay's entries before it.
    /// False: the limit is reached.
    fn add(
        &mut self,
        key: &[u8],
        value: impl FnOnce() -> Result<Value, ReadFault>,
    ) -> Result<bool, ReadFault> {
        let newest_first = self.newest_first;
        let is_due = |over: &Over<'_>| in_order(over.0.cmp(key), newest_first).is_le();
        while let Some(over) = self.over.next_if(is_due) {
            let is_same = over.0 == key;
            self.take(over)?;
            if self.entries.len() == self.limit {
                return Ok(false);
            }
            if is_same {
                return Ok(true);
            }
        }
        // Decoded only now: the parts of a hidden value may be about to change.
        self.entries.push((key.into(), value()?));
        Ok(self.entries.len() < self.limit)
    }

    /// Moves an overlay entry to the result.
    fn take(&mut self, (key, value): Over<'a>) -> Result<(), ReadFault> {
        if let Some(value) = value.map_err(ReadFault::Damaged)? {
            self.entries.push((key.into(), value.clone()));
        }
        Ok(())
    }

    fn finish(mut self) -> Result<Vec<Entry>, ReadFault> {
        while self.entries.len() < self.limit
            && let Some(over) = self.over.next()
        {
            self.take(over)?;
        }
        Ok(self.entries)
    }
}

impl<'a, E: Engine> LockedRead<'a, E> {
    /// The value of a key before the group under way.
    /// `None`: see the snapshot.
    fn before(&self, slot: &'a GroupKey) -> Option<Result<Option<&'a Value>, StorageError>> {
        if let Some(suspicion) = &self.shown.suspicion
            && slot.after.is_some()
        {
            return Some(Err(suspicion.clone()));
        }
        match &slot.before {
            Preimage::Is(value) => Some(Ok(value.as_ref())),
            Preimage::Unreadable(error, _) => Some(Err(error.clone())),
            Preimage::InSnapshot => None,
        }
    }

    /// All overlay entries of a non-empty range, in scan order.
    fn over<'s>(&'s self, range: Range<'s>, newest_first: bool) -> impl Iterator<Item = Over<'s>> {
        let to = range.to.map_or(Bound::Unbounded, Bound::Excluded);
        let hidden = self
            .shown
            .hidden
            .range::<[u8], _>((Bound::Included(range.from), to));
        directed(hidden, newest_first).filter_map(|(key, slot)| Some((&**key, self.before(slot)?)))
    }
}

/// The place of one key beside another, in scan order.
fn in_order(place: Ordering, newest_first: bool) -> Ordering {
    if newest_first { place.reverse() } else { place }
}

/// An iterator in its own or in the reverse direction.
fn directed<I: DoubleEndedIterator>(items: I, reverse: bool) -> impl Iterator<Item = I::Item> {
    if reverse {
        Either::Left(items.rev())
    } else {
        Either::Right(items)
    }
}
