//! The rows that were read last, decoded and checked.
//!
//! A row is in here only as the readers see it: they put in what they have read while they hold
//! the view's lock, and the writer changes a row only while the view hides it from them.

use quick_cache::{Weighter, sync::Cache};

use crate::storage::{Key, Value};

/// The room that an entry takes beside its key and its value, in bytes.
const OVERHEAD: usize = 128;

/// A usual entry, in bytes; only where the table starts out depends on it.
const USUAL: u64 = 512;

/// Values longer than this are not kept, in bytes.
const LONGEST: usize = 64 * 1024;

/// Rows in memory, up to a number of bytes.
pub(super) struct RowCache(Option<Cache<Key, Value, ByBytes>>);

#[derive(Clone)]
struct ByBytes;

impl Weighter<Key, Value> for ByBytes {
    fn weight(&self, key: &Key, value: &Value) -> u64 {
        (OVERHEAD + key.len() + value.len()) as u64
    }
}

impl RowCache {
    /// A cache that holds this many bytes; none with 0.
    pub(super) fn new(bytes: u64) -> Self {
        let items = usize::try_from(bytes / USUAL).unwrap_or(usize::MAX);
        Self((bytes > 0).then(|| Cache::with_weighter(items, bytes, ByBytes)))
    }

    pub(super) fn get(&self, key: &[u8]) -> Option<Value> {
        self.0.as_ref()?.get(key)
    }

    /// Keeps a row that was read.
    pub(super) fn keep(&self, key: &[u8], value: &Value) {
        // Entries of indexes say all they have to say by their keys.
        if let Some(cache) = &self.0
            && !value.is_empty()
            && value.len() <= LONGEST
        {
            cache.insert(key.into(), value.clone());
        }
    }

    /// Keeps a row that was written, and forgets one that was removed.
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

    pub(super) fn forget(&self, key: &[u8]) {
        if let Some(cache) = &self.0 {
            cache.remove(key);
        }
    }

    pub(super) fn clear(&self) {
        if let Some(cache) = &self.0 {
            cache.clear();
        }
    }
}
