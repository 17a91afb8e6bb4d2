//! The store in memory: for tests, for trials, and as an example.

use std::{collections::HashSet, mem, ops::Bound, time::Duration};

use async_trait::async_trait;
use imbl::{OrdMap, ordmap::DiffItem};
use parking_lot::RwLock;

use super::{
    Commit, CommitError, Entry, Expectation, Key, Range, Read, Snapshot, State, StorageError,
    Value, Write, answer,
    in_process::{InProcess, Local, delegates_to_in_process},
};

/// A [`Storage`](super::Storage) in memory. Nothing survives the process.
#[derive(Clone)]
pub struct MemoryStorage(InProcess<Memory>);

impl MemoryStorage {
    /// An empty store.
    pub fn new() -> Self {
        Self(InProcess::new(Memory::default()))
    }

    /// An empty store with another lease than [`LEASE`](super::in_process::LEASE), for tests.
    pub fn with_lease(lease: Duration) -> Self {
        Self(InProcess::new(Memory::default()).with_lease(lease))
    }
}

impl Default for MemoryStorage {
    fn default() -> Self {
        Self::new()
    }
}

delegates_to_in_process!(MemoryStorage);

#[derive(Default)]
struct Memory {
    rows: RwLock<Rows>,
}

/// The most writes of a commit to apply in place.
/// A larger commit is prepared beside the rows, so no caller waits for it. It then copies every node
/// it writes to. Two batches of 500 must stay below this limit, to avoid the
/// copying.
const LARGE: usize = 20_000;

#[async_trait]
impl Local for Memory {
    async fn read(&self, reads: &[Read<'_>]) -> Result<State, StorageError> {
        answer(&*self.rows.read(), reads)
    }

    async fn apply(&self, commit: Commit) -> Result<(), CommitError> {
        let commit = commit.with_guard_as_row();
        if commit.writes.len() > LARGE {
            return self.apply_beside(commit);
        }
        let mut rows = self.rows.write();
        rows.check(&commit.expects)?;
        rows.write_all(commit.writes);
        Ok(())
    }
}

impl Memory {
    /// Applies a commit to a copy of the rows, then swaps the copy in.
    fn apply_beside(&self, commit: Commit) -> Result<(), CommitError> {
        let before = self.rows.read().clone();
        // Dropped after the lock, so no caller waits until the replaced rows are freed.
        let mut prepared = Prepared::new(before, commit)?;
        prepared.replace(&mut self.rows.write())
    }
}

/// A large commit, applied to a copy of the rows.
struct Prepared {
    before: Rows,
    after: Rows,
    expects: Vec<(Key, Expectation)>,
    written: HashSet<Key>,
}

impl Prepared {
    fn new(before: Rows, commit: Commit) -> Result<Self, CommitError> {
        before.check(&commit.expects)?;
        let written = commit.writes.iter().map(|(key, _)| key.clone()).collect();
        let mut after = before.clone();
        after.write_all(commit.writes);
        Ok(Self {
            before,
            after,
            expects: commit.expects,
            written,
        })
    }

    /// Exchanges the rows of now for the prepared ones, with the changes since.
    fn replace(&mut self, now: &mut Rows) -> Result<(), CommitError> {
        now.check(&self.expects)?;
        for change in self.before.0.diff(&now.0) {
            match change {
                DiffItem::Add(key, _)
                | DiffItem::Update { old: (key, _), .. }
                | DiffItem::Remove(key, _)
                    if self.written.contains(key) => {}
                DiffItem::Add(key, stored)
                | DiffItem::Update {
                    new: (key, stored), ..
                } => {
                    self.after.0.insert(key.clone(), stored.clone());
                }
                DiffItem::Remove(key, _) => {
                    self.after.0.remove(key);
                }
            }
        }
        mem::swap(now, &mut self.after);
        Ok(())
    }
}

/// The rows by their keys. A copy shares all nodes until one of the two is written.
#[derive(Clone, Default)]
struct Rows(OrdMap<Key, Stored>);

/// The value of a key.
#[derive(Clone, PartialEq, Eq)]
enum Stored {
    Row(Value),
    /// An index entry with its row. Its own value is empty.
    Index(Value),
}

impl Rows {
    /// Checks every expectation of a commit.
    fn check(&self, expects: &[(Key, Expectation)]) -> Result<(), CommitError> {
        let hold = expects.iter().all(|(key, expected)| {
            let stored = self.0.get(key);
            expected.holds(stored.map(Stored::bytes))
        });
        if hold {
            Ok(())
        } else {
            Err(CommitError::Conflict)
        }
    }

