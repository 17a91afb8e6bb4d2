//! What has to be done now and then: forgetting what has had its time, and writing down when
//! tokens were last used.

use std::collections::HashSet;

use serde::Deserialize;

use super::{Connect, Failure};
use crate::{
    record::{
        Fault,
        keys::{Family, NOBODY, Part, after_prefix, key, time_bytes},
    },
    storage::{Commit, CommitError, Entry, Expectation, Key, Range, Value},
    wire::{
        Timestamp,
        limits::{EVENT_DAYS, TOMBSTONE_DAYS},
    },
};

/// What a round of upkeep did.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Upkeep {
    /// Stored answers whose 24 hours were over.
    pub answers: usize,
    /// Tombstones older than 90 days.
    pub tombstones: usize,
    /// Events older than 30 days.
    pub events: usize,
}

/// Rows removed per commit: few enough that writers hardly wait.
const CHUNK: usize = 500;

const DAY: i64 = 24 * 3600;

impl Connect {
    /// Whether the storage reads and takes commits: what a probe wants to know.
    ///
    /// # Errors
    /// [`FailureKind::Server`](super::FailureKind::Server).
    pub async fn check_ready(&self) -> Result<(), Failure> {
        let key = key(NOBODY, Family::AccountList, &[]);
        self.core.storage.get(&[&key]).await.map_err(Fault::from)?;
        // A commit of nothing goes the way of every commit, and costs no flush.
        Ok(self.commit_aside(Commit::default()).await?)
    }

    /// Does one round. Whoever serves the core calls it every minute or so; to leave it out costs
    /// space, never correctness.
    ///
    /// # Errors
    /// The storage failed; the next round goes on where this one stopped.
    pub async fn upkeep(&self) -> Result<Upkeep, Failure> {
        self.write_down_uses().await?;
        let now = self.now();
        let mut done = Upkeep {
            answers: self.forget_answers(now).await?,
            ..Upkeep::default()
        };
        for account in self.account_ids().await? {
            for location in self.account(account).await?.locations {
                for family in [Family::CategoryTombstone, Family::ProductTombstone] {
                    let prefix = key(location.id, family, &[]);
                    let oldest = now.plus_seconds(-TOMBSTONE_DAYS * DAY);
                    let end = [&prefix[..], &time_bytes(oldest)].concat();
                    done.tombstones += self.remove_range(&prefix, &end, |_| true).await?;
                }
                let events = key(location.id, Family::Event, &[]);
                let oldest = now.plus_seconds(-EVENT_DAYS * DAY);
                let is_old = |event: &Entry| created_at(&event.1).is_some_and(|at| at < oldest);
                done.events += self
                    .remove_range(&events, &after_prefix(&events), is_old)
                    .await?;
            }
        }
        Ok(done)
    }

    /// Removes rows from the start of a range for as long as `is_due`. They are never written
    /// again, so nothing needs to be expected.
    async fn remove_range(
        &self,
        from: &[u8],
        to: &[u8],
        is_due: impl Fn(&Entry) -> bool,
    ) -> Result<usize, Fault> {
        let mut removed = 0;
        loop {
            let range = Range { from, to: Some(to) };
            let entries = self.core.storage.scan(range, CHUNK).await?;
            let read = entries.len();
            let due = entries.into_iter().take_while(&is_due);
            let writes: Vec<_> = due.map(|(key, _)| (key, None)).collect();
            let count = writes.len();
            if count > 0 {
                self.commit_aside(Commit {
                    expects: Vec::new(),
                    writes,
                })
                .await?;
            }
            removed += count;
            if count < CHUNK || read < CHUNK {
                return Ok(removed);
            }
        }
    }

    async fn forget_answers(&self, now: Timestamp) -> Result<usize, Fault> {
        let from = key(NOBODY, Family::AnswerByExpiry, &[]);
        // Due is what expires up to and including now.
        let to = key(
            NOBODY,
            Family::AnswerByExpiry,
            &[Part::Time(now.plus_micros(1))],
        );
        let mut forgotten = 0;
        loop {
            let range = Range {
                from: &from,
                to: Some(&to),
            };
            let due = self.core.storage.scan(range, CHUNK).await?;
            let keys: Vec<&[u8]> = due.iter().map(|(_, answer)| &**answer).collect();
            let answers = self.core.storage.get(&keys).await?;
            let mut commit = Commit::default();
            let mut seen = HashSet::new();
            for ((by_expiry, answer_key), answer) in due.iter().zip(answers) {
                commit.writes.push((by_expiry.clone(), None));
                let answer_key = Key::from(&**answer_key);
                // The key may have been used anew since it expired; of two uses that are both
                // over, only the later has an answer.
                if let Some(answer) =
                    answer.filter(|answer| super::stored_answer::is_over(answer, now))
                    && seen.insert(answer_key.clone())
                {
                    commit
                        .expects
                        .push((answer_key.clone(), Expectation::Is(answer)));
                    commit.writes.push((answer_key, None));
                    forgotten += 1;
                }
            }
            if !commit.writes.is_empty() {
                self.commit_aside(commit).await?;
            }
            if due.len() < CHUNK {
                return Ok(forgotten);
            }
        }
    }

    /// Writes down when tokens were last used. The last act of whoever serves the core.
    ///
    /// # Errors
    /// The storage failed; the next round tries again.
    pub async fn write_down_uses(&self) -> Result<(), Failure> {
        let uses = std::mem::take(&mut *self.core.admission.uses.lock());
        if uses.is_empty() {
            return Ok(());
        }
        let write = |(token, (account, at)): (&uuid::Uuid, &(uuid::Uuid, Timestamp))| {
            let row = Value::from(format!("\"{at}\"").into_bytes());
            let key = key(*account, Family::TokenUse, &[Part::Id(*token)]);
            (key, Some(row))
        };
        let commit = Commit {
            expects: Vec::new(),
            writes: uses.iter().map(write).collect(),
        };
        let written = self.commit_aside(commit).await;
        if written.is_err() {
            let mut pending = self.core.admission.uses.lock();
            for (token, used) in uses {
                pending.entry(token).or_insert(used);
            }
        }
        Ok(written?)
    }

    /// A commit outside every location's history. When others changed what it expects, the next
    /// round finds it again.
    async fn commit_aside(&self, commit: Commit) -> Result<(), Fault> {
        match self.core.storage.commit(commit).await {
            Ok(()) | Err(CommitError::Conflict) => Ok(()),
            Err(CommitError::Storage(error)) => Err(error.into()),
        }
    }
}

/// When an event was created, read without the rest of its envelope.
fn created_at(event: &[u8]) -> Option<Timestamp> {
    #[derive(Deserialize)]
    #[serde(rename_all = "camelCase")]
    struct Created {
        created_at: Timestamp,
    }
    serde_json::from_slice::<Created>(event)
        .ok()
        .map(|event| event.created_at)
}
