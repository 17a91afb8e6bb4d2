//! The purge of expired rows: answers, tombstones, events, delivery logs, tokens and their requests, sessions.
//! Tokens that expire soon are found on the way, and their users get mail.
//!
//! Rows that cannot be read or removed are logged and left for the next round: one damaged row does not
//! stop the purge of any other.

mod ended_sessions;
mod ended_tokens;
mod expiring_tokens;
mod old_requests;
mod retention;
mod trail;

use std::{collections::HashSet, fmt::Display};

use serde::Deserialize;
use uuid::Uuid;

use super::super::{connect::Connect, stored_answer};
use crate::{
    rules::rate,
    storage::{Commit, Entry, Expectation, Key, Range, Value, Write},
    transaction::{
        Account, Chunk, CompleteSince, End, Error, Fault, LenientReader, Lookup, Reads,
        keys::{Family, GLOBAL, KeyPart, after_prefix, key, time_bytes},
        tombstones_since_key,
    },
    wire::{
        Timestamp,
        limits::{
            BULK_UNDO_DAYS, DELIVERY_DAYS, EVENT_DAYS, RATE_WINDOW_SECONDS, TOMBSTONE_DAYS,
            WAITING_DAYS,
        },
    },
};

/// Rows removed per commit: few enough to hardly delay writers.
const CHUNK: usize = 500;

/// The result of a round of maintenance.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Maintenance {
    /// Purged stored answers, after their expiry.
    pub answers: usize,
    /// Purged tombstones.
    pub tombstones: usize,
    /// Purged events, older than 30 days.
    pub events: usize,
    /// Purged deliveries, older than 30 days.
    /// They are from the logs of webhooks, and from the queues of disabled ones.
    pub deliveries: usize,
    /// Purged tokens, 90 days after their revocation or expiry.
    pub tokens: usize,
    /// Purged requests of tokens, older than 30 days or the retention of their account.
    pub requests: usize,
    /// Purged sessions and invitations, after their expiry.
    pub sessions: usize,
    /// Secrets sealed by the first key. They were in clear, or sealed by a former key.
    pub sealed: usize,
    /// Purged entries of the audit trail, older than [their retention](crate::ConnectBuilder::trail_days).
    pub trail_entries: usize,
    /// Removed rows of erased accounts and locations.
    pub erased: usize,
    /// Unreadable rows, and failed parts of the round.
    /// They are left for the next round, and named in the log.
    pub failed: usize,
    /// Set if nothing was purged because the machine's clock is in doubt.
    pub is_held_off: bool,
}

/// The expectation of a purging commit.
#[derive(Clone, Copy)]
enum Expects {
    /// The rows must be unchanged: writers may replace them by newer ones.
    Unchanged,
    /// No expectation: no write replaces the rows.
    Nothing,
}

/// The purge of one round.
pub(super) struct Purge<'c> {
    connect: &'c Connect,
    reader: LenientReader<'c>,
    now: Timestamp,
    /// Set in the rounds with the purge of old requests.
    purges_requests: bool,
    done: Maintenance,
}

impl<'c> Purge<'c> {
    pub(super) fn new(connect: &'c Connect, now: Timestamp) -> Self {
        Self {
            connect,
            reader: LenientReader::new(connect.store()),
            now,
            purges_requests: connect.may_purge_requests(now),
            done: Maintenance::default(),
        }
    }

    /// Purges all due rows.
    pub(super) async fn run(mut self) -> Result<Maintenance, Fault> {
        let answers = self.answers().await;
        self.note(answers, "stored answers");
        let counts = self.request_counts().await;
        self.note(counts, "counts of requests");
        let entries = self.trail(GLOBAL).await;
        self.note(entries, "the trail of the store");
        let start = key(GLOBAL, Family::AccountList, &[]);
        let end = after_prefix(&start);
        let mut from = Some(start.clone());
        while let Some(at) = from {
            let piece = self.piece(&at, &end).await?;
            // The key of an entry names the account, even if the rest cannot be read.
            let damaged = piece.damaged.map(|(key, _)| key);
            let listed = piece.entries.into_iter().map(|(key, _)| key).chain(damaged);
            for entry in listed {
                match Uuid::from_slice(&entry[start.len()..]) {
                    Ok(account) => self.account(account).await,
                    Err(error) => self.failed(hex::encode(&entry), &error),
                }
            }
            from = piece.next;
        }
        Ok(self.done)
    }

