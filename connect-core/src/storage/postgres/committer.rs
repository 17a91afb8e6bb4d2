//! Sends commits, also several small ones of different guards as one transaction.

use std::time::Duration;

use tokio::sync::OwnedRwLockReadGuard;

use super::{
    batcher::{Batch, Queued},
    commits::{self, Changes},
    connections::{Connection, Connections},
    fault::{Failed, is_taken_away},
    version::Version,
};
use crate::storage::{Commit, CommitError};

/// The transactions of small commits that are under way at once. With two, each holds fewer commits, and a
/// busy database did a fifth fewer of them.
pub(super) const UNDER_WAY: usize = 1;

/// The most writes of a small commit.
const FEW_WRITES: usize = 64;

/// The most bytes of a small commit.
const FEW_BYTES: usize = 64 * 1024;

/// The pauses, in milliseconds, after which a commit is tried again that others have got in the way of.
const PAUSES: [u64; 5] = [1, 5, 20, 50, 100];

/// A commit that has not been sent.
pub(super) struct Unsent {
    pub(super) commit: Commit,
    /// Keeps others in this process from being granted the guard's lock, so that whoever gets it sees how
    /// the commit ended.
    pub(super) entered: Option<OwnedRwLockReadGuard<()>>,
}

/// The connections on which a process commits.
#[derive(Clone)]
pub(super) struct Committer {
    connections: Connections,
    version: Version,
}

impl Committer {
    /// One on these connections.
    pub(super) fn new(connections: Connections, version: Version) -> Self {
        Self {
            connections,
            version,
        }
    }

    /// Sends a commit by itself.
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
                (Err(Failed::Serialization), Some(pause)) => {
                    tokio::time::sleep(Duration::from_millis(*pause)).await;
                }
                (Ok(others), _) if others.is_empty() => return Ok(()),
                (Ok(_), _) => return Err(CommitError::Conflict),
                (Err(failed), _) => return Err(failed.into_error()),
            }
        }
    }

    /// Sends commits as one. Returns the guards that others have got hold of: then nothing is written.
    async fn apply(
        &self,
        connection: &Connection,
        commits: &[&Commit],
    ) -> Result<Vec<Vec<u8>>, Failed> {
        let changes = Changes::of(commits).ok_or(Failed::For(CommitError::Conflict))?;
        let error = match commits::apply(connection, &changes).await {
            Err(error) if is_taken_away(&error) => error,
            applied => return applied.map_err(|error| Failed::of(&error)),
        };
        // What is heard of the version comes with the next question otherwise.
        let _ = self.version.look(connection.client()).await;
        match self.version.is_known() {
            Err(newer) => Err(Failed::For(CommitError::NotApplied(newer))),
            Ok(()) => Err(Failed::of(&error)),
        }
    }

    /// Sends commits each by itself, without waiting for any.
    fn commit_each(&self, commits: Vec<Queued<Self>>) {
        for one in commits {
            let this = self.clone();
            tokio::spawn(async move {
                let result = this.commit(&one.item.commit).await;
                one.answer(result);
            });
        }
    }
}

fn answer_all(items: Vec<Queued<Committer>>, answer: &Result<(), CommitError>) {
    for one in items {
        one.answer(answer.clone());
    }
}

impl Batch for Committer {
    type Item = Unsent;
    type Answer = Result<(), CommitError>;

    fn is_small(unsent: &Unsent) -> bool {
        let writes = &unsent.commit.writes;
        let values = writes.iter().filter_map(|(_, write)| write.value());
        writes.len() <= FEW_WRITES && values.map(<[u8]>::len).sum::<usize>() <= FEW_BYTES
    }

    async fn send(&self, unsent: Unsent) -> Self::Answer {
        let result = self.commit(&unsent.commit).await;
        // From here on the lock of the guard may be granted.
        drop(unsent.entered);
        result
    }

    /// Those that cannot be done together go on by themselves, and hold up nobody.
    async fn send_all(&self, mut items: Vec<Queued<Self>>) {
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
                Err(Failed::For(error @ CommitError::Unknown(_))) => {
                    return answer_all(items, &Err(error));
                }
                Err(_) => return self.commit_each(items),
            };
            if others.is_empty() {
                return answer_all(items, &Ok(()));
            }
            let is_free = |one: &Queued<Self>| {
                let guard = one.item.commit.guard.as_ref();
                guard.is_none_or(|guard| others.iter().all(|other| **other != *guard.key))
            };
            let (free, held) = items.into_iter().partition(is_free);
            self.commit_each(held);
            items = free;
        }
        if let Some(last) = items.pop() {
            let result = self.commit(&last.item.commit).await;
            last.answer(result);
        }
    }
}
