//! The most recently scanned runs of index entries, decoded and checked.
//!
//! A run has the keys of all entries between two keys, provided none of them has a value: they are
//! index entries. A scan takes its entries from here, and reads only the gaps from the engine,
//! which takes several times as long.
//!
//! As with the row cache, a run always matches the readers' state. Readers add the runs they read
//! while holding the view's lock, without the overlay on the engine. The writer forgets the runs
//! around its writes while the view hides them.

use std::{
    collections::BTreeMap,
    ops::Bound,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
};

use parking_lot::RwLock;

use crate::storage::Key;

/// The most entries of a run.
/// After a write among them, all are read again.
const LONGEST: usize = 64;

/// The fewest entries of a run to keep.
const SHORTEST: usize = 8;

/// The overhead of a run, and of each key, in bytes.
const OVERHEAD: usize = 192;
const KEY_OVERHEAD: usize = 24;

/// All entries of `from <= key < to`.
pub(super) struct IndexRange {
    pub(super) from: Key,
    pub(super) to: Key,
    /// The keys of the entries, in order.
    keys: Vec<Key>,
    /// Whether a scan has used it since the last search for room.
    used: AtomicBool,
}

impl IndexRange {
    /// The keys at or above `from`.
    pub(super) fn keys_from(&self, from: &[u8]) -> &[Key] {
        let first = self.keys.partition_point(|key| **key < *from);
        &self.keys[first..]
    }

    /// The size of the run in the cache, in bytes.
    fn bytes(&self) -> usize {
        let keys: usize = self.keys.iter().map(|key| key.len() + KEY_OVERHEAD).sum();
        OVERHEAD + self.from.len() + self.to.len() + keys
    }
}

/// Makes index ranges out of entries read in ascending order.
pub(super) struct RangeRecorder {
    from: Key,
    keys: Vec<Key>,
    done: Vec<IndexRange>,
}

impl RangeRecorder {
    /// A recorder without entries, starting at `from`.
    pub(super) fn new(from: &[u8]) -> Self {
        Self {
            from: from.into(),
            keys: Vec::new(),
            done: Vec::new(),
        }
    }

    /// Notes the next entry.
    pub(super) fn add(&mut self, key: &[u8], has_value: bool) {
        if has_value {
            self.keys.clear();
            self.from = after(key);
            return;
        }
        if self.keys.len() == LONGEST {
            self.end_run(key);
        }
        if self.keys.capacity() == 0 {
            self.keys.reserve_exact(LONGEST);
        }
        self.keys.push(key.into());
    }

    /// Ends with the last added entry.
    pub(super) fn end_here(mut self) -> Vec<IndexRange> {
        if let Some(last) = self.keys.last() {
            let to = after(last);
            self.end_run(&to);
        }
        self.done
    }

    /// Ends at `to`: there are no more entries before it.
    pub(super) fn end_at(mut self, to: &[u8]) -> Vec<IndexRange> {
        self.end_run(to);
        self.done
    }

    fn end_run(&mut self, to: &[u8]) {
        let from = std::mem::replace(&mut self.from, to.into());
        let keys = std::mem::take(&mut self.keys);
        if keys.len() >= SHORTEST {
            self.done.push(IndexRange {
                from,
                to: to.into(),
                keys,
                used: AtomicBool::new(false),
            });
        }
    }
}

/// The smallest key after a key.
fn after(key: &[u8]) -> Key {
    [key, &[0]].concat().into()
}

/// Index ranges in memory, up to a limit in bytes.
/// They do not overlap.
pub(super) struct IndexRangeCache {
    most_bytes: usize,
    kept: RwLock<CachedRanges>,
}

#[derive(Default)]
struct CachedRanges {
    /// The runs, by their first key.
    ranges: BTreeMap<Key, Arc<IndexRange>>,
    bytes: usize,
    /// The last run checked in a search for room, by first key.
    hand: Key,
}

/// The contents of the cache at a key.
pub(super) enum At {
    /// The key is in this run.
    Run(Arc<IndexRange>),
    /// The key is in no run.
    /// Holds the first key of the next run, if there is one.
    Gap(Option<Key>),
}

impl IndexRangeCache {
    /// A cache of this many bytes; no cache with 0.
    pub(super) fn new(bytes: u64) -> Self {
        Self {
            most_bytes: usize::try_from(bytes).unwrap_or(usize::MAX),
            kept: RwLock::default(),
        }
    }

    pub(super) fn is_off(&self) -> bool {
        self.most_bytes == 0
    }

    pub(super) fn at(&self, key: &[u8]) -> At {
        let kept = self.kept.read();
        if let Some(run) = kept.around(key) {
            run.used.store(true, Ordering::Relaxed);
            return At::Run(run.clone());
        }
        let above = (Bound::Excluded(key), Bound::Unbounded);
        let next = kept.ranges.range::<[u8], _>(above).next();
        At::Gap(next.map(|(from, _)| from.clone()))
    }

    /// Keeps the runs read in a gap.
    /// Runs kept meanwhile by another reader stay.
    pub(super) fn keep(&self, ranges: Vec<IndexRange>) {
        if ranges.is_empty() {
            return;
        }
        let mut kept = self.kept.write();
        for run in ranges {
            kept.add(run);
        }
        while kept.bytes > self.most_bytes {
            kept.make_room();
        }
    }

    /// Forgets the runs around keys, given in ascending order.
    pub(super) fn forget<'a>(&self, keys: impl Iterator<Item = &'a Key>) {
        let mut stale: Vec<Arc<IndexRange>> = Vec::new();
        {
            let kept = self.kept.read();
            if kept.ranges.is_empty() {
                return;
            }
            for key in keys {
                let is_known = stale.last().is_some_and(|run| run.to > *key);
                if !is_known && let Some(run) = kept.around(key) {
                    stale.push(run.clone());
                }
            }
        }
        let mut kept = self.kept.write();
        for run in stale {
            kept.remove(&run.from);
        }
    }

    pub(super) fn clear(&self) {
        *self.kept.write() = CachedRanges::default();
    }
}

impl CachedRanges {
    /// The run around a key.
    fn around(&self, key: &[u8]) -> Option<&Arc<IndexRange>> {
        let to_key = (Bound::Unbounded, Bound::Included(key));
        let (_, run) = self.ranges.range::<[u8], _>(to_key).next_back()?;
        (*run.to > *key).then_some(run)
    }

    fn add(&mut self, run: IndexRange) {
        let below = (Bound::Unbounded, Bound::Excluded(&*run.to));
        let last = self.ranges.range::<[u8], _>(below).next_back();
        if last.is_some_and(|(_, last)| last.to > run.from) {
            return;
        }
        self.bytes += run.bytes();
        self.ranges.insert(run.from.clone(), Arc::new(run));
    }

    fn remove(&mut self, from: &[u8]) {
        if let Some(run) = self.ranges.remove(from) {
            self.bytes -= run.bytes();
        }
    }

    /// Forgets the next run without a recent scan.
    fn make_room(&mut self) {
        loop {
            let above = (Bound::Excluded(&*self.hand), Bound::Unbounded);
            let Some((from, run)) = self.ranges.range::<[u8], _>(above).next() else {
                if self.ranges.is_empty() {
                    return;
                }
                // Start over; no run begins below this key, and only one at it.
                self.hand = Key::default();
                self.remove(b"");
                continue;
            };
            let from = from.clone();
            if !run.used.swap(false, Ordering::Relaxed) {
                self.remove(&from);
            }
            self.hand = from;
            return;
        }
    }
}
