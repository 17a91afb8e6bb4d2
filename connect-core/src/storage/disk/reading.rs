//! One read: the engine's rows, and what is laid over them, in one order.

use std::{cell::Cell, cmp::Ordering, iter::Peekable, ops::Bound};

use super::{
    cache::RowCache,
    engine::{Engine, Fault, Snapshot as _},
    group::{Before, Slot},
    layout,
    view::{Shown, row},
};
use crate::storage::{Entry, Range, Snapshot, StorageError, Value};

/// As many entries as most scans find at most: a page and one more.
const USUAL_SCAN: usize = 256;

/// One read, under the read lock.
pub(super) struct Reading<'a, E: Engine> {
    pub(super) shown: &'a Shown<E>,
    pub(super) cache: &'a RowCache,
    /// Set when the engine has failed in a way that opening it again may cure.
    pub(super) engine_failed: &'a Cell<bool>,
}

/// A key and what is laid over it.
type Over<'a> = (&'a [u8], Result<Option<&'a Value>, StorageError>);

impl<E: Engine> Snapshot for Reading<'_, E> {
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

impl<E: Engine> Reading<'_, E> {
    fn error(&self, fault: Fault) -> StorageError {
        if matches!(fault, Fault::Engine(_)) {
            self.engine_failed.set(true);
        }
        fault.into()
    }

    fn find(&self, key: &[u8]) -> Result<Option<Value>, Fault> {
        if let Some(pending) = &self.shown.pending
            && let Some(value) = pending.get(key)
        {
            return Ok(value.cloned());
        }
        if let Some(slot) = self.shown.hidden.get(key) {
            return match self.before(slot) {
                Some(before) => Ok(before.map_err(Fault::Damaged)?.cloned()),
                None => row(self.shown.snapshot()?, key, E::PART_LEN),
            };
        }
        if let Some(value) = self.cache.get(key) {
            return Ok(Some(value));
        }
        let found = row(self.shown.snapshot()?, key, E::PART_LEN)?;
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
    ) -> Result<Vec<Entry>, Fault> {
        if limit == 0 || range.is_empty() {
            return Ok(Vec::new());
        }
        let snapshot = self.shown.snapshot()?;
        let mut entries: Vec<Entry> = Vec::with_capacity(limit.min(USUAL_SCAN));
        let mut over = self.over(range, newest_first).peekable();
        let to = range
            .to
            .map_or_else(|| layout::ROWS_END.into(), layout::row_key);
        snapshot.visit(
            &layout::row_key(range.from),
            &to,
            newest_first,
            |engine_key, stored| {
                let key = layout::key_of(engine_key);
                while let Some((over_key, _)) = over.peek() {
                    let place = over_key.cmp(&key);
                    let place = if newest_first { place.reverse() } else { place };
                    if place == Ordering::Greater {
                        break;
                    }
                    take(&mut over, &mut entries)?;
                    if entries.len() == limit {
                        return Ok(false);
                    }
                    if place == Ordering::Equal {
                        return Ok(true);
                    }
                }
                // Decoded only now: the parts of what is hidden may be about to change.
                let value = layout::decode(snapshot, engine_key, stored, E::PART_LEN)?;
                entries.push((key.into(), value));
                Ok(entries.len() < limit)
            },
        )?;
        while entries.len() < limit && over.peek().is_some() {
            take(&mut over, &mut entries)?;
        }
        Ok(entries)
    }
}

/// Moves the next of what is laid over the engine among the entries.
fn take<'a>(
    over: &mut Peekable<impl Iterator<Item = Over<'a>>>,
    entries: &mut Vec<Entry>,
) -> Result<(), Fault> {
    if let Some((key, value)) = over.next()
        && let Some(value) = value.map_err(Fault::Damaged)?
    {
        entries.push((key.into(), value.clone()));
    }
    Ok(())
}

impl<'a, E: Engine> Reading<'a, E> {
    /// The value of a key before the group under way. `None`: the snapshot says it.
    fn before(&self, slot: &'a Slot) -> Option<Result<Option<&'a Value>, StorageError>> {
        if let Some(doubt) = &self.shown.doubt
            && slot.after.is_some()
        {
            return Some(Err(doubt.clone()));
        }
        match &slot.before {
            Before::Is(value) => Some(Ok(value.as_ref())),
            Before::Unreadable(error, _) => Some(Err(error.clone())),
            Before::InSnapshot => None,
        }
    }

    /// Everything that is laid over the keys of a range that is not empty, in the order of the scan.
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
        Merged {
            first: pending.peekable(),
            second: hidden.peekable(),
            newest_first,
        }
    }
}

/// An iterator in its own or in the reverse direction.
fn directed<I: DoubleEndedIterator>(mut items: I, reverse: bool) -> impl Iterator<Item = I::Item> {
    std::iter::from_fn(move || {
        if reverse {
            items.next_back()
        } else {
            items.next()
        }
    })
}

/// Two ordered sequences in one; where both have a key, the first counts.
struct Merged<A: Iterator, B: Iterator> {
    first: Peekable<A>,
    second: Peekable<B>,
    newest_first: bool,
}

impl<'a, A, B> Iterator for Merged<A, B>
where
    A: Iterator<Item = Over<'a>>,
    B: Iterator<Item = Over<'a>>,
{
    type Item = Over<'a>;

    fn next(&mut self) -> Option<Over<'a>> {
        let (Some((first, _)), Some((second, _))) = (self.first.peek(), self.second.peek()) else {
            return self.first.next().or_else(|| self.second.next());
        };
        let place = first.cmp(second);
        match if self.newest_first {
            place.reverse()
        } else {
            place
        } {
            Ordering::Less => self.first.next(),
            Ordering::Greater => self.second.next(),
            Ordering::Equal => {
                self.second.next();
                self.first.next()
            }
        }
    }
}
