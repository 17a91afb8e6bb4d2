//! The commit of a unit of work, and an outcome not known at once.

use std::{panic::AssertUnwindSafe, time::Duration};

use futures_util::FutureExt as _;

use super::UnitOfWork;
use crate::{
    storage::{Commit, CommitError, Guard, Key, Read, StorageError, Value},
    transaction::{
        Fault,
        clock::{ChangeClock, clock_key},
        store::{Store, committed},
    },
};

impl UnitOfWork<'_> {
    /// Commits all writes, and releases the lock; `false` on a conflict.
    pub(in crate::transaction) async fn commit(mut self) -> Result<bool, Fault> {
        self.end_operation();
        if self.writes.is_empty() && !self.keeps_progress {
            return self.confirm().await;
        }
        if !self.unread.is_empty() {
            self.count_unread().await?;
        }
        let was = self.clock_row.take().ok_or(Fault::Unread)?;
        self.clock.nonce = self.store.nonce();
        let clock = std::mem::replace(&mut self.clock, ChangeClock::START);
        let becomes = self.json(&clock);
        let key = clock_key(self.partition);
        let commit = Commit {
            guard: Some(Guard {
                key: key.clone(),
                was,
                becomes: becomes.clone(),
            }),
            expects: self.expects.into_iter().collect(),
            writes: self.writes.into_all(self.partition),
        };
        let storage = self.store.storage();
        let lock = self.lock.take();
        let committing = async {
            match lock {
                Some(lock) => lock.commit(commit).await,
                None => storage.commit(commit).await,
            }
        };
        // A backend that panics may have written before.
        let result = AssertUnwindSafe(committing).catch_unwind().await;
        let panicked = |_| Err(CommitError::Unknown(StorageError::new("it has panicked")));
        let result = match result.unwrap_or_else(panicked) {
            Err(CommitError::Unknown(error)) => settle(self.store, &key, &becomes, error).await,
            outcome => committed(outcome),
        };
        let metrics = self.store.metrics();
        match &result {
            Ok(true) => metrics.commits.increase(),
            Ok(false) => metrics.conflicts.increase(),
            Err(_) => metrics.failed_commits.increase(),
        }
        result
    }

    /// Returns whether the reads of several round trips were of one state.
    /// This is for a unit without writes, and so without expectations.
    async fn confirm(&mut self) -> Result<bool, Fault> {
        let Some(was) = self.clock_row.clone().filter(|_| self.rounds > 1) else {
            return Ok(true);
        };
        let key = clock_key(self.partition);
        let now = self.read(&[Read::Get(&key)]).await?.value()?;
        Ok(now == was)
    }
}

/// Finds out whether a commit leaving `becomes` in its guard was applied.
///
/// No other commit leaves these bytes. Other bytes may be those of a later commit. The bytes from
/// before may mean that the commit is still on its way. In both cases the outcome stays unknown.
async fn settle(
    store: &Store,
    guard: &Key,
    becomes: &Value,
    error: StorageError,
) -> Result<bool, Fault> {
    for pause in SETTLING {
        if !pause.is_zero() {
            tokio::time::sleep(pause).await;
        }
        match store.get(guard).await {
            Ok(Some(now)) if now == *becomes => return Ok(true),
            Ok(_) => break,
            // What kept the answer from coming may keep this one too, for a moment.
            Err(fault) => tracing::warn!(%fault, "the result of a commit is not known yet"),
        }
    }
    Err(Fault::Unknown(error))
}

/// The pauses before each check of a commit's outcome.
/// They apply while the store is unreadable.
const SETTLING: [Duration; 4] = [
    Duration::ZERO,
    Duration::from_millis(10),
    Duration::from_millis(50),
    Duration::from_millis(250),
];
