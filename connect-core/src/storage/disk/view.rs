//! The readers' state: the last durable one, during the next write.
//!
//! Two layers lie over the engine. A look-up checks them in this order:
//!
//! 1. `hidden`: the keys of the group under way, with their values before it.
//! 2. the row cache.
//!
//! sled shows a batch to readers while applying it, entry by entry and long before it is durable,
//! so its keys are hidden first. redb's snapshots do not change. There `hidden` only bars readers
//! from the cache, changed by the writer before it shows the group. All changes of the layers
//! happen under the write lock, and only move pointers. A read holds the read lock from beginning
//! to end, so it sees one state.

use std::{cell::Cell, mem};

use parking_lot::RwLock;

use super::{
    cache::RowCache,
    engine::{Engine, ReadFault, caught},
    engine_keys,
    frozen::{FrozenRows, FrozenStates},
    layout,
    read_view::{GroupKeys, ReadView},
    reading::LockedRead,
};
use crate::storage::{Read, State, StorageError, Value, answer};

/// The state for readers, and the cache.
pub(super) struct View<E: Engine> {
    shown: RwLock<ReadView<E>>,
    cache: RowCache,
    frozen: FrozenStates<E>,
}

/// The failure of a read.
pub(super) struct ReadFailed {
    pub(super) error: StorageError,
    /// Whether the engine has failed, and a reopening may help.
    pub(super) may_be_cured: bool,
    /// Whether the engine has panicked, as redb does on damaged pages.
    pub(super) is_panic: bool,
}

impl<E: Engine> View<E> {
    pub(super) fn new(snapshot: E::Snapshot, cache_bytes: u64) -> Self {
        Self {
            shown: RwLock::new(ReadView::of(snapshot)),
            cache: RowCache::new(cache_bytes),
            frozen: FrozenStates::new(),
        }
    }

    /// Answers all reads from one state.
    pub(super) fn read(&self, reads: &[Read<'_>]) -> Result<State, ReadFailed> {
        let engine_failed = Cell::new(false);
        let result = caught(|| {
            let reading = LockedRead {
                shown: &self.shown.read(),
                cache: &self.cache,
                engine_failed: &engine_failed,
            };
            answer(&reading, reads)
        });
        let failed = |is_panic, error| ReadFailed {
            error,
            may_be_cured: engine_failed.get(),
            is_panic,
        };
        match result {
            Ok(result) => result.map_err(|error| failed(false, error)),
            Err(error) => Err(failed(true, error)),
        }
    }

    /// The value of a key, for the writer between two groups.
    pub(super) fn row(&self, key: &[u8]) -> Result<Option<Value>, ReadFault> {
        if let Some(value) = self.cache.get(key) {
            return Ok(Some(value));
        }
        let shown = self.shown.read();
        layout::row(shown.snapshot()?, key, E::PART_LEN)
    }

    /// The engine's entry under the key of an unreadable row.
    pub(super) fn was(&self, key: &[u8]) -> Result<layout::Was, ReadFault> {
        let shown = self.shown.read();
        layout::Was::now(shown.snapshot()?, &engine_keys::row_key(key), E::PART_LEN)
    }

    /// All rows of a new snapshot.
    /// The snapshot was taken between two groups.
    pub(super) fn freeze(&self, snapshot: E::Snapshot) -> FrozenRows {
        self.frozen.freeze(snapshot)
    }

    /// Hides a group: readers see the previous values from now on.
    pub(super) fn hide(&self, group: GroupKeys) {
        self.frozen.keep_group(&group);
        self.shown.write().hidden = group;
    }

    /// Shows the group to readers from now on.
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

    /// Releases the engine. Until [`reopen`](Self::reopen) readers see only rows in memory.
    pub(super) fn close(&self) {
        self.frozen.close();
        let _snapshot = self.shown.write().snapshot.take();
    }

    /// Makes the keys of the hidden group unreadable: their values are unknown.
    pub(super) fn suspect(&self, error: StorageError) {
        self.shown.write().suspicion = Some(error);
    }

    /// Returns whether the hidden group was applied, after a reopening.
    pub(super) fn was_applied(&self, snapshot: &E::Snapshot) -> Result<bool, ReadFault> {
        let shown = self.shown.read();
        for (key, slot) in &shown.hidden {
            if let Some(after) = &slot.after
                && layout::row(snapshot, key, E::PART_LEN)? != *after
            {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// Shows the reopened engine, without any overlay.
    pub(super) fn reopen(&self, snapshot: E::Snapshot) {
        let mut shown = self.shown.write();
        // Under the lock: no reader may add its earlier reads.
        self.cache.clear();
        *shown = ReadView::of(snapshot);
    }
}
