//! What readers see: the last durable state, while a newer one is on its way to the disk.
//!
//! Three things lie over the engine, and a key is looked up in this order:
//!
//! 1. `pending`: the values of a large commit that is in force and not yet in its place.
//! 2. `hidden`: the keys of the group under way, which show what they held before it.
//! 3. the row cache.
//!
//! sled shows a batch to readers while it applies it, entry by entry and long before it is on the
//! disk, so its keys are hidden before it is applied. redb's snapshots do not change, so there
//! `hidden` only keeps readers away from the cache, which the writer changes before it shows the
//! group. All changes of what is laid over the engine happen under the write lock, and only move
//! pointers. A read holds the read lock from beginning to end, so it sees one state.

use std::{
    cell::Cell, cmp::Ordering, collections::BTreeMap, iter::Peekable, mem, ops::Bound, sync::Arc,
};

use parking_lot::RwLock;

use super::{
    cache::RowCache,
    engine::{Engine, Fault, Snapshot as _, caught},
    group::{Before, Slot},
    layout,
    pending::Pending,
};
use crate::storage::{Entry, Key, Range, Read, Snapshot, State, StorageError, Value, answer};

/// As many entries as most scans find at most: a page and one more.
const USUAL_SCAN: usize = 256;

/// The keys of a group, with what they held before and hold after it.
pub(super) type Slots = BTreeMap<Key, Slot>;

/// What readers see.
pub(super) struct View<E: Engine> {
    shown: RwLock<Shown<E>>,
    cache: RowCache,
}

/// One state, complete.
struct Shown<E: Engine> {
    /// Gone while the database is opened again.
    snapshot: Option<E::Snapshot>,
    hidden: Slots,
    pending: Option<Arc<Pending>>,
    /// Set when nobody knows if the hidden group was applied.
    doubt: Option<StorageError>,
}

impl<E: Engine> View<E> {
    pub(super) fn new(snapshot: E::Snapshot, cache_bytes: u64) -> Self {
        Self {
            shown: RwLock::new(Shown {
                snapshot: Some(snapshot),
                hidden: Slots::new(),
                pending: None,
                doubt: None,
            }),
            cache: RowCache::new(cache_bytes),
        }
    }

    /// Answers all reads from one state. Says, too, when the engine has failed in a way that
    /// opening it again may cure.
    pub(super) fn read(&self, reads: &[Read<'_>]) -> (Result<State, StorageError>, bool) {
        let engine_failed = Cell::new(false);
        let result = caught(|| {
            let reading = Reading {
                shown: &self.shown.read(),
                cache: &self.cache,
                engine_failed: &engine_failed,
            };
            answer(&reading, reads)
        });
        (result.unwrap_or_else(Err), engine_failed.get())
    }

    /// The value of a key, for the writer between two groups.
    pub(super) fn row(&self, key: &[u8]) -> Result<Option<Value>, Fault> {
        if let Some(value) = self.cache.get(key) {
            return Ok(Some(value));
        }
        let shown = self.shown.read();
        row(shown.snapshot()?, key, E::PART_LEN)
    }

    /// What the engine has under the key of a row that cannot be read.
    pub(super) fn was(&self, key: &[u8]) -> Result<layout::Was, Fault> {
        let shown = self.shown.read();
        layout::Was::now(shown.snapshot()?, &layout::row_key(key), E::PART_LEN)
    }

    /// From here on readers see what the keys of the group held before.
    pub(super) fn hide(&self, group: Slots) {
        self.shown.write().hidden = group;
    }

    /// From here on readers see the group.
    pub(super) fn show(&self, snapshot: E::Snapshot) {
        {
            let shown = self.shown.read();
            for (key, slot) in &shown.hidden {
                if let Some(after) = &slot.after {
                    self.cache.written(key, after.as_ref());
                }
            }
        }
        let mut shown = self.shown.write();
        // Taken out under the lock, freed after it.
        let _before = (
            shown.snapshot.replace(snapshot),
            mem::take(&mut shown.hidden),
        );
        drop(shown);
    }

    /// From here on readers see a large commit, which is not in its place yet.
    pub(super) fn install(&self, pending: Arc<Pending>) {
        self.shown.write().pending = Some(pending);
    }

    /// Forgets rows that a pending commit hides; after [`install`](Self::install).
    pub(super) fn forget<'a>(&self, keys: impl Iterator<Item = &'a Key>) {
        keys.for_each(|key| self.cache.forget(key));
    }

    /// The large commit is in its place, which the snapshot shows.
    pub(super) fn settle(&self, snapshot: E::Snapshot) {
        let mut shown = self.shown.write();
        let _before = (shown.snapshot.replace(snapshot), shown.pending.take());
        drop(shown);
    }

    /// Lets go of the engine. Until [`reopen`](Self::reopen) readers see what is in memory.
    pub(super) fn close(&self) {
        let _snapshot = self.shown.write().snapshot.take();
    }

    /// From here on the keys of the hidden group cannot be read: nobody knows what they hold.
    pub(super) fn doubt(&self, error: StorageError) {
        self.shown.write().doubt = Some(error);
    }

    /// Gives the keys of the hidden group, once the engine is open again.
    pub(super) fn was_applied(&self, snapshot: &E::Snapshot) -> Result<bool, Fault> {
        let shown = self.shown.read();
        for (key, slot) in &shown.hidden {
            if let Some(after) = &slot.after
                && row(snapshot, key, E::PART_LEN)? != *after
            {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// Shows the engine as it was opened again, and nothing else.
    pub(super) fn reopen(&self, snapshot: E::Snapshot) {
        let mut shown = self.shown.write();
        // Under the lock: no reader may put in what it read before.
        self.cache.clear();
        *shown = Shown {
            snapshot: Some(snapshot),
            hidden: Slots::new(),
            pending: None,
            doubt: None,
        };
    }

    /// Runs something while nobody reads, without a snapshot. It leaves a new one, or fails, and
    /// then the engine has to be opened again.
    pub(super) fn alone<T>(
        &self,
        work: impl FnOnce(&mut Option<E::Snapshot>) -> Result<T, StorageError>,
    ) -> Result<T, StorageError> {
        let mut shown = self.shown.write();
        shown.snapshot = None;
        work(&mut shown.snapshot)
    }
}

impl<E: Engine> Shown<E> {
    fn snapshot(&self) -> Result<&E::Snapshot, Fault> {
        self.snapshot
            .as_ref()
            .ok_or_else(|| Fault::Damaged(StorageError::new("the database is being opened again")))
    }
}

/// Reads a row from the engine.
pub(super) fn row<S: super::engine::Snapshot>(
    snapshot: &S,
    key: &[u8],
    part_len: usize,
) -> Result<Option<Value>, Fault> {
    let engine_key = layout::row_key(key);
    let decode = |stored: &[u8]| layout::decode(snapshot, &engine_key, stored, part_len);
    snapshot.get(&engine_key, decode)?.transpose()
}

/// One read, under the read lock.
struct Reading<'a, E: Engine> {
    shown: &'a Shown<E>,
    cache: &'a RowCache,
    engine_failed: &'a Cell<bool>,
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
    /// What a key of the group under way held before it. `None`: the snapshot says it.
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

    /// What is laid over the keys of a range that is not empty, in the order of the scan.
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
