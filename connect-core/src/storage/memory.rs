//! Everything in memory: for tests, for trying things out, and as the plainest implementation.

use std::{collections::BTreeMap, ops::Bound};

use async_trait::async_trait;
use parking_lot::RwLock;

use super::{Commit, CommitError, Entry, Key, Range, Storage, StorageError, Value};

/// A [`Storage`] in memory. Nothing survives the process.
#[derive(Default)]
pub struct MemoryStorage {
    rows: RwLock<BTreeMap<Key, Value>>,
}

impl MemoryStorage {
    /// An empty store.
    pub fn new() -> Self {
        Self::default()
    }
}

#[async_trait]
impl Storage for MemoryStorage {
    async fn get(&self, keys: &[&[u8]]) -> Result<Vec<Option<Value>>, StorageError> {
        let rows = self.rows.read();
        Ok(keys.iter().map(|key| rows.get(*key).cloned()).collect())
    }

    async fn scan(&self, range: Range<'_>, limit: usize) -> Result<Vec<Entry>, StorageError> {
        // A range that ends before it starts holds nothing; BTreeMap::range would panic.
        if range.to.is_some_and(|to| to <= range.from) {
            return Ok(Vec::new());
        }
        let to = range.to.map_or(Bound::Unbounded, Bound::Excluded);
        let rows = self.rows.read();
        Ok(rows
            .range::<[u8], _>((Bound::Included(range.from), to))
            .take(limit)
            .map(|(key, value)| (key.clone(), value.clone()))
            .collect())
    }

    async fn commit(&self, commit: Commit) -> Result<(), CommitError> {
        let mut rows = self.rows.write();
        let holds = |(key, expected): &(Key, super::Expectation)| {
            expected.holds(rows.get(key).map(|value| &**value))
        };
        if !commit.expects.iter().all(holds) {
            return Err(CommitError::Conflict);
        }
        for (key, value) in commit.writes {
            match value {
                Some(value) => rows.insert(key, value),
                None => rows.remove(&key),
            };
        }
        Ok(())
    }
}