    async fn account(&mut self, account: Uuid) {
        let whole = match self.account_after_erasures(account).await {
            Ok(Some(whole)) => whole,
            Ok(None) => return,
            Err(error) => return self.failed(account, &error.cause()),
        };
        if whole.kept_delivery_days() < DELIVERY_DAYS {
            let purged = self.old_deliveries(&whole).await;
            self.note(purged, account);
        }
        for location in &whole.locations {
            let id = location.id.uuid();
            for family in Family::tombstones() {
                let purged = self.tombstones(id, family).await;
                self.note(purged, id);
            }
            let purged = self.events(id, whole.event_days()).await;
            self.note(purged, id);
            let purged = self.old_bulk_change(id).await;
            self.note(purged, id);
            self.retention(id, &whole.retention).await;
            let purged = self.trail(id).await;
            self.note(purged, id);
            let moved = self.connect.move_idle_clock(id, self.now).await;
            self.note(moved, id);
        }
        if self.purges_requests {
            let purged = self.old_requests(&whole).await;
            self.note(purged, account);
        }
        for purged in [
            self.ended_tokens(account).await,
            self.ended_sessions(account).await,
            self.trail(account).await,
        ] {
            self.note(purged, account);
        }
        let webhooks = self.connect.store().webhooks_of(account).await;
        let webhooks = match webhooks {
            Ok(webhooks) => webhooks,
            Err(fault) => return self.failed(account, &fault),
        };
        for own in webhooks.0 {
            let id = own.webhook.id.uuid();
            let days = whole.kept_delivery_days();
            let purged = self.deliveries(id, days).await;
            self.note(purged, id);
            if let Some(off) = &own.webhook.switched_off {
                let purged = self.waiting_deliveries(id).await;
                self.note(purged, id);
                let purged = self.waiting_stock(id, off.at).await;
                self.note(purged, id);
            }
        }
    }

    /// The account, once its due erasures have begun; `None` if it is erased itself.
    async fn account_after_erasures(&mut self, id: Uuid) -> Result<Option<Account>, Error> {
        let account = self.connect.account(id.into()).await?;
        if account.erasures.iter().all(|of| of.erase_at > self.now) {
            return Ok(Some(account));
        }
        self.done.failed += self.connect.begin_erasures(&account, self.now).await;
        match self.connect.account(id.into()).await {
            Err(Error::NotFound(_)) => Ok(None),
            account => account.map(Some),
        }
    }

    /// Purges expired stored answers.
    async fn answers(&mut self) -> Result<(), Fault> {
        let start = key(GLOBAL, Family::AnswerByExpiry, &[]);
        // Rows expiring up to and including now are due.
        let end = KeyPart::Time(self.now.plus_micros(1));
        let end = key(GLOBAL, Family::AnswerByExpiry, &[end]);
        let mut from = Some(start);
        while let Some(at) = from {
            let piece = self.piece(&at, &end).await?;
            let (by_expiry, answer_keys): (Vec<Key>, Vec<Key>) = piece
                .entries
                .into_iter()
                .map(|(entry, answer_key)| (entry, Key::from(&*answer_key)))
                .unzip();
            let answers = self.reader.values(&answer_keys).await?;
            let mut commit = Commit::default();
            // Of two expired uses of a key, only the later one has an answer.
            let mut seen = HashSet::new();
            for ((entry, answer_key), answer) in by_expiry.into_iter().zip(answer_keys).zip(answers)
            {
                let due = match answer {
                    Lookup::Found(Some(answer)) => {
                        stored_answer::is_over(&answer, self.now).map(|is| is.then_some(answer))
                    }
                    Lookup::Found(None) => Some(None),
                    Lookup::Damaged => None,
                };
                let Some(due) = due else {
                    self.failed(hex::encode(&answer_key), &"a stored answer is unreadable");
                    continue;
                };
                commit.writes.push((entry, Write::Remove));
                // The key may have been reused since it expired.
                if let Some(answer) = due
                    && seen.insert(answer_key.clone())
                {
                    let expected = Expectation::Is(answer);
                    commit.expects.push((answer_key.clone(), expected));
                    commit.writes.push((answer_key, Write::Remove));
                }
            }
            if !commit.writes.is_empty() && self.connect.store().commit(commit).await? {
                self.done.answers += seen.len();
            }
            from = piece.next;
        }
        Ok(())
    }

    /// Purges request counts in windows ended at every server.
    /// The clocks of servers may differ.
    async fn request_counts(&mut self) -> Result<(), Fault> {
        let window = rate::window(self.now.plus_seconds(-2 * RATE_WINDOW_SECONDS));
        let start = key(GLOBAL, Family::RequestCount, &[]);
        let end = [KeyPart::Number(window.try_into().unwrap_or(0))];
        let end = key(GLOBAL, Family::RequestCount, &end);
        self.walk(start, end, Expects::Nothing, |_| true).await?;
        Ok(())
    }

