//! Following what changes.

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
    /// Follows the changes at or after `since`, deletions included, in the order in which they
    /// happened; everything when `since` is `None`.
    ///
    /// To keep a copy: apply each entry (insert or replace by id, or delete), then store
    /// [`Changes::since`] with the copy, and begin there the next time. Nothing is ever missed:
    /// at one location later changes have later times, and become visible in that order. After a
    /// pass that was read to its end nothing comes twice either: asking again at a shop where
    /// nothing happens is one request, and brings nothing. After a pass that was left earlier, the
    /// latest entries come again: applying one twice must do no harm.
    ///
    /// [`watch`](Self::watch) asks again and again.
    ///
    /// Deletions are kept for 90 days. A `since` older than that is refused with
    /// `validation_failed`: begin again with `None`, into an empty copy.
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
        // Deletions count on the first run, too: what is deleted while the pages are read would
        // otherwise stay in the copy for ever.
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

/// Changes in the order in which they happened; see [`Records::changes_since`].
///
/// It is a [`Stream`]; [`next`](Self::next) and [`all`](Self::all) work without the traits of the
/// futures crates.
///
/// Its settings are those of each request, and are made before the first: after it they change
/// nothing.
#[must_use = "nothing is fetched until it is asked for"]
pub struct Changes<R> {
    pub(super) pages: Listing<Response<Page<Entry<R>>>>,
    /// The rest of the page that was fetched last.
    page: vec::IntoIter<Entry<R>>,
    /// No page comes after that one. Without it the end is an error's.
    is_last: bool,
    /// The state that the first page was read in, where the service tells.
    first_state: Option<Timestamp>,
    /// The state that the page that was fetched last was read in.
    last_state: Option<Timestamp>,
    since: Option<Timestamp>,
    /// The latest `updatedAt` seen.
    latest: Option<Timestamp>,
}

impl<R: Synced> Changes<R> {
    settings!("each request", pages.options);

    /// The next change; `None` when there is none at present. What changes while the pages are
    /// read comes as well.
    pub async fn next(&mut self) -> Option<Result<Entry<R>, Error>> {
        StreamExt::next(self).await
    }

    /// Returns the time to begin at the next time. Good at any moment, also after an error: the
    /// latest `updatedAt` seen, or just behind all that is known once [`next`](Self::next) has told
    /// the end. `None` as long as nothing was seen.
    pub fn since(&self) -> Option<Timestamp> {
        self.since
    }

    /// All changes that are left, in memory, and where to begin the next time.
    ///
    /// What changes while the pages are read is left for the next time, so that this ends however
    /// much is written meanwhile. (A service that does not say in which state it read a page gives
    /// no such end; there it is when nothing is left.)
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

    /// Finds the time of the next entry's change; its page is fetched if need be. `None` at the
    /// end.
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

    /// All entries up to the latest time, and up to this state, were seen, and whatever is written
    /// from now on is later.
    ///
    /// The state moves with every write at the location, and the place with it. The place of a list
    /// that nobody writes to would grow older than the service keeps deletions. Where nothing was ever
    /// written, the state is the beginning of time, which is older than that, too: the next pass has no
    /// place yet.
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
