//! The writes of a large commit, as an overlay for readers.

use crate::storage::{Commit, Expectation, Key, Range, Value, Write};

use super::layout;

/// Sorted keys, each with its new value, or `None` for a removal.
pub(super) struct Pending {
    writes: Vec<(Key, Option<Value>)>,
}

impl Pending {
    pub(super) fn new(mut writes: Vec<(Key, Option<Value>)>) -> Self {
        writes.sort_unstable_by(|(one, _), (other, _)| one.cmp(other));
        Self { writes }
    }

    pub(super) fn writes(&self) -> &[(Key, Option<Value>)] {
        &self.writes
    }

    /// The value of a key after the commit; `None` if not written.
    pub(super) fn get(&self, key: &[u8]) -> Option<Option<&Value>> {
        let (first, last) = (self.writes.first()?, self.writes.last()?);
        // Most requested keys are outside the commit.
        if key < &*first.0 || key > &*last.0 {
            return None;
        }
        let found = self
            .writes
            .binary_search_by(|(other, _)| (**other).cmp(key));
        found.ok().map(|at| self.writes[at].1.as_ref())
    }

    /// The writes to the keys of a range.
    pub(super) fn range(&self, range: Range<'_>) -> &[(Key, Option<Value>)] {
        let from = self.writes.partition_point(|(key, _)| **key < *range.from);
        let to = range.to.map_or(self.writes.len(), |to| {
            self.writes.partition_point(|(key, _)| **key < *to)
        });
        self.writes.get(from..to).unwrap_or_default()
    }
}

/// The value after a write.
pub(super) fn value_of(write: Write) -> Option<Value> {
    match write {
        Write::Put(value) | Write::New(value) => Some(value),
        Write::Index(_) | Write::NewIndex(_) => Some(layout::nothing()),
        Write::Remove => None,
    }
}

/// A large commit, sorted for look-ups by key.
pub(super) struct Prepared {
    pub(super) expects: Vec<(Key, Expectation)>,
    pub(super) pending: std::sync::Arc<Pending>,
}

impl Prepared {
    pub(super) fn new(commit: Commit) -> Self {
        let mut expects = commit.expects;
        expects.sort_unstable_by(|(one, _), (other, _)| one.cmp(other));
        let writes = commit.writes.into_iter();
        let writes = writes.map(|(key, write)| (key, value_of(write))).collect();
        Self {
            expects,
            pending: std::sync::Arc::new(Pending::new(writes)),
        }
    }

    /// Returns whether a key written by one is used by the other.
    /// The key may be written or expected by the other.
    pub(super) fn meets(&self, commit: &Commit) -> bool {
        let mut expected = commit.expects.iter().map(|(key, _)| key);
        let mut written = commit.writes.iter().map(|(key, _)| key);
        expected.any(|key| self.writes(key))
            || written.any(|key| self.writes(key) || self.expects(key))
    }

    fn writes(&self, key: &Key) -> bool {
        self.pending.get(key).is_some()
    }

    fn expects(&self, key: &Key) -> bool {
        let found = self.expects.binary_search_by(|(other, _)| other.cmp(key));
        found.is_ok()
    }
}
