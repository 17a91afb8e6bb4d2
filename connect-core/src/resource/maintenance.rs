//! Periodic maintenance: purges what has expired, and writes down when tokens were last used.
//!
//! What cannot be read or removed is logged and left for the next round: one damaged row keeps no
//! other from being purged. Purging rests on the steady clock of the process, so a step of the
//! machine's clock purges nothing.

use std::{collections::HashSet, time::Duration};

use serde::Deserialize;
use uuid::Uuid;

use super::{Connect, Failure};
use crate::{
    environment::Drift,
    record::{
        CompleteSince, Fault,
        keys::{Family, NOBODY, Part, after_prefix, key, time_bytes},
        tombstones_since_key,
    },
    storage::{Commit, CommitError, Entry, Expectation, Key, Range, Read, Value, Write},
    wire::{
        Timestamp,
        limits::{EVENT_DAYS, TOMBSTONE_DAYS},
    },
};

/// The result of a round of maintenance.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Maintenance {
    /// Stored answers that were purged because their 24 hours were over.
    pub answers: usize,
    /// Tombstones that were purged.
    pub tombstones: usize,
    /// Events older than 30 days that were purged.
    pub events: usize,
    /// Accounts, locations and stored answers that were left for the next round because something
    /// could not be read or removed; the log says what.
    pub failed: usize,
    /// Set when nothing was purged because the machine's clock is in doubt.
    pub is_held_off: bool,
}

/// Rows removed per commit: few enough that writers hardly wait.
const CHUNK: usize = 500;

/// The families of tombstones.
const TOMBSTONES: [Family; 2] = [Family::CategoryTombstone, Family::ProductTombstone];

/// The distance that the clock may have from the last round, and the time for which nothing is
/// purged when it has more.
const DOUBT: Duration = Duration::from_secs(3600);

const DAY: i64 = 24 * 3600;

impl Connect {
    /// Checks that the storage reads and takes commits: for a probe.
    ///
    /// # Errors
    /// [`FailureKind::Server`](super::FailureKind::Server).
    pub async fn check_ready(&self) -> Result<(), Failure> {
        self.store().get(&maintenance_key()).await?;
        // A commit of nothing goes the way of every commit, and costs no flush.
        self.commit_aside(Commit::default()).await?;
        Ok(())
    }

    /// Does one round of maintenance. Call it every minute or so; to leave it out costs space,
    /// never correctness.
    ///
    /// # Errors
    /// The storage failed as a whole; the next round goes on where this one stopped.
    pub async fn maintain(&self) -> Result<Maintenance, Failure> {
        self.write_down_uses().await?;
        let now = self.now();
        let mut done = Maintenance::default();
        if !self.may_purge(now).await? {
            done.is_held_off = true;
            return Ok(done);
        }
        match self.purge_answers(now).await {
            Ok((purged, failed)) => {
                done.answers = purged;
                done.failed += failed;
            }
            Err(fault) => done.failed(&fault, "stored answers"),
        }
        for account in self.account_ids().await? {
            let locations = match self.account(account).await {
                Ok(account) => account.locations,
                Err(failure) => {
                    done.failed(&failure, account);
                    continue;
                }
            };
            for location in locations {
                for family in TOMBSTONES {
                    match self.purge_tombstones(location.id, family, now).await {
                        Ok(purged) => done.tombstones += purged,
                        Err(fault) => done.failed(&fault, location.id),
                    }
                }
                match self.purge_events(location.id, now).await {
                    Ok(purged) => done.events += purged,
                    Err(fault) => done.failed(&fault, location.id),
                }
            }
        }
        Ok(done)
    }

    /// Decides whether the clock is good enough to purge by. It is in doubt while it differs from
    /// the time that this process has counted; and in the first hour after a start, when it
    /// differs by more than an hour from the last round of the process before: that one may have
    /// ended long ago, or the clock may be wrong, and an hour is time to find out.
    ///
    /// A round with a clock in doubt leaves no trace. Otherwise a process that is started again
    /// would find its own wrong time confirmed.
    async fn may_purge(&self, now: Timestamp) -> Result<bool, Failure> {
        if let Some(drift) = self.store().drift() {
            tracing::error!(%drift, "nothing is purged: restart the service once the clock is right");
            return Ok(false);
        }
        let is_continuous = match self.last_maintenance().await {
            Ok(None) => true,
            Ok(Some(last)) => now.seconds().abs_diff(last.seconds()) <= DOUBT.as_secs(),
            // The row is written anew once this process has counted an hour itself.
            Err(_) => false,
        };
        if !is_continuous && self.store().uptime() < DOUBT {
            tracing::warn!(%now, "nothing is purged yet: the last round was not within an hour");
            return Ok(false);
        }
        self.trust_clock().await?;
        Ok(true)
    }