    fn write_all(&mut self, writes: Vec<(Key, Write)>) {
        for (key, write) in writes {
            match write {
                Write::Put(value) | Write::New(value) => self.0.insert(key, Stored::Row(value)),
                Write::Index(row) | Write::NewIndex(row) => self.0.insert(key, Stored::Index(row)),
                Write::Remove => self.0.remove(&key),
            };
        }
    }

    /// Converts at most `limit` entries of a range.
    fn entries<T>(
        &self,
        range: Range<'_>,
        limit: usize,
        newest_first: bool,
        entry: impl Fn((&Key, &Stored)) -> T,
    ) -> Vec<T> {
        if range.is_empty() {
            return Vec::new();
        }
        let to = range.to.map_or(Bound::Unbounded, Bound::Excluded);
        let found = self.0.range::<_, [u8]>((Bound::Included(range.from), to));
        if newest_first {
            found.rev().take(limit).map(entry).collect()
        } else {
            found.take(limit).map(entry).collect()
        }
    }
}

impl Snapshot for Rows {
    fn get(&self, key: &[u8]) -> Result<Option<Value>, StorageError> {
        Ok(self.0.get(key).map(Stored::to_value))
    }

    fn scan(
        &self,
        range: Range<'_>,
        limit: usize,
        newest_first: bool,
    ) -> Result<Vec<Entry>, StorageError> {
        Ok(self.entries(range, limit, newest_first, entry))
    }

    fn scan_follow(
        &self,
        range: Range<'_>,
        limit: usize,
        newest_first: bool,
        row_key: impl Fn(&[u8]) -> Option<Key>,
    ) -> Result<Vec<(Entry, Option<Value>)>, StorageError> {
        Ok(self.entries(range, limit, newest_first, |(key, stored)| {
            let row = match stored {
                Stored::Index(row) => Some(row.clone()),
                Stored::Row(_) => row_key(key)
                    .and_then(|key| self.0.get(&*key))
                    .map(Stored::to_value),
            };
            (entry((key, stored)), row)
        }))
    }
}

fn entry((key, stored): (&Key, &Stored)) -> Entry {
    (key.clone(), stored.to_value())
}

impl Stored {
    fn bytes(&self) -> &[u8] {
        match self {
            Self::Row(value) => value,
            Self::Index(_) => &[],
        }
    }

    fn to_value(&self) -> Value {
        match self {
            Self::Row(value) => value.clone(),
            Self::Index(_) => Value::default(),
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// Writes of few keys: `None` removes one.
    fn writes() -> impl Strategy<Value = Vec<(Key, Write)>> {
        let write = prop_oneof![
            Just(Write::Remove),
            any::<u8>().prop_map(|value| Write::Put([value].as_slice().into())),
            any::<u8>().prop_map(|value| Write::Index([value].as_slice().into())),
        ];
        let writes = proptest::collection::btree_map(0_u8..40, write, 0..40);
        writes.prop_map(|writes| {
            let with_key = |(key, write)| (Key::from([key]), write);
            writes.into_iter().map(with_key).collect()
        })
    }

    proptest! {
        #[test]
        fn a_commit_prepared_beside_others_is_as_one_after_them(
            first in writes(), large in writes(), meanwhile in proptest::collection::vec(writes(), 0..4),
        ) {
            let mut rows = Rows::default();
            rows.write_all(first);
            let commit = Commit { writes: large.clone(), ..Commit::default() };
            let mut prepared = Prepared::new(rows.clone(), commit).unwrap();
            for writes in meanwhile {
                rows.write_all(writes);
            }
            let mut expected = rows.clone();
            expected.write_all(large);
            prepared.replace(&mut rows).unwrap();
            prop_assert!(rows.0 == expected.0);
        }
    }

    #[test]
    fn a_commit_prepared_beside_a_change_of_what_it_expects_conflicts() {
        let mut rows = Rows::default();
        let commit = Commit {
            expects: vec![(Key::from([1]), Expectation::Absent)],
            writes: vec![(Key::from([1]), Write::Put([1].as_slice().into()))],
            guard: None,
        };
        let mut prepared = Prepared::new(rows.clone(), commit).unwrap();
        rows.write_all(vec![(Key::from([1]), Write::Put([2].as_slice().into()))]);
        assert!(matches!(
            prepared.replace(&mut rows),
            Err(CommitError::Conflict)
        ));
        assert_eq!(rows.get(&[1]).unwrap().as_deref(), Some([2].as_slice()));
    }
}
