//! Sends commits; several small ones of different guards share a transaction.

use std::time::Duration;

use tokio::sync::OwnedRwLockReadGuard;

use super::{
    batcher::{BatchedWork, QueuedItem},
    commits::{self, Changes},
    connections::{Connection, Connections},
    fault::{CommitFailure, is_taken_away},
    version::Version,
};
use crate::storage::{Commit, CommitError, is_small};

/// The concurrent transactions of small commits.
/// With two, each holds fewer commits, and a busy database completed a fifth fewer commits.
pub(super) const UNDER_WAY: usize = 1;

/// The pauses between retries after a conflict with other transactions, in milliseconds.
const PAUSES: [u64; 5] = [1, 5, 20, 50, 100];

/// A commit to be sent.
pub(super) struct Unsent {
    pub(super) commit: Commit,
    /// Blocks the guard's lock within this process.
    /// So the next holder of the lock sees the outcome of the commit.
    pub(super) entered: Option<OwnedRwLockReadGuard<()>>,
}

/// Sends the commits of a process, on its own connections.
#[derive(Clone)]
pub(super) struct Committer {
    connections: Connections,
    version: Version,
}

impl Committer {
    /// Makes a committer on these connections.
    pub(super) fn new(connections: Connections, version: Version) -> Self {
        Self {
            connections,
            version,
        }
    }

    /// Sends a commit alone.
    async fn commit(&self, commit: &Commit) -> Result<(), CommitError> {
        let mut pauses = PAUSES.iter();
        loop {
            let connection = self
                .connections
                .get()
                .await
                .map_err(CommitError::NotApplied)?;
            let ended = self.apply(&connection, &[commit]).await;
            drop(connection);
            match (ended, pauses.next()) {
                (Err(CommitFailure::Serialization), Some(pause)) => {
                    tokio::time::sleep(Duration::from_millis(*pause)).await;
                }
                (Ok(others), _) if others.is_empty() => return Ok(()),
                (Ok(_), _) => return Err(CommitError::Conflict),
                (Err(failed), _) => return Err(failed.into_error()),
            }
        }
    }

    /// Sends commits as one transaction.
    /// Returns the guards taken by other transactions: if there are any, nothing is written.
    async fn apply(
        &self,
        connection: &Connection,
        commits: &[&Commit],
    ) -> Result<Vec<Vec<u8>>, CommitFailure> {
        let changes = Changes::of(commits).ok_or(CommitFailure::For(CommitError::Conflict))?;
        let error = match commits::apply(connection, &changes).await {
            Err(error) if is_taken_away(&error) => error,
            applied => return applied.map_err(|error| CommitFailure::of(&error)),
        };
        // If this look fails, the version error comes with the next request.
        let _ = self.version.look(connection.client()).await;
        match self.version.is_known() {
            Err(newer) => Err(CommitFailure::For(CommitError::NotApplied(newer))),
            Ok(()) => Err(CommitFailure::of(&error)),
        }
    }

    /// Sends each commit alone, without waiting for any.
    fn commit_each(&self, commits: Vec<QueuedItem<Self>>) {
        for one in commits {
            let this = self.clone();
            tokio::spawn(async move {
                let result = this.commit(&one.item.commit).await;
                one.answer(result);
            });
        }
    }
}

fn answer_all(items: Vec<QueuedItem<Committer>>, answer: &Result<(), CommitError>) {
    for one in items {
        one.answer(answer.clone());
    }
}

impl BatchedWork for Committer {
    type Item = Unsent;
    type Answer = Result<(), CommitError>;

    fn is_small(unsent: &Unsent) -> bool {
        is_small(unsent.commit.writes.iter().map(|(_, write)| write))
    }

    async fn send(&self, unsent: Unsent) -> Self::Answer {
        let result = self.commit(&unsent.commit).await;
        // From here on the lock of the guard may be granted.
        drop(unsent.entered);
        result
    }

    /// Sends commits together, without waiting for a guard in use.
    /// Its commit is a conflict: another transaction has just written the guard, or is about to, and
    /// to wait for it in the database costs more than another run of the unit of work. A guard
    /// without a row is not found here, so its commit goes alone.
    async fn send_all(&self, mut items: Vec<QueuedItem<Self>>) {
        while items.len() > 1 {
            let connection = match self.connections.get().await {
                Ok(connection) => connection,
                Err(error) => return answer_all(items, &Err(CommitError::NotApplied(error))),
            };
            let commits: Vec<&Commit> = items.iter().map(|one| &one.item.commit).collect();
            let ended = self.apply(&connection, &commits).await;
            drop(connection);
            let others = match ended {
                Ok(others) => others,
                Err(CommitFailure::For(error @ CommitError::Unknown(_))) => {
                    return answer_all(items, &Err(error));
                }
                Err(_) => return self.commit_each(items),
            };
            if others.is_empty() {
                return answer_all(items, &Ok(()));
            }
            let is_free = |one: &QueuedItem<Self>| {
                let guard = one.item.commit.guard.as_ref();
                guard.is_none_or(|guard| others.iter().all(|other| **other != *guard.key))
            };
            let (free, held): (_, Vec<_>) = items.into_iter().partition(is_free);
            let has_row = |one: &QueuedItem<Self>| {
                let guard = one.item.commit.guard.as_ref();
                guard.is_some_and(|guard| guard.was.is_some())
            };
            let (in_use, new) = held.into_iter().partition(has_row);
            answer_all(in_use, &Err(CommitError::Conflict));
            self.commit_each(new);
            items = free;
        }
        if let Some(last) = items.pop() {
            let result = self.commit(&last.item.commit).await;
            last.answer(result);
        }
    }
}
