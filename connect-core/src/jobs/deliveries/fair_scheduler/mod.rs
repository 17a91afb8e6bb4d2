//! The choice of webhooks for sessions.
//!
//! Two lists hold the webhooks with work to do: webhooks with events added since a worker's last
//! look, and webhooks due at a time, for a retry. A webhook in neither list costs nothing. Once a
//! minute the part of the second list not yet due is read too. This finds entries written by a
//! clock before it was set back.

use std::{collections::HashSet, time::Duration};

use uuid::Uuid;

use crate::{
    jobs::worker::Scheduler,
    rules::webhook::has_come,
    storage::{Entry, Key, Range, Read},
    transaction::{
        Fault, LenientReader, ReadKey, Store,
        keys::{Family, GLOBAL, KeyPart, after_prefix, key},
    },
    wire::Timestamp,
};

/// The entries read at a time.
const PIECE: usize = 1000;

/// The most pieces of a list to read per look.
const PIECES: usize = 8;

/// The time between two reads of entries not yet due.
const SWEEP: Duration = Duration::from_secs(60);

/// A webhook with work to do.
#[derive(Clone, Copy, Debug)]
pub(in crate::jobs) struct Chosen {
    pub(super) webhook: Uuid,
    /// The due time of its entry, if found in the list of due webhooks.
    pub(super) due: Option<Timestamp>,
}

/// Looks for webhooks with work to do.
/// Webhooks take turns: each look goes on from the end of the last one, so a webhook at the front
/// of a list cannot keep the rest waiting.
#[derive(Debug, Default)]
pub(in crate::jobs) struct WebhookScheduler {
    /// The place for the next look in the list of woken webhooks.
    go_on: Option<Key>,
    left_some: bool,
    /// Set when an odd place goes to the due webhooks.
    due_first: bool,
    /// The time of the last look; everything due then was seen.
    looked_at: Option<Timestamp>,
    /// The place to go on with the read of entries not yet due.
    sweep_from: Option<Key>,
    /// The elapsed time of the last such read.
    swept: Option<Duration>,
}

impl Scheduler for WebhookScheduler {
    type Due = Chosen;

    fn group(chosen: &Chosen) -> Uuid {
        chosen.webhook
    }

    async fn next(
        &mut self,
        store: &Store,
        most: usize,
        resting: &HashSet<Uuid>,
        at_work: &HashSet<Uuid>,
    ) -> Result<Vec<Chosen>, Fault> {
        let mut found = ChosenWebhooks {
            most,
            chosen: Vec::new(),
            seen: resting | at_work,
        };
        // Retries are mostly of endpoints that do not work, so they get at most half of the room
        // while others want it.
        let due = key(GLOBAL, Family::WebhookByDue, &[]);
        let now = store.now();
        self.looked_at = Some(now);
        let now = KeyPart::Time(now.plus_micros(1));
        let now = key(GLOBAL, Family::WebhookByDue, &[now]);
        self.due_first = !self.due_first;
        found.most = if self.due_first {
            most.div_ceil(2)
        } else {
            most / 2
        };
        let rest_of_due = found.scan(store, due, &now, |_| true).await?;
        found.most = most;
        let start = key(GLOBAL, Family::WebhookWoken, &[]);
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

    fn is_at_end(&self) -> bool {
        self.go_on.is_none()
    }

    fn left_some(&self) -> bool {
        self.left_some
    }

    async fn next_due(&self, store: &Store) -> Result<Option<Timestamp>, Fault> {
        let now = store.now();
        let seen = self.looked_at.map_or(now, |looked_at| looked_at.min(now));
        let from = KeyPart::Time(seen.plus_micros(1));
        let from = key(GLOBAL, Family::WebhookByDue, &[from]);
        let end = after_prefix(&key(GLOBAL, Family::WebhookByDue, &[]));
        // Read as it is: behind a damaged entry the next interval finds the rest.
        let first = Read::Scan {
            range: Range {
                from: &from,
                to: Some(&end),
            },
            limit: 1,
            newest_first: false,
        };
        let entries = store.read(&[first]).await?.entries()?;
        let first = entries.first();
        Ok(first.and_then(|(entry, _)| ReadKey::of(entry)?.time()))
    }
}

impl WebhookScheduler {
    /// Takes webhooks with due times set by a clock ahead of now.
    async fn sweep(
        &mut self,
        store: &Store,
        start: Key,
        found: &mut ChosenWebhooks,
    ) -> Result<(), Fault> {
        let elapsed = store.elapsed();
        let is_time = self.swept.is_none_or(|swept| elapsed >= swept + SWEEP);
        if self.sweep_from.is_none() && !is_time {
            return Ok(());
        }
        let from = self.sweep_from.take().unwrap_or(start);
        let end = after_prefix(&key(GLOBAL, Family::WebhookByDue, &[]));
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

/// The webhooks found so far.
struct ChosenWebhooks {
    most: usize,
    chosen: Vec<Chosen>,
    /// The chosen webhooks, and the ones without a turn.
    seen: HashSet<Uuid>,
}

impl ChosenWebhooks {
    /// Takes webhooks from a list, if `is_wanted` accepts their entry.
    /// Returns the place to go on with, unless it reached the end.
    async fn scan(
        &mut self,
        store: &Store,
        mut from: Key,
        to: &[u8],
        is_wanted: impl Fn(&Entry) -> bool,
    ) -> Result<Option<Key>, Fault> {
        let reader = LenientReader::new(store);
        for _ in 0..PIECES {
            if self.chosen.len() >= self.most {
                return Ok(Some(from));
            }
            // Rows behind an unreadable row are still handled.
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
                if self.seen.insert(webhook) {
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
