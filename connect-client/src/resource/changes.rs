//! Following what changes.

use std::fmt;

use super::{
    Listing, Record, Records,
    record::{Filter, changed_at},
};
use crate::{
    Error,
    wire::{Entry, Timestamp},
};

impl<R: Record> Records<R> {
    /// What changed at or after `since`, deletions included, in the order in which it changed;
    /// everything when `since` is `None`.
    ///
    /// To keep a copy: apply each entry (insert or replace by id, or delete), then store
    /// [`Changes::since`] with the copy, and begin there the next time. Nothing is ever missed:
    /// at one location later changes have later times, and become visible in that order. The
    /// bounds are inclusive, so the latest entries come again: applying one twice must do no
    /// harm.
    ///
    /// Deletions are kept for 90 days. A `since` older than that is refused with
    /// `validation_failed`: begin again with `None`, into an empty copy.
    ///
    /// ```no_run
    /// # use std::collections::HashMap;
    /// # use connect_client::{Client, Error, Uuid, wire::{Entry, Product, Timestamp}};
    /// # async fn example(
    /// #     client: Client, location: Uuid,
    /// #     copy: &mut HashMap<Uuid, Product>, since: &mut Option<Timestamp>,
    /// # ) -> Result<(), Error> {
    /// let mut changes = client.location(location).products().changes_since(*since);
    /// while let Some(entry) = changes.next().await {
    ///     match entry? {
    ///         Entry::Live(product) => copy.insert(product.id, product),
    ///         Entry::Deleted(tombstone) => copy.remove(&tombstone.id),
    ///     };
    ///     *since = changes.since();
    /// }
    /// # Ok(()) }
    /// ```
    pub fn changes_since(&self, since: Option<Timestamp>) -> Changes<R> {
        let mut query = R::Query::default();
        query.sync().updated_since = since;
        // Deletions count on the first run, too: what is deleted while the pages are read would
        // otherwise stay in the copy for ever.
        Changes {
            entries: self.stream_with_deleted(&query),
            since,
        }
    }
}

/// Changes in the order in which they happened; see [`Records::changes_since`].
#[must_use = "nothing is fetched until it is asked for"]
pub struct Changes<R> {
    entries: Listing<Entry<R>>,
    since: Option<Timestamp>,
}

impl<R: Record> Changes<R> {
    /// The next change; `None` when there is none at present.
    pub async fn next(&mut self) -> Option<Result<Entry<R>, Error>> {
        let entry = self.entries.next().await;
        if let Some(Ok(entry)) = &entry {
            self.since = self.since.max(Some(changed_at(entry)));
        }
        entry
    }

    /// Where to begin the next time: the latest `updatedAt` seen. Good at any moment, also after
    /// an error; `None` as long as nothing was seen.
    pub fn since(&self) -> Option<Timestamp> {
        self.since
    }

    /// All changes that are left, in memory, and where to begin the next time.
    ///
    /// # Errors
    /// A page could not be fetched.
    pub async fn all(mut self) -> Result<(Vec<Entry<R>>, Option<Timestamp>), Error> {
        let mut entries = Vec::new();
        while let Some(entry) = self.next().await {
            entries.push(entry?);
        }
        Ok((entries, self.since))
    }
}

impl<R> fmt::Debug for Changes<R> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Changes")
            .field("since", &self.since)
            .finish_non_exhaustive()
    }
}