    /// Purges the tombstones of one family at a location.
    /// The same commit records the time since which they are complete; every list with deletions reads it.
    async fn tombstones(&mut self, location: Uuid, family: Family) -> Result<(), Fault> {
        let oldest = self.now.plus_days(-TOMBSTONE_DAYS);
        let since_key = tombstones_since_key(location);
        let start = key(location, family, &[]);
        let end = [&start[..], &time_bytes(oldest)].concat();
        let mut from = Some(start);
        while let Some(at) = from {
            let piece = self.piece(&at, &end).await?;
            from = piece.next;
            let count = piece.entries.len();
            if count == 0 {
                continue;
            }
            let since = self.connect.store().get(&since_key).await?;
            let mut commit = Commit {
                writes: removed(piece.entries),
                ..Commit::default()
            };
            let row = complete_since(since.as_ref(), oldest, &since_key)?;
            if since.as_ref() != Some(&row) {
                let unchanged = Expectation::unchanged(since);
                commit.expects.push((since_key.clone(), unchanged));
                commit.writes.push((since_key.clone(), Write::Put(row)));
            }
            if !self.connect.store().commit(commit).await? {
                break;
            }
            self.done.tombstones += count;
        }
        Ok(())
    }

    /// Purges the former values of an old bulk change of a location.
    /// Only their head is read: they may be large.
    async fn old_bulk_change(&mut self, location: Uuid) -> Result<(), Fault> {
        let store = self.connect.store();
        let head = key(location, Family::BulkHead, &[]);
        let Some(row) = store.get(&head).await? else {
            return Ok(());
        };
        let oldest = self.now.plus_days(-BULK_UNDO_DAYS);
        if time_of(&row).is_none_or(|at| at > oldest) {
            return Ok(());
        }
        let rows = [head.clone(), key(location, Family::BulkBefore, &[])];
        // Another change writes both anew.
        let commit = Commit {
            expects: vec![(head, Expectation::Is(row))],
            writes: rows.map(|key| (key, Write::Remove)).into(),
            ..Commit::default()
        };
        store.commit(commit).await?;
        Ok(())
    }

    /// Purges the old events of a location.
    async fn events(&mut self, location: Uuid, days: i64) -> Result<(), Fault> {
        let oldest = self.now.plus_days(-days);
        if days < EVENT_DAYS {
            self.note_early_events(location, oldest).await?;
        }
        let purged = self.older_than(oldest, location, Family::Event).await?;
        self.done.events += purged;
        Ok(())
    }

    /// Notes in the clock that the last event goes early: a check asks for none of them then.
    async fn note_early_events(&self, location: Uuid, oldest: Timestamp) -> Result<(), Fault> {
        let store = self.connect.store();
        let start = key(location, Family::Event, &[]);
        let end = after_prefix(&start);
        let last = (self.reader).clock_and_last(
            location,
            Range {
                from: &start,
                to: Some(&end),
            },
        );
        let last = last.await?.1;
        if last.is_none_or(|(_, row)| time_of(&row).is_some_and(|at| at >= oldest)) {
            return Ok(());
        }
        let noted = store.transact(location, |mut unit| async move {
            unit.load(Reads::of(location)).await?;
            if unit.retained_mut().is_quiet {
                return Ok::<_, Fault>(End::rollback(()));
            }
            unit.be_quiet();
            unit.keep_progress();
            Ok(End::commit(unit, ()))
        });
        noted.await
    }

    /// Purges the old deliveries of a webhook from its log.
    /// A delivery still being retried is weeks younger than the purged ones, unless its webhook is off.
    async fn deliveries(&mut self, webhook: Uuid, days: i64) -> Result<(), Fault> {
        let oldest = self.now.plus_days(-days);
        let purged = self.older_than(oldest, webhook, Family::Delivery).await?;
        self.done.deliveries += purged;
        Ok(())
    }

    /// Purges deliveries queued for a disabled webhook, after the retention of events.
    /// The log is purged first, so no delivery stays in it longer than in the queue.
    async fn waiting_deliveries(&mut self, webhook: Uuid) -> Result<(), Fault> {
        let start = key(webhook, Family::DeliveryByDue, &[]);
        let oldest = KeyPart::Time(self.now.plus_days(-WAITING_DAYS));
        let end = key(webhook, Family::DeliveryByDue, &[oldest]);
        self.done.deliveries += self.walk(start, end, Expects::Nothing, |_| true).await?;
        Ok(())
    }

