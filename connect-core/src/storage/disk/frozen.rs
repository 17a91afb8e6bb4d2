//! All rows as of one moment, read page by page.
//!
//! An engine with snapshots keeps the old pages while one is open: its file grows meanwhile,
//! without a wait for any caller. An engine without them (sled) shows later writes. The writer
//! therefore keeps the value of a key before its first write, until the reader has passed the key.
//! Each page is read from the live database, and the kept values replace the newer ones.

use std::{
    collections::BTreeMap,
    ops::Bound,
    sync::{Arc, Weak},
};

use parking_lot::{Mutex, RwLock};

use super::{
    engine::{Engine, EngineSnapshot as _, ReadFault, caught},
    engine_keys, layout,
    read_view::{GroupKeys, Preimage},
};
use crate::storage::{Entry, Key, StorageError, Value};

/// The most bytes of former values to keep.
/// Only a very slow reader meets this limit.
const MOST_KEPT: usize = 256 * 1024 * 1024;

/// The rows of a page.
const PAGE_ROWS: usize = 512;

/// The size limit of a page, in bytes.
const PAGE_BYTES: usize = 512 * 1024;

/// All rows of a store as of one moment, in key order.
///
/// The store keeps the necessary data until this is dropped.
pub struct FrozenRows(Box<dyn FnMut() -> Result<Vec<Entry>, StorageError> + Send>);

impl FrozenRows {
    /// Reads the next rows; none at the end. Blocks.
    ///
    /// # Errors
    /// A row is damaged, the store was closed or reopened, or too much was written meanwhile. Do
    /// not read on after an error.
    pub fn next_page(&mut self) -> Result<Vec<Entry>, StorageError> {
        (self.0)()
    }
}

/// One state, shared with the writer.
pub(super) struct Frozen<E: Engine> {
    /// `None` once the engine was closed, or failed.
    snapshot: RwLock<Option<E::Snapshot>>,
    kept: Mutex<FormerValues>,
}

/// The former values of rows changed since.
struct FormerValues {
    /// The position of the reader.
    passed: Passed,
    before: BTreeMap<Key, Result<Option<Value>, StorageError>>,
    bytes: usize,
}

/// The position of a reader.
enum Passed {
    Nothing,
    UpTo(Key),
    All,
}

impl FormerValues {
    fn has_passed(&self, key: &[u8]) -> bool {
        match &self.passed {
            Passed::Nothing => false,
            Passed::UpTo(last) => *key <= **last,
            Passed::All => true,
        }
    }

    /// Keeps the value of a key before its first write.
    /// `value` is called only then.
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

    /// Takes the values kept for keys up to this one, or all; the reader has passed them.
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
            kept: Mutex::new(FormerValues {
                passed: Passed::Nothing,
                before: BTreeMap::new(),
                bytes: 0,
            }),
        }
    }

    /// Reads the next page.
    /// `from` is its first engine key, and `None` after the last page.
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
                        "too much was written during the backup: try again, at a higher rate",
                    ));
                }
                kept.pass(last.as_ref())
            };
            *from = last.map(|last| [&engine_keys::row_key(&last)[..], &[0]].concat());
            let page = merged(found, kept)?;
            // All rows found may be newer than the moment.
            if !page.is_empty() || from.is_none() {
                return Ok(page);
            }
        }
    }

    /// The engine's rows from a key on, with a flag for the end.
    /// An unreadable one may be in the middle of a write; the merged page decides.
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

/// The engine's rows.
type Found = Vec<(Key, Result<Value, ReadFault>)>;

/// The engine's rows, with their former values in place of newer ones.
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

/// The states with active readers.
pub(super) struct FrozenStates<E: Engine>(Mutex<Vec<Weak<Frozen<E>>>>);

impl<E: Engine> FrozenStates<E> {
    pub(super) fn new() -> Self {
        Self(Mutex::new(Vec::new()))
    }

    /// Starts keeping the state of a new snapshot, taken between two groups.
    pub(super) fn freeze(&self, snapshot: E::Snapshot) -> FrozenRows {
        let frozen = Arc::new(Frozen::<E>::new(snapshot));
        let mut states = self.0.lock();
        states.retain(|state| state.strong_count() > 0);
        states.push(Arc::downgrade(&frozen));
        let mut from = Some(engine_keys::row_key(&[]));
        FrozenRows(Box::new(move || frozen.page(&mut from)))
    }

    /// Keeps the values of keys before a write, for live engines.
    pub(super) fn keep_group(&self, group: &GroupKeys) {
        if !E::IS_LIVE {
            return;
        }
        self.0.lock().retain(|state| {
            let Some(state) = state.upgrade() else {
                return false;
            };
            let mut kept = state.kept.lock();
            let written = group.iter().filter(|(_, slot)| slot.after.is_some());
            for (key, slot) in written {
                kept.keep(key, || match &slot.before {
                    Preimage::Is(value) => Ok(value.clone()),
                    Preimage::Unreadable(error, _) => Err(error.clone()),
                    // With a live engine, a group reads all keys it writes.
                    Preimage::InSnapshot => Err(StorageError::new("a row was not read")),
                });
            }
            true
        });
    }

    /// Releases the engine. The unread rest is no longer readable.
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
