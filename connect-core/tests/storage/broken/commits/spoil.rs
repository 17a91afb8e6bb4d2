//! Commits in place of which another one is made.

use std::collections::BTreeSet;

use connect_core::storage::{
    Commit, CommitError, Expectation, Guard, Key, MAX_KEY_LEN, Value, Write,
};

use super::{Broken, Store};

impl Store {
    /// The commit that is made instead.
    pub(super) async fn spoil(&self, mut commit: Commit) -> Result<Commit, CommitError> {
        if let Some(Guard { key, was, becomes }) = &mut commit.guard {
            match self.broken {
                Broken::TakesAnyFirstGuard if was.is_none() => *was = self.get(key).await?,
                Broken::NeverWritesGuards => {
                    *becomes = self.get(key).await?.unwrap_or_default();
                }
                Broken::CutsGuards => key.truncate_to(1),
                Broken::IgnoresGuards => commit.guard = None,
                _ => {}
            }
        }
        if self.broken == Broken::ChecksWrittenKeysOnly {
            let written: BTreeSet<_> = commit.writes.iter().map(|(key, _)| key.clone()).collect();
            commit.expects.retain(|(key, _)| written.contains(key));
        }
        for (key, expected) in &mut commit.expects {
            let found = self.get(key).await?;
            let is_taken = match (self.broken, &*expected, found.as_deref()) {
                (Broken::AbsentMeansEmpty, Expectation::Absent, Some(found)) => found.is_empty(),
                (Broken::ComparesStarts, Expectation::Is(value), Some(found)) => {
                    found.starts_with(value)
                }
                _ => false,
            };
            if is_taken {
                *expected = Expectation::unchanged(found);
            }
        }
        for (key, write) in &mut commit.writes {
            let before = self.get(key).await?;
            self.spoil_write(write, before);
            if self.broken == Broken::CutsLongKeys {
                key.truncate_to(MAX_KEY_LEN - 24);
            }
        }
        Ok(commit)
    }

    fn spoil_write(&self, write: &mut Write, before: Option<Value>) {
        if self.broken == Broken::KeepsOldForNew
            && write.is_new()
            && let Some(before) = before
        {
            *write = Write::Put(before);
            return;
        }
        let value = match write {
            Write::Put(value) | Write::New(value) => value.clone(),
            Write::Index(value) | Write::NewIndex(value) => {
                if self.broken == Broken::KeepsRowsOfIndex {
                    *write = Write::Put(value.clone());
                }
                return;
            }
            Write::Remove => {
                if self.broken == Broken::RemovesByEmptying && before.is_some() {
                    *write = Write::Put(Value::default());
                }
                return;
            }
        };
        match self.broken {
            Broken::DropsEmptyValues if value.is_empty() => *write = Write::Remove,
            Broken::EndsAtNul => {
                let end = value.iter().position(|byte| *byte == 0);
                *write = Write::Put(value[..end.unwrap_or(value.len())].into());
            }
            Broken::CutsLongValues => *write = Write::Put(value[..value.len().min(70_000)].into()),
            Broken::LeavesTails => {
                if let Some(tail) = before
                    .as_deref()
                    .and_then(|before| before.get(value.len()..))
                    && value.len() > 65_536
                {
                    *write = Write::Put([&value[..], tail].concat().into());
                }
            }
            _ => {}
        }
    }
}

trait Truncate {
    fn truncate_to(&mut self, len: usize);
}

impl Truncate for Key {
    fn truncate_to(&mut self, len: usize) {
        *self = self[..self.len().min(len)].into();
    }
}
