//! All rows as they were at one moment, read page by page while commits go on.
//!
//! An engine with snapshots keeps the old pages for as long as one is open: its file grows meanwhile, and
//! nobody waits. One without (sled) shows what is written later, so the writer keeps what a key
//! held before the first write to it, until the reader has passed the key. A page is read from the live
//! database, and what was kept is laid over it.

use std::{
    collections::BTreeMap,
    ops::Bound,
    sync::{Arc, Weak},
};

use parking_lot::{Mutex, RwLock};

use super::{
    engine::{Engine, Fault, Snapshot as _, caught},
    engine_keys, layout,
    read_view::{Before, Slots},
};
use crate::storage::{Entry, Key, StorageError, Value};

/// The most bytes that are kept of former values. More is written only where a reader is very slow.
const MOST_KEPT: usize = 256 * 1024 * 1024;

/// The rows of a page.
const PAGE_ROWS: usize = 512;

/// The bytes after which a page ends.
const PAGE_BYTES: usize = 512 * 1024;

/// All rows of a store as they were at one moment, in the order of their keys.
///
/// The store keeps what it needs for that until this is dropped.
pub struct FrozenRows(Box<dyn FnMut() -> Result<Vec<Entry>, StorageError> + Send>);

impl FrozenRows {
    /// Reads the next rows; none at the end. Blocks.
    ///
    /// # Errors
    /// A row is damaged, the store was closed or opened again, or too much was written meanwhile. Nothing
    /// is to be read after that.
    pub fn next_page(&mut self) -> Result<Vec<Entry>, StorageError> {
        (self.0)()
    }
}

/// One state, as the writer knows it.
pub(super) struct Frozen<E: Engine> {
    /// Gone once the engine was closed, or failed.
    snapshot: RwLock<Option<E::Snapshot>>,
    kept: Mutex<Kept>,
}

/// The values that the rows had, where they have others by now.
struct Kept {
    /// The place up to which all was read.
    passed: Passed,
    before: BTreeMap<Key, Result<Option<Value>, StorageError>>,
    bytes: usize,
}

/// The place up to which rows were read.
enum Passed {
    Nothing,
    UpTo(Key),
    All,
}

impl Kept {
    fn has_passed(&self, key: &[u8]) -> bool {
        match &self.passed {
            Passed::Nothing => false,
            Passed::UpTo(last) => *key <= **last,
            Passed::All => true,
        }
    }

    /// Keeps the value of a key, if it is the first write to it. `value` is asked only then.
    fn keep(&mut self, key: &Key, value: impl FnOnce() -> Result<Option<Value>, StorageError>) {
        if self.has_passed(key) || self.before.contains_key(key) {
            return;
        }
        let value = value();
        let len = value.as_ref().ok().and_then(Option::as_ref);
        self.bytes += key.len() + len.map_or(0, |value| value.len());
        if self.bytes > MOST_KEPT {
            self.before.clear();
            return;
        }
        self.before.insert(key.clone(), value);
    }

    /// Takes what was kept of the keys up to this one, or of all, which have been read now.
    fn pass(&mut self, last: Option<&Key>) -> BTreeMap<Key, Result<Option<Value>, StorageError>> {
        let rest = match last {
            Some(last) => {
                let behind = (Bound::Excluded(last.clone()), Bound::Unbounded);
                let first = self.before.range::<Key, _>(behind).next();
                let first = first.map(|(key, _)| key.clone());
                first.map_or_else(BTreeMap::new, |first| self.before.split_off(&first))
            }
            None => BTreeMap::new(),
        };
        let taken = std::mem::replace(&mut self.before, rest);
        for (key, value) in &taken {
            let len = value.as_ref().ok().and_then(Option::as_ref);
            self.bytes -= key.len() + len.map_or(0, |value| value.len());
        }
        self.passed = match last {
            Some(last) => Passed::UpTo(last.clone()),
            None => Passed::All,
        };
        taken
    }
}

impl<E: Engine> Frozen<E> {
    fn new(snapshot: E::Snapshot) -> Self {
        Self {
            snapshot: RwLock::new(Some(snapshot)),
            kept: Mutex::new(Kept {
                passed: Passed::Nothing,
                before: BTreeMap::new(),
                bytes: 0,
            }),
        }
    }

    /// Reads the next page. `from` is the first engine key of it, and `None` behind the last one.
    fn page(&self, from: &mut Option<Vec<u8>>) -> Result<Vec<Entry>, StorageError> {
        loop {
            let Some(first) = from.take() else {
                return Ok(Vec::new());
            };
            let (found, is_end) = self.found(&first)?;
            let last = found.last().map(|(key, _)| key.clone());
            let last = if is_end { None } else { last };
            let kept = {
                let mut kept = self.kept.lock();
                if kept.bytes > MOST_KEPT {
                    return Err(StorageError::new(
                        "more was written meanwhile than can be kept beside: try again, at a higher rate",
                    ));
                }
                kept.pass(last.as_ref())
            };
            *from = last.map(|last| [&engine_keys::row_key(&last)[..], &[0]].concat());
            let page = merged(found, kept)?;
            // All that was found may have been written after the moment.
            if !page.is_empty() || from.is_none() {
                return Ok(page);
            }
        }
    }

