//! The store in memory: for tests, for trials, and as an example.

mod key_suffix;
mod rows;
mod tree;

use std::{mem, time::Duration};

use async_trait::async_trait;
use parking_lot::RwLock;

use self::rows::RowGroups;
use super::{
    Commit, CommitError, Read, State, StorageError,
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
    rows: RwLock<RowGroups>,
}

/// The most writes of a commit to apply in place.
/// A larger commit is prepared beside the rows, so readers do not wait for it. It then copies every
/// node it writes to. Two batches of 500 must stay below this limit, to avoid the copying.
const LARGE: usize = 20_000;

/// The number of attempts to prepare a large commit beside the rows.
/// An attempt fails when other commits change the same groups meanwhile.
const TRIES: usize = 3;

#[async_trait]
impl Local for Memory {
    async fn read(&self, reads: &[Read<'_>]) -> Result<State, StorageError> {
        Ok(self.rows.read().answer(reads))
    }

    async fn apply(&self, commit: Commit) -> Result<(), CommitError> {
        let commit = commit.with_guard_as_row();
        if commit.writes.len() > LARGE {
            for _ in 0..TRIES {
                if let Some(result) = self.apply_beside(&commit) {
                    return result;
                }
            }
        }
        let mut rows = self.rows.write();
        if !rows.hold(&commit) {
            return Err(CommitError::Conflict);
        }
        rows.write_all(commit.writes);
        Ok(())
    }
}

impl Memory {
    /// Applies a commit to copies of its groups, then swaps them in.
    /// The copies share their unchanged parts. `None`: another commit wrote to these groups
    /// meanwhile.
    fn apply_beside(&self, commit: &Commit) -> Option<Result<(), CommitError>> {
        let starts = rows::starts(&commit.writes);
        let before = self.rows.read().only(&starts);
        let mut after = before.clone();
        after.write_all(commit.writes.iter().cloned());
        let mut rows = self.rows.write();
        if !rows.hold(commit) {
            return Some(Err(CommitError::Conflict));
        }
        let replaced = rows.replace(&before, after)?;
        drop(rows);
        // Freed here, without the lock, so no caller waits for it.
        mem::drop(replaced);
        Some(Ok(()))
    }
}