    /// Writes down that the clock is right now. [`maintain`](Self::maintain) does so with every
    /// round in which the clock is not in doubt; an operator who knows better may do it at a start.
    ///
    /// # Errors
    /// The storage failed.
    pub async fn trust_clock(&self) -> Result<(), Failure> {
        let row = format!("\"{}\"", self.now()).into_bytes();
        let commit = Commit {
            writes: vec![(maintenance_key(), Write::Put(row.into()))],
            ..Commit::default()
        };
        self.commit_aside(commit).await?;
        Ok(())
    }

    /// The distance of the machine's clock from the time that is used, while it is not believed.
    pub fn clock_drift(&self) -> Option<Drift> {
        self.store().drift()
    }

    /// When maintenance last began with a clock that was not in doubt, in this process or in one
    /// before.
    ///
    /// # Errors
    /// The storage failed.
    pub async fn last_maintenance(&self) -> Result<Option<Timestamp>, Failure> {
        let key = maintenance_key();
        let row = self.store().get(&key).await?;
        let time = row.map(|row| serde_json::from_slice(&row).map_err(|e| Fault::corrupt(&key, e)));
        Ok(time.transpose()?)
    }

    /// Purges the tombstones of one family at a location. The same commit writes down since when
    /// they are complete, which is read with every list that includes deletions.
    async fn purge_tombstones(
        &self,
        location: Uuid,
        family: Family,
        now: Timestamp,
    ) -> Result<usize, Fault> {
        let oldest = now.plus_seconds(-TOMBSTONE_DAYS * DAY);
        let since_key = tombstones_since_key(location);
        let prefix = key(location, family, &[]);
        let end = [&prefix[..], &time_bytes(oldest)].concat();
        let mut purged = 0;
        loop {
            let range = Range {
                from: &prefix,
                to: Some(&end),
            };
            let mut state = self
                .store()
                .read(&[scan(range), Read::Get(&since_key)])
                .await?;
            let (due, since) = (state.entries()?, state.value()?);
            if due.is_empty() {
                return Ok(purged);
            }
            let count = due.len();
            let mut writes: Vec<_> = removed(due);
            let mut expects = Vec::new();
            let row = complete_since(since.as_ref(), oldest, &since_key)?;
            if since.as_ref() != Some(&row) {
                expects.push((since_key.clone(), Expectation::unchanged(since)));
                writes.push((since_key.clone(), Write::Put(row)));
            }
            let commit = Commit {
                guard: None,
                expects,
                writes,
            };
            if !self.commit_aside(commit).await? {
                return Ok(purged);
            }
            purged += count;
        }
    }

    async fn purge_events(&self, location: Uuid, now: Timestamp) -> Result<usize, Fault> {
        let oldest = now.plus_seconds(-EVENT_DAYS * DAY);
        let prefix = key(location, Family::Event, &[]);
        let end = after_prefix(&prefix);
        let mut from = prefix.clone();
        let mut purged = 0;
        loop {
            let range = Range {
                from: &from,
                to: Some(&end),
            };
            let events = self.store().read(&[scan(range)]).await?.entries()?;
            let Some((last, _)) = events.last() else {
                return Ok(purged);
            };
            from = [&last[..], &[0]].concat().into();
            let read = events.len();
            // An event that cannot be read is no newer than the readable ones behind it.
            let is_new = |event: &Entry| created_at(&event.1).is_some_and(|at| at >= oldest);
            let due = events.iter().position(is_new).unwrap_or(read);
            let is_last = due < read || read < CHUNK;
            let due: Vec<Entry> = events.into_iter().take(due).collect();
            let has_readable = due.iter().any(|event| created_at(&event.1).is_some());
            if !due.is_empty() && (has_readable || !is_last) {
                purged += due.len();
                let commit = Commit {
                    writes: removed(due),
                    ..Commit::default()
                };
                self.commit_aside(commit).await?;
            }
            if is_last {
                return Ok(purged);
            }
        }
    }