    /// Purges old rows about the stock of a disabled webhook.
    /// They are waiting stock, and records of sent stock.
    /// Their age limit is that of its queued deliveries. Both are stored by product, so all rows are read.
    /// Nothing is read in the first 30 days after the webhook was disabled: hardly any row is old enough.
    async fn waiting_stock(&mut self, webhook: Uuid, off_since: Timestamp) -> Result<(), Fault> {
        let oldest = self.now.plus_days(-WAITING_DAYS);
        if off_since >= oldest {
            return Ok(());
        }
        let is_old = |row: &Entry| time_of(&row.1).is_some_and(|at| at < oldest);
        for family in [Family::WaitingStock, Family::SentStock] {
            let start = key(webhook, family, &[]);
            let end = after_prefix(&start);
            let pick = |rows: &mut Vec<Entry>| {
                rows.retain(is_old);
                true
            };
            let purged = self.walk(start, end, Expects::Unchanged, pick).await?;
            if family == Family::WaitingStock {
                self.done.deliveries += purged;
            }
        }
        Ok(())
    }

    /// Purges the rows of a family made before `oldest`, by creation.
    /// It stops at the first newer row. Returns the number of purged rows.
    async fn older_than(
        &mut self,
        oldest: Timestamp,
        partition: Uuid,
        family: Family,
    ) -> Result<usize, Fault> {
        let start = key(partition, family, &[]);
        let end = after_prefix(&start);
        let pick = |rows: &mut Vec<Entry>| {
            let read = rows.len();
            // An unreadable row is no newer than the readable ones after it.
            let is_new = |row: &Entry| time_of(&row.1).is_some_and(|at| at >= oldest);
            rows.truncate(rows.iter().position(is_new).unwrap_or(read));
            let is_all = rows.len() == read;
            let has_readable = rows.iter().any(|row| time_of(&row.1).is_some());
            if !has_readable && rows.len() < CHUNK {
                rows.clear();
            }
            is_all
        };
        self.walk(start, end, Expects::Nothing, pick).await
    }

    /// Purges the due rows of a range, and returns their number.
    /// `pick` keeps the due ones of the given rows, and returns true to continue after them.
    async fn walk(
        &mut self,
        start: Key,
        end: Key,
        expects: Expects,
        pick: impl Fn(&mut Vec<Entry>) -> bool,
    ) -> Result<usize, Fault> {
        let mut purged = 0;
        let mut from = Some(start);
        while let Some(at) = from {
            let mut piece = self.piece(&at, &end).await?;
            let goes_on = pick(&mut piece.entries);
            from = piece.next.filter(|_| goes_on);
            let count = piece.entries.len();
            if count == 0 {
                continue;
            }
            let unchanged = |(key, row): &Entry| {
                let unchanged = Expectation::unchanged(Some(row.clone()));
                (key.clone(), unchanged)
            };
            let expects = match expects {
                Expects::Unchanged => piece.entries.iter().map(unchanged).collect(),
                Expects::Nothing => Vec::new(),
            };
            let commit = Commit {
                expects,
                writes: removed(piece.entries),
                ..Commit::default()
            };
            if self.connect.store().commit(commit).await? {
                purged += count;
            }
        }
        Ok(purged)
    }

    /// Reads the next rows of a range.
    /// An unreadable one is recorded and skipped.
    async fn piece(&mut self, from: &[u8], to: &[u8]) -> Result<Chunk, Fault> {
        let piece = self.reader.piece(from, Some(to), CHUNK).await?;
        if let Some((key, error)) = &piece.damaged {
            self.failed(hex::encode(key), error);
        }
        Ok(piece)
    }

    fn note(&mut self, purged: Result<(), Fault>, of: impl Display) {
        if let Err(fault) = purged {
            self.failed(of, &fault);
        }
    }

    fn failed(&mut self, of: impl Display, reason: &dyn Display) {
        tracing::error!(%reason, %of, "a part of maintenance failed; the next round tries again");
        self.done.failed += 1;
    }
}

/// The row with the start time of complete tombstones.
/// It assumes a purge of all tombstones before `oldest`.
fn complete_since(row: Option<&Value>, oldest: Timestamp, key: &Key) -> Result<Value, Fault> {
    // An earlier clock further ahead has purged more.
    let before = row.and_then(|row| serde_json::from_slice(row).ok());
    let since = before.map_or(oldest, |before: CompleteSince| before.since.max(oldest));
    let row = serde_json::to_vec(&CompleteSince { since }).map_err(|e| Fault::corrupt(key, e))?;
    Ok(row.into())
}

fn removed(entries: Vec<Entry>) -> Vec<(Key, Write)> {
    let remove = |(key, _): Entry| (key, Write::Remove);
    entries.into_iter().map(remove).collect()
}

/// Returns the creation time of a row, without parsing the rest.
fn time_of(row: &[u8]) -> Option<Timestamp> {
    #[derive(Deserialize)]
    #[serde(rename_all = "camelCase")]
    struct Times {
        created_at: Option<Timestamp>,
        /// The time of a record of sent stock, or of a bulk change.
        at: Option<Timestamp>,
    }
    let times = serde_json::from_slice::<Times>(row).ok()?;
    times.created_at.or(times.at)
}
