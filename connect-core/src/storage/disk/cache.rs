//! The most recently read rows, decoded and checked.
//!
//! A cached row always matches the readers' state. Readers add the rows they read while holding the
//! view's lock, and the writer changes a cached row only while the view hides it from readers.

use quick_cache::{Weighter, sync::Cache};

use crate::storage::{Key, Value};

/// The bytes of an entry beside its key and its value.
const OVERHEAD: usize = 128;

/// The size of a usual entry, in bytes.
/// It affects only the initial size of the table.
const USUAL: u64 = 512;

/// The longest value to keep, in bytes.
const LONGEST: usize = 64 * 1024;

/// Rows in memory, up to a limit in bytes.
pub(super) struct RowCache(Option<Cache<Key, Value, ByBytes>>);

#[derive(Clone)]
struct ByBytes;

impl Weighter<Key, Value> for ByBytes {
    fn weight(&self, key: &Key, value: &Value) -> u64 {
        (OVERHEAD + key.len() + value.len()) as u64
    }
}

impl RowCache {
    /// A cache of this many bytes; no cache with 0.
    pub(super) fn new(bytes: u64) -> Self {
        let items = usize::try_from(bytes / USUAL).unwrap_or(usize::MAX);
        Self((bytes > 0).then(|| Cache::with_weighter(items, bytes, ByBytes)))
    }

    pub(super) fn get(&self, key: &[u8]) -> Option<Value> {
        self.0.as_ref()?.get(key)
    }

    /// Keeps a row after a read.
    pub(super) fn keep(&self, key: &[u8], value: &Value) {
        // Index entries have only a key, so there is no value to cache.
        if let Some(cache) = &self.0
            && !value.is_empty()
            && value.len() <= LONGEST
        {
            cache.insert(key.into(), value.clone());
        }
    }

    /// Keeps a row after a write, and forgets it after a removal.
    pub(super) fn written(&self, key: &[u8], value: Option<&Value>) {
        let Some(cache) = &self.0 else { return };
        match value {
            Some(value) if !value.is_empty() && value.len() <= LONGEST => {
                cache.insert(key.into(), value.clone());
            }
            _ => {
                cache.remove(key);
            }
        }
    }

    pub(super) fn clear(&self) {
        if let Some(cache) = &self.0 {
            cache.clear();
        }
    }
}