    /// Purges the stored answers whose time is over. Returns how many there were, and how many
    /// could not be read.
    async fn purge_answers(&self, now: Timestamp) -> Result<(usize, usize), Fault> {
        let mut from = key(NOBODY, Family::AnswerByExpiry, &[]);
        // Due is what expires up to and including now.
        let to = key(
            NOBODY,
            Family::AnswerByExpiry,
            &[Part::Time(now.plus_micros(1))],
        );
        let (mut purged, mut failed) = (0, 0);
        loop {
            let range = Range {
                from: &from,
                to: Some(&to),
            };
            let due = self.store().read(&[scan(range)]).await?.entries()?;
            let answers = self.answers(&due).await?;
            let mut commit = Commit::default();
            // Of two uses of a key that are both over, only the later has an answer.
            let mut seen = HashSet::new();
            for ((by_expiry, answer_key), answer) in due.iter().zip(answers) {
                let is_over = match &answer {
                    Ok(Some(answer)) => super::stored_answer::is_over(answer, now),
                    Ok(None) => Some(false),
                    Err(_) => None,
                };
                let (Ok(answer), Some(is_over)) = (answer, is_over) else {
                    failed += 1;
                    continue;
                };
                commit.writes.push((by_expiry.clone(), Write::Remove));
                let answer_key = Key::from(&**answer_key);
                // The key may have been used anew since it expired.
                if let Some(answer) = answer.filter(|_| is_over)
                    && seen.insert(answer_key.clone())
                {
                    commit
                        .expects
                        .push((answer_key.clone(), Expectation::Is(answer)));
                    commit.writes.push((answer_key, Write::Remove));
                }
            }
            if !commit.writes.is_empty() && self.commit_aside(commit).await? {
                purged += seen.len();
            }
            match due.last() {
                Some((last, _)) if due.len() == CHUNK => from = [&last[..], &[0]].concat().into(),
                _ => return Ok((purged, failed)),
            }
        }
    }

    /// The stored answers that these entries lead to. When they cannot be read at once they are
    /// read one by one, so that a damaged one keeps no other from being purged.
    async fn answers(&self, due: &[Entry]) -> Result<Vec<Result<Option<Value>, Fault>>, Fault> {
        let gets: Vec<_> = due.iter().map(|(_, answer)| Read::Get(answer)).collect();
        if let Ok(mut state) = self.store().read(&gets).await {
            return due.iter().map(|_| Ok(Ok(state.value()?))).collect();
        }
        let mut answers = Vec::new();
        for (_, answer_key) in due {
            let answer = self.store().get(&Key::from(&**answer_key)).await;
            if let Err(fault) = &answer {
                tracing::error!(%fault, "a stored answer cannot be read, and is left where it is");
            }
            answers.push(answer);
        }
        Ok(answers)
    }

    /// Writes down when tokens were last used. Call it last before the process ends.
    ///
    /// # Errors
    /// The storage failed; the next round tries again.
    pub async fn write_down_uses(&self) -> Result<(), Failure> {
        let uses = std::mem::take(&mut *self.core.admission.uses.lock());
        if uses.is_empty() {
            return Ok(());
        }
        let write = |(token, (account, at)): (&Uuid, &(Uuid, Timestamp))| {
            let row = Value::from(format!("\"{at}\"").into_bytes());
            let key = key(*account, Family::TokenUse, &[Part::Id(*token)]);
            (key, Write::Put(row))
        };
        let commit = Commit {
            writes: uses.iter().map(write).collect(),
            ..Commit::default()
        };
        let written = self.commit_aside(commit).await;
        if written.is_err() {
            let mut pending = self.core.admission.uses.lock();
            for (token, used) in uses {
                pending.entry(token).or_insert(used);
            }
        }
        written?;
        Ok(())
    }

    /// A commit outside every location's history. `false`: others changed what it expects; the
    /// next round finds it again.
    async fn commit_aside(&self, commit: Commit) -> Result<bool, Fault> {
        match self.store().storage().commit(commit).await {
            Ok(()) => Ok(true),
            Err(CommitError::Conflict) => Ok(false),
            Err(CommitError::NotApplied(error)) => Err(Fault::NotApplied(error)),
            Err(CommitError::Unknown(error)) => Err(Fault::Unknown(error)),
        }
    }
}

impl Maintenance {
    fn failed(&mut self, reason: &dyn std::fmt::Display, of: impl std::fmt::Display) {
        tracing::error!(%reason, %of, "maintenance left something for the next round");
        self.failed += 1;
    }
}

/// The row that says since when tombstones are complete, once those before `oldest` are purged.
fn complete_since(row: Option<&Value>, oldest: Timestamp, key: &Key) -> Result<Value, Fault> {
    // A clock that was further ahead has purged more.
    let before = row.and_then(|row| serde_json::from_slice(row).ok());
    let since = before.map_or(oldest, |before: CompleteSince| before.since.max(oldest));
    let row = serde_json::to_vec(&CompleteSince { since }).map_err(|e| Fault::corrupt(key, e))?;
    Ok(row.into())
}

fn maintenance_key() -> Key {
    key(NOBODY, Family::Maintenance, &[])
}

fn scan(range: Range<'_>) -> Read<'_> {
    Read::Scan {
        range,
        limit: CHUNK,
        newest_first: false,
    }
}

fn removed(entries: Vec<Entry>) -> Vec<(Key, Write)> {
    let remove = |(key, _): Entry| (key, Write::Remove);
    entries.into_iter().map(remove).collect()
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