    /// The rows that the engine shows from a key on, and whether they are the last. One that cannot be read may be
    /// one that is being written: only the page tells.
    fn found(&self, first: &[u8]) -> Result<(Found, bool), StorageError> {
        let snapshot = self.snapshot.read();
        let snapshot = snapshot.as_ref().ok_or_else(|| {
            StorageError::new("the store was closed, or opened again after a failure")
        })?;
        let (mut found, mut bytes, mut is_end) = (Vec::new(), 0, true);
        let visited = caught(|| {
            snapshot.visit(first, engine_keys::ROWS_END, false, |engine_key, stored| {
                if found.len() == PAGE_ROWS || bytes >= PAGE_BYTES {
                    is_end = false;
                    return Ok(false);
                }
                let value = layout::decode(snapshot, engine_key, stored, E::PART_LEN);
                bytes += engine_key.len() + value.as_ref().map_or(0, |value| value.len());
                found.push((engine_keys::key_of(engine_key).into(), value));
                Ok(true)
            })
        });
        visited??;
        Ok((found, is_end))
    }
}

/// Rows as the engine shows them.
type Found = Vec<(Key, Result<Value, Fault>)>;

/// Rows as the engine shows them, with what they were before laid over them.
fn merged(
    found: Found,
    kept: BTreeMap<Key, Result<Option<Value>, StorageError>>,
) -> Result<Vec<Entry>, StorageError> {
    if kept.is_empty() {
        let rows = found.into_iter();
        return rows.map(|(key, value)| Ok((key, value?))).collect();
    }
    let mut rows: BTreeMap<Key, Result<Option<Value>, StorageError>> = found
        .into_iter()
        .map(|(key, value)| (key, value.map(Some).map_err(StorageError::from)))
        .collect();
    rows.extend(kept);
    let rows = rows
        .into_iter()
        .filter_map(|(key, value)| Some((key, value.transpose()?)));
    rows.map(|(key, value)| Ok((key, value?))).collect()
}

/// The states that are being read.
pub(super) struct FrozenStates<E: Engine>(Mutex<Vec<Weak<Frozen<E>>>>);

impl<E: Engine> FrozenStates<E> {
    pub(super) fn new() -> Self {
        Self(Mutex::new(Vec::new()))
    }

    /// Begins to keep the state of a snapshot that was just taken, between two groups.
    pub(super) fn freeze(&self, snapshot: E::Snapshot) -> FrozenRows {
        let frozen = Arc::new(Frozen::<E>::new(snapshot));
        let mut states = self.0.lock();
        states.retain(|state| state.strong_count() > 0);
        states.push(Arc::downgrade(&frozen));
        let mut from = Some(engine_keys::row_key(&[]));
        FrozenRows(Box::new(move || frozen.page(&mut from)))
    }

    /// Keeps the values of keys that are about to be written, for engines that are live.
    pub(super) fn keep_group(&self, group: &Slots) {
        self.each(|kept| {
            let written = group.iter().filter(|(_, slot)| slot.after.is_some());
            for (key, slot) in written {
                kept.keep(key, || match &slot.before {
                    Before::Is(value) => Ok(value.clone()),
                    Before::Unreadable(error, _) => Err(error.clone()),
                    // Live engines have looked at all that a group writes.
                    Before::InSnapshot => Err(StorageError::new("a row was not read")),
                });
            }
        });
    }

    /// The same for keys that `row` reads.
    pub(super) fn keep_keys<'a>(
        &self,
        keys: impl Iterator<Item = &'a Key> + Clone,
        row: impl Fn(&[u8]) -> Result<Option<Value>, Fault>,
    ) {
        self.each(|kept| {
            for key in keys.clone() {
                kept.keep(key, || row(key).map_err(StorageError::from));
            }
        });
    }

    fn each(&self, mut keep: impl FnMut(&mut Kept)) {
        if !E::IS_LIVE {
            return;
        }
        let mut states = self.0.lock();
        states.retain(|state| match state.upgrade() {
            Some(state) => {
                keep(&mut state.kept.lock());
                true
            }
            None => false,
        });
    }

    /// Lets go of the engine: what was not read by now cannot be.
    pub(super) fn close(&self) {
        for state in self.0.lock().drain(..) {
            if let Some(state) = state.upgrade() {
                let _snapshot = state.snapshot.write().take();
            }
        }
    }
}

#[cfg(all(test, feature = "redb"))]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::{Engine as _, FrozenStates};
    use crate::storage::disk::redb::Redb;

    #[test]
    fn states_that_were_read_are_let_go() {
        let folder = tempfile::tempdir().unwrap();
        let engine = Redb::open(&folder.path().join("store.redb"), &(1 << 20)).unwrap();
        let states = FrozenStates::<Redb>::new();
        let is_read = states.freeze(engine.snapshot().unwrap());
        for _ in 0..3 {
            drop(states.freeze(engine.snapshot().unwrap()));
        }
        assert_eq!(states.0.lock().len(), 2, "one that is read, and the last");
        drop(is_read);
    }
}
