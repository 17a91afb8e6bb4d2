//! One read: the engine's rows and the overlay, merged in order.

use std::{cell::Cell, cmp::Ordering, iter::Peekable, ops::Bound};

use itertools::{Either, Itertools as _};

use super::{
    cache::RowCache,
    engine::{self, Engine, ReadFault},
    engine_keys,
    index_ranges::{At, IndexRangeCache, RangeRecorder},
    layout,
    read_view::{Preimage, ReadView, StagedKey},
};
use crate::storage::{Entry, Key, Range, Snapshot, StorageError, Value};

/// The capacity for a usual scan: a page and one more entry.
const USUAL_SCAN: usize = 256;

/// One read, under the read lock.
pub(super) struct LockedRead<'a, E: Engine> {
    pub(super) shown: &'a ReadView<E>,
    pub(super) cache: &'a RowCache,
    pub(super) ranges: &'a IndexRangeCache,
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
        if let Some(pending) = &self.shown.pending
            && let Some(value) = pending.get(key)
        {
            return Ok(value.cloned());
        }
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
        if newest_first || self.ranges.is_off() {
            visit(snapshot, range, newest_first, |engine_key, stored| {
                let key = engine_keys::key_of(engine_key);
                merge.add(key, || {
                    layout::decode(snapshot, engine_key, stored, E::PART_LEN)
                })
            })?;
        } else {
            self.walk_ranges(snapshot, range, &mut merge)?;
        }
        merge.finish()
    }

    /// Walks a range upwards, through runs and the engine between them.
    fn walk_ranges<'s, I: Iterator<Item = Over<'s>>>(
        &self,
        snapshot: &E::Snapshot,
        range: Range<'_>,
        merge: &mut Merge<'s, I>,
    ) -> Result<(), ReadFault> {
        let mut from: Key = range.from.into();
        loop {
            let next = match self.ranges.at(&from) {
                At::Run(run) => {
                    for key in run.keys_from(&from) {
                        if range.to.is_some_and(|to| **key >= *to)
                            || !merge.add(key, || Ok(layout::nothing()))?
                        {
                            return Ok(());
                        }
                    }
                    Some(run.to.clone())
                }
                At::Gap(next) => {
                    let to = match (next.as_deref(), range.to) {
                        (Some(next), Some(to)) => Some(next.min(to)),
                        (next, to) => next.or(to),
                    };
                    let gap = Range { from: &from, to };
                    if !self.walk_gap(snapshot, gap, merge)? {
                        return Ok(());
                    }
                    next
                }
            };
            match next {
                Some(next) if range.to.is_none_or(|to| *next < *to) => from = next,
                _ => return Ok(()),
            }
        }
    }

    /// Walks a range through the engine, and keeps its entries as runs.
    /// False: the walk is over.
    fn walk_gap<'s, I: Iterator<Item = Over<'s>>>(
        &self,
        snapshot: &E::Snapshot,
        gap: Range<'_>,
        merge: &mut Merge<'s, I>,
    ) -> Result<bool, ReadFault> {
        let mut recorder = RangeRecorder::new(gap.from);
        let mut goes_on = true;
        visit(snapshot, gap, false, |engine_key, stored| {
            let key = engine_keys::key_of(engine_key);
            let mut has_value = true;
            goes_on = merge.add(key, || {
                let value = layout::decode(snapshot, engine_key, stored, E::PART_LEN)?;
                has_value = !value.is_empty();
                Ok(value)
            })?;
            recorder.add(key, has_value);
            Ok(goes_on)
        })?;
        let mut ranges = match gap.to {
            Some(to) if goes_on => recorder.end_at(to),
            _ => recorder.end_here(),
        };
        ranges.retain(|run| !self.shown.lies_over(&run.from, &run.to));
        self.ranges.keep(ranges);
        Ok(goes_on)
    }
}

/// Passes the engine's rows of a range to `each`.
fn visit<S: engine::EngineSnapshot>(
    snapshot: &S,
    range: Range<'_>,
    newest_first: bool,
    each: impl FnMut(&[u8], &[u8]) -> Result<bool, ReadFault>,
) -> Result<(), ReadFault> {
    let to = range
        .to
        .map_or_else(|| engine_keys::ROWS_END.into(), engine_keys::row_key);
    snapshot.visit(&engine_keys::row_key(range.from), &to, newest_first, each)
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
    fn before(&self, slot: &'a StagedKey) -> Option<Result<Option<&'a Value>, StorageError>> {
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
    /// A pending value hides one of the group.
    fn over<'s>(&'s self, range: Range<'s>, newest_first: bool) -> impl Iterator<Item = Over<'s>> {
        let pending = self
            .shown
            .pending
            .as_deref()
            .map(|pending| pending.range(range));
        let pending = directed(pending.unwrap_or_default().iter(), newest_first)
            .map(|(key, value)| (&**key, Ok(value.as_ref())));
        let to = range.to.map_or(Bound::Unbounded, Bound::Excluded);
        let hidden = self
            .shown
            .hidden
            .range::<[u8], _>((Bound::Included(range.from), to));
        let hidden = directed(hidden, newest_first)
            .filter_map(|(key, slot)| Some((&**key, self.before(slot)?)));
        let place =
            move |one: &Over<'_>, other: &Over<'_>| in_order(one.0.cmp(other.0), newest_first);
        let merged = pending.merge_join_by(hidden, place);
        merged.map(|over| over.reduce(|pending, _| pending))
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
