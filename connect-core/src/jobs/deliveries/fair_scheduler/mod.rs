//! The choice of the webhooks that get a session.
//!
//! Two lists hold the webhooks with something to do: those that events were added for since a worker
//! last looked, and those that are due at a time, for a retry. A webhook without either costs
//! nothing. Once a minute the part of the second list that is not due yet is read too, for what a
//! clock that was set back since has put there.

use std::{collections::HashSet, time::Duration};

use uuid::Uuid;

use crate::{
    rules::webhook::has_come,
    storage::{Entry, Key, Range, Read},
    transaction::{
        Fault, ReadKey, Salvage, Store,
        keys::{Family, NOBODY, Part, after_prefix, key},
    },
    wire::Timestamp,
};

/// The entries that are read at a time.
const PIECE: usize = 1000;

/// The most pieces of a list that are read for one look.
const PIECES: usize = 8;

/// The time between two readings of what is not due yet.
const SWEEP: Duration = Duration::from_secs(60);

/// A webhook that has something to do.
#[derive(Clone, Copy, Debug)]
pub(super) struct Chosen {
    pub(super) webhook: Uuid,
    /// The time of its entry among those that are due at a time, when it was found by that.
    pub(super) due: Option<Timestamp>,
}

/// Looks for webhooks that have something to do. Webhooks take turns: each look goes on where the
/// last one ended, so that those at the front of a list cannot keep the others waiting.
#[derive(Debug, Default)]
pub(super) struct Look {
    /// The place at which the next look goes on in the list of woken webhooks.
    go_on: Option<Key>,
    left_some: bool,
    /// Set when an odd place goes to the webhooks that are due.
    due_first: bool,
    /// The time of the last look: what was due then was seen.
    looked_at: Option<Timestamp>,
    /// The place at which the reading of what is not due yet goes on.
    sweep_from: Option<Key>,
    /// The steady time of the last such reading.
    swept: Option<Duration>,
}

impl Look {
    /// Returns whether the last look left out webhooks for want of room.
    pub(super) fn left_some(&self) -> bool {
        self.left_some
    }

    /// Returns whether the last look came to the end of what was woken.
    pub(super) fn is_at_end(&self) -> bool {
        self.go_on.is_none()
    }

    /// Returns at most `most` webhooks with something to do, without those in `passed_over`.
    ///
    /// # Errors
    /// The lists cannot be read.
    pub(super) async fn next(
        &mut self,
        store: &Store,
        most: usize,
        passed_over: &HashSet<Uuid>,
    ) -> Result<Vec<Chosen>, Fault> {
        let mut found = Found {
            most,
            passed_over,
            chosen: Vec::new(),
            seen: HashSet::new(),
        };
        // Retries are mostly of endpoints that do not work, so they get at most half of the room
        // while others want it.
        let due = key(NOBODY, Family::WebhookByDue, &[]);
        let now = store.now();
        self.looked_at = Some(now);
        let now = Part::Time(now.plus_micros(1));
        let now = key(NOBODY, Family::WebhookByDue, &[now]);
        self.due_first = !self.due_first;
        found.most = if self.due_first {
            most.div_ceil(2)
        } else {
            most / 2
        };
        let rest_of_due = found.scan(store, due, &now, |_| true).await?;
        found.most = most;
        let start = key(NOBODY, Family::WebhookWoken, &[]);
        let end = after_prefix(&start);
        let from = self.go_on.take().unwrap_or(start);
        self.go_on = found.scan(store, from, &end, |_| true).await?;
        if let Some(from) = &rest_of_due {
            found.scan(store, from.clone(), &now, |_| true).await?;
        }
        self.sweep(store, now, &mut found).await?;
        self.left_some = found.chosen.len() == most;
        Ok(found.chosen)
    }

    /// Returns the time at which the first webhook is due that was not yet at the last look. It may have
    /// passed: a session has left something for later just now, say.
    pub(super) async fn next_due(&self, store: &Store) -> Result<Option<Timestamp>, Fault> {
        let now = store.now();
        let seen = self.looked_at.map_or(now, |looked_at| looked_at.min(now));
        let from = Part::Time(seen.plus_micros(1));
        let from = key(NOBODY, Family::WebhookByDue, &[from]);
        let end = after_prefix(&key(NOBODY, Family::WebhookByDue, &[]));
        let first = Read::Scan {
            range: Range {
                from: &from,
                to: Some(&end),
            },
            limit: 1,
            newest_first: false,
        };
        let entries = store.read(&[first]).await?.entries()?;
        Ok(entries
            .first()
            .and_then(|(entry, _)| ReadKey::of(entry)?.time()))
    }

    /// Takes webhooks that are not due yet, going by a time that was set in the future.
    async fn sweep(
        &mut self,
        store: &Store,
        start: Key,
        found: &mut Found<'_>,
    ) -> Result<(), Fault> {
        let elapsed = store.elapsed();
        let is_time = self.swept.is_none_or(|swept| elapsed >= swept + SWEEP);
        if self.sweep_from.is_none() && !is_time {
            return Ok(());
        }
        let from = self.sweep_from.take().unwrap_or(start);
        let end = after_prefix(&key(NOBODY, Family::WebhookByDue, &[]));
        let now = store.now();
        let has_come = |(entry, set_at): &Entry| {
            let due = ReadKey::of(entry).and_then(|at| at.time());
            let set_at = serde_json::from_slice(set_at).ok();
            due.zip(set_at)
                .is_some_and(|(due, set_at)| has_come(due, set_at, now))
        };
        self.sweep_from = found.scan(store, from, &end, has_come).await?;
        self.swept = Some(elapsed);
        Ok(())
    }
}

/// The webhooks that were found so far.
struct Found<'p> {
    most: usize,
    passed_over: &'p HashSet<Uuid>,
    chosen: Vec<Chosen>,
    seen: HashSet<Uuid>,
}

impl Found<'_> {
    /// Takes those webhooks from a list whose entry passes `is_wanted`. Returns where to go on when it
    /// did not come to the end.
    async fn scan(
        &mut self,
        store: &Store,
        mut from: Key,
        to: &[u8],
        is_wanted: impl Fn(&Entry) -> bool,
    ) -> Result<Option<Key>, Fault> {
        let reader = Salvage::new(store);
        for _ in 0..PIECES {
            if self.chosen.len() >= self.most {
                return Ok(Some(from));
            }
            // What lies behind a row that cannot be read is done all the same.
            let piece = reader.piece(&from, Some(to), PIECE).await?;
            for entry in piece.entries.iter().filter(|entry| is_wanted(entry)) {
                if self.chosen.len() >= self.most {
                    return Ok(Some(entry.0.clone()));
                }
                let Some(at) = ReadKey::of(&entry.0) else {
                    continue;
                };
                let (Some(webhook), due) = (at.id(), at.time()) else {
                    continue;
                };
                if !self.passed_over.contains(&webhook) && self.seen.insert(webhook) {
                    self.chosen.push(Chosen { webhook, due });
                }
            }
            match piece.next {
                Some(next) => from = next,
                None => return Ok(None),
            }
        }
        Ok(Some(from))
    }
}

#[cfg(test)]
mod tests;
