//! The smallest backend that keeps every promise but durability: what the documentation of
//! `storage` asks for, and nothing else. It stays under 100 lines, this text and the test included.

use std::{collections::BTreeMap, ops::Bound, sync::Arc, time::Duration};

use async_trait::async_trait;
use connect_core::storage::{
    Commit, CommitError, Entry, Key, Range, Read, Snapshot, State, Storage, StorageError, Value,
    answer,
    conformance::{Failures, Place, run_all},
    in_process::{InProcess, Local},
};
use parking_lot::Mutex;

/// One committed state. It is never changed, so a read that holds it sees one state.
#[derive(Clone, Default)]
struct Rows(BTreeMap<Key, Value>);

#[derive(Default)]
struct Naive {
    committed: Mutex<Arc<Rows>>,
    writing: Mutex<()>,
}

impl Snapshot for Rows {
    fn get(&self, key: &[u8]) -> Result<Option<Value>, StorageError> {
        Ok(self.0.get(key).cloned())
    }

    fn scan(
        &self,
        range: Range<'_>,
        limit: usize,
        newest_first: bool,
    ) -> Result<Vec<Entry>, StorageError> {
        if range.is_empty() {
            return Ok(Vec::new());
        }
        let to = range.to.map_or(Bound::Unbounded, Bound::Excluded);
        let rows = self.0.range::<[u8], _>((Bound::Included(range.from), to));
        let rows = rows.map(|(key, value)| (key.clone(), value.clone()));
        Ok(if newest_first {
            rows.rev().take(limit).collect()
        } else {
            rows.take(limit).collect()
        })
    }
}

#[async_trait]
impl Local for Naive {
    async fn read(&self, reads: &[Read<'_>]) -> Result<State, StorageError> {
        let rows = self.committed.lock().clone();
        answer(&*rows, reads)
    }

    async fn apply(&self, commit: Commit) -> Result<(), CommitError> {
        let _one_at_a_time = self.writing.lock();
        let commit = commit.with_guard_as_row();
        // A copy: readers have the state before until this one is whole.
        let mut next = self.committed.lock().clone();
        let rows = &mut Arc::make_mut(&mut next).0;
        let mut expects = commit.expects.iter();
        if !expects.all(|(key, expected)| expected.holds(rows.get(key).map(|v| &**v))) {
            return Err(CommitError::Conflict);
        }
        for (key, write) in commit.writes {
            match write.value() {
                Some(value) => rows.insert(key, value.into()),
                None => rows.remove(&key),
            };
        }
        *self.committed.lock() = next;
        Ok(())
    }
}

struct InNaive;
const LEASE: Duration = Duration::from_secs(1);
#[async_trait]
impl Place for InNaive {
    async fn open(&self) -> Result<Arc<dyn Storage>, StorageError> {
        Ok(Arc::new(InProcess::new(Naive::default()).with_lease(LEASE)))
    }

    fn persists(&self) -> bool {
        false
    }

    fn lease(&self) -> Duration {
        LEASE
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn conforms() -> Result<(), Failures> {
    assert!(include_str!("naive_store.rs").lines().count() < 100);
    run_all(|| InNaive).await
}
