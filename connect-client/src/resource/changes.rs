//! Following changes.

use std::{
    fmt,
    future::poll_fn,
    pin::Pin,
    task::{Context, Poll, ready},
    vec,
};

use futures_util::{Stream, StreamExt};

use super::{Listing, Records, Synced, record::changed_at};
use crate::{
    Error,
    call::{Response, settings},
    wire::{Entry, Page, Timestamp, query::ListQuery as _},
};

impl<R: Synced> Records<R> {
    /// Follows the changes at or after `since`, deletions included.
    /// They come in the order of change. With `None` the whole list comes.
    ///
    /// To keep a copy: apply each entry (insert or replace by id, or delete), then store
    /// [`Changes::since`] with the copy, and start there the next time. No change is ever missed: at
    /// one location later changes have later times, and become visible in that order. After a complete
    /// pass no change comes twice either: another pass over an unchanged location is one request
    /// without entries. After an incomplete pass the latest entries come again, so applying an entry
    /// twice must do no harm.
    ///
    /// [`watch`](Self::watch) polls repeatedly.
    ///
    /// Deletions are kept for 90 days. The service refuses an older `since` with `validation_failed`:
    /// start again with `None`, into an empty copy.
    ///
    /// ```no_run
    /// # use std::collections::HashMap;
    /// # use connect_client::{Client, Error, wire::{Entry, Id, Location, Product, Timestamp}};
    /// # async fn example(
    /// #     client: Client, location: Id<Location>,
    /// #     copy: &mut HashMap<Id<Product>, Product>, since: &mut Option<Timestamp>,
    /// # ) -> Result<(), Error> {
    /// let mut changes = client.location(location).products().changes_since(*since);
    /// while let Some(entry) = changes.next().await {
    ///     match entry? {
    ///         Entry::Live(product) => copy.insert(product.id, product),
    ///         Entry::Deleted(tombstone) => copy.remove(&tombstone.id.into()),
    ///     };
    /// }
    /// *since = changes.since();
    /// # Ok(()) }
    /// ```
    pub fn changes_since(&self, since: Option<Timestamp>) -> Changes<R> {
        let mut query = R::Query::default();
        query.sync_mut().updated_since = since;
        // Deletions count on the first run, too: a record deleted during the pass would otherwise stay
        // in the copy for ever.
        Changes {
            pages: self.responses(&query),
            page: Vec::new().into_iter(),
            is_last: false,
            first_state: None,
            last_state: None,
            since,
            latest: None,
        }
    }
}

/// Changes in the order of change; see [`Records::changes_since`].
///
/// It is a [`Stream`]; [`next`](Self::next) and [`all`](Self::all) work without the traits of the
/// futures crates.
///
/// Its settings apply to each request. Make them before the first request: later they have no effect.
#[must_use = "nothing is fetched until it is asked for"]
pub struct Changes<R> {
    pub(super) pages: Listing<Response<Page<Entry<R>>>>,
    /// The rest of the current page.
    page: vec::IntoIter<Entry<R>>,
    /// Set when the current page is the last.
    /// If it is unset at the end of the stream, an error ended it.
    is_last: bool,
    /// The state of the location at the first page, if given.
    first_state: Option<Timestamp>,
    /// The state of the location at the latest page.
    last_state: Option<Timestamp>,
    since: Option<Timestamp>,
    /// The latest `updatedAt` seen.
    latest: Option<Timestamp>,
}

impl<R: Synced> Changes<R> {
    settings!("each request", pages.options);

    /// Returns the next change; `None` when there is none at present.
    /// Changes made during the pass come as well.
    pub async fn next(&mut self) -> Option<Result<Entry<R>, Error>> {
        StreamExt::next(self).await
    }

    /// Returns the starting time of the next pass.
    /// It is valid at any moment, also after an error: the latest `updatedAt` seen, or a time just
    /// after all known changes once [`next`](Self::next) has returned `None`. In a
    /// pass begun with `None` it is `None` until the first entry or the end, and it stays `None` at a
    /// location without any writes.
    pub fn since(&self) -> Option<Timestamp> {
        self.since
    }

    /// Collects the remaining changes, and the starting time of the next pass.
    ///
    /// Changes made during the pass are left for the next one, so the pass ends even under constant
    /// writes. (If the service does not report the state of its pages, the pass ends when no changes
    /// are left.)
    ///
    /// # Errors
    /// A page could not be fetched.
    pub async fn all(mut self) -> Result<(Vec<Entry<R>>, Option<Timestamp>), Error> {
        let mut entries = Vec::new();
        while let Some(time) = poll_fn(|context| self.poll_upcoming(context)).await? {
            if let Some(state) = self.first_state.filter(|state| time > *state) {
                self.pass_is_over(Some(state));
                break;
            }
            entries.extend(self.take_entry());
        }
        Ok((entries, self.since))
    }

    /// Finds the time of the next entry, fetching its page if needed.
    /// `None` at the end.
    fn poll_upcoming(
        &mut self,
        context: &mut Context<'_>,
    ) -> Poll<Result<Option<Timestamp>, Error>> {
        loop {
            if let Some(entry) = self.page.as_slice().first() {
                return Poll::Ready(Ok(Some(changed_at(entry))));
            }
            let Some(response) = ready!(self.pages.poll_next_unpin(context)) else {
                if self.is_last {
                    self.pass_is_over(self.last_state);
                }
                return Poll::Ready(Ok(None));
            };
            let Response { data, meta } = response?;
            self.first_state = self.first_state.or(meta.state);
            self.last_state = meta.state;
            self.is_last = data.next_cursor.is_none();
            self.page = data.data.into_iter();
        }
    }

    fn take_entry(&mut self) -> Option<Entry<R>> {
        let entry = self.page.next()?;
        self.latest = self.latest.max(Some(changed_at(&entry)));
        self.since = self.since.max(self.latest);
        Some(entry)
    }

    /// Ends a complete pass by moving `since` just past it.
    /// All entries up to the latest time and up to this state were seen, and any later write has a
    /// later time.
    ///
    /// The state moves with every write at the location, and `since` moves with it. Otherwise the
    /// `since` of an unchanging list would grow older than the service keeps deletions. At a location
    /// without any writes the state is the beginning of time. It is too old as well, so `since` stays
    /// unset.
    fn pass_is_over(&mut self, state: Option<Timestamp>) {
        let state = state.filter(|state| *state > Timestamp::EPOCH);
        let seen = self.latest.max(state);
        self.since = self.since.max(seen.map(|seen| seen.plus_micros(1)));
    }
}

impl<R: Synced> Stream for Changes<R> {
    type Item = Result<Entry<R>, Error>;

    fn poll_next(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        let next = match ready!(self.poll_upcoming(context)) {
            Ok(_) => self.take_entry().map(Ok),
            Err(error) => Some(Err(error)),
        };
        Poll::Ready(next)
    }
}

// Nothing in it is pinned, whatever the record.
impl<R> Unpin for Changes<R> {}

impl<R> fmt::Debug for Changes<R> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Changes")
            .field("since", &self.since)
            .finish_non_exhaustive()
    }
}
