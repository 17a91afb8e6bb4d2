//! The choice of the webhooks that get a session.
//!
//! Two lists hold the webhooks with something to do: those that events were added for since a worker
//! last looked, and those that are due at a time, for a retry. A webhook without either costs
//! nothing.

use std::collections::HashSet;

use uuid::Uuid;

use crate::{
    record::{
        Fault, ReadKey, Salvage, Store,
        keys::{Family, NOBODY, Part, after_prefix, key},
    },
    storage::{Key, Range, Read},
    wire::Timestamp,
};

/// The entries that are read at a time.
const PIECE: usize = 1000;

/// The most pieces of a list that are read for one look.
const PIECES: usize = 8;

/// Looks for webhooks that have something to do. Webhooks take turns: each look goes on where the
/// last one ended, so that those at the front of a list cannot keep the others waiting.
#[derive(Debug, Default)]
pub(super) struct Look {
    /// The place at which the next look goes on in the list of woken webhooks.
    go_on: Option<Key>,
    left_some: bool,
    /// Set when an odd place goes to the webhooks that are due.
    due_first: bool,
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
    ) -> Result<Vec<Uuid>, Fault> {
        let mut found = Found {
            most,
            passed_over,
            chosen: Vec::new(),
            seen: HashSet::new(),
        };
        // Retries are mostly of endpoints that do not work, so they get at most half of the room
        // while others want it.
        let due = key(NOBODY, Family::WebhookByDue, &[]);
        let now = Part::Time(store.now().plus_micros(1));
        let now = key(NOBODY, Family::WebhookByDue, &[now]);
        self.due_first = !self.due_first;
        found.most = if self.due_first {
            most.div_ceil(2)
        } else {
            most / 2
        };
        let rest_of_due = found.scan(store, due, &now).await?;
        found.most = most;
        let start = key(NOBODY, Family::WebhookWoken, &[]);
        let end = after_prefix(&start);
        let from = self.go_on.take().unwrap_or(start);
        self.go_on = found.scan(store, from, &end).await?;
        if let Some(from) = &rest_of_due {
            found.scan(store, from.clone(), &now).await?;
        }
        self.left_some = found.chosen.len() == most;
        Ok(found.chosen)
    }
}

/// Returns the time at which the first webhook is due that is not due yet.
pub(super) async fn next_due(store: &Store) -> Result<Option<Timestamp>, Fault> {
    let from = Part::Time(store.now().plus_micros(1));
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

/// The webhooks that were found so far.
struct Found<'p> {
    most: usize,
    passed_over: &'p HashSet<Uuid>,
    chosen: Vec<Uuid>,
    seen: HashSet<Uuid>,
}

impl Found<'_> {
    /// Takes webhooks from a list. Returns where to go on when it did not come to the end.
    async fn scan(
        &mut self,
        store: &Store,
        mut from: Key,
        to: &[u8],
    ) -> Result<Option<Key>, Fault> {
        let reader = Salvage::new(store);
        for _ in 0..PIECES {
            if self.chosen.len() >= self.most {
                return Ok(Some(from));
            }
            // What lies behind a row that cannot be read is done all the same.
            let piece = reader.piece(&from, Some(to), PIECE).await?;
            for (entry, _) in &piece.entries {
                if self.chosen.len() >= self.most {
                    return Ok(Some(entry.clone()));
                }
                let Some(webhook) = ReadKey::of(entry).and_then(|at| at.id()) else {
                    continue;
                };
                if !self.passed_over.contains(&webhook) && self.seen.insert(webhook) {
                    self.chosen.push(webhook);
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
