//! Lists over all their pages, fetched on demand.

use std::{
    fmt,
    pin::Pin,
    task::{Context, Poll},
};

use futures_util::{
    StreamExt,
    stream::{self, BoxStream, Stream, TryStreamExt as _},
};

use super::{Listed, Records, Synced};
use crate::{
    Call, Error,
    call::{CallOptions, Response, settings},
    error::DecodeError,
    wire::{Entry, Page, limits::MAX_PAGE_SIZE, query::PageQuery},
};

impl<R: Listed> Records<R> {
    /// Lists all pages, without deleted records.
    /// It starts at `query.cursor`, or at the beginning. Pages have 200 records unless the query has a
    /// `limit`.
    pub fn pages(&self, query: &R::Query) -> Listing<Page<R>> {
        let (records, query) = (self.clone(), query.clone());
        Listing::new(move |options| {
            let pages = follow(query, move |query| {
                records.list(query).with(options.clone())
            });
            pages.map_ok(|response| response.data)
        })
    }

    /// Lists all records in list order, without deleted ones.
    /// It starts at `query.cursor`, or at the beginning.
    pub fn stream(&self, query: &R::Query) -> Listing<R> {
        items(self.pages(query))
    }
}

impl<R: Synced> Records<R> {
    /// As [`pages`](Self::pages), with tombstones of deleted records.
    pub fn pages_with_deleted(&self, query: &R::Query) -> Listing<Page<Entry<R>>> {
        let responses = self.responses(query);
        Listing::new(move |options| responses.with(options).map_ok(|response| response.data))
    }

    /// As [`stream`](Self::stream), with tombstones of deleted records.
    pub fn stream_with_deleted(&self, query: &R::Query) -> Listing<Entry<R>> {
        items(self.pages_with_deleted(query))
    }

    /// As [`pages_with_deleted`](Self::pages_with_deleted), with the facts from the headers.
    pub(super) fn responses(&self, query: &R::Query) -> Listing<Response<Page<Entry<R>>>> {
        let (records, query) = (self.clone(), query.clone());
        Listing::new(move |options| {
            follow(query, move |query| {
                records.list_with_deleted(query).with(options.clone())
            })
        })
    }
}

/// The records or the pages of a list, fetched on demand.
///
/// It is a [`Stream`]; [`next`](Self::next) and [`all`](Self::all) work without the traits of the
/// futures crates. An error ends it.
///
/// Its settings apply to each request. Make them before the first request: later they have no effect.
#[must_use = "nothing is fetched until it is asked for"]
pub struct Listing<T> {
    pub(super) options: CallOptions,
    /// Starts the fetching; taken at the first poll.
    begin: Option<Begin<T>>,
    fetching: BoxStream<'static, Result<T, Error>>,
}

/// Starts the fetching with these settings.
type Begin<T> = Box<dyn FnOnce(CallOptions) -> BoxStream<'static, Result<T, Error>> + Send>;

impl<T: Send + 'static> Listing<T> {
    pub(super) fn new<S>(begin: impl FnOnce(CallOptions) -> S + Send + 'static) -> Self
    where
        S: Stream<Item = Result<T, Error>> + Send + 'static,
    {
        Self {
            options: CallOptions::default(),
            begin: Some(Box::new(|options| begin(options).boxed())),
            fetching: stream::empty().boxed(),
        }
    }
}

impl<T> Listing<T> {
    settings!("each request", options);

    /// Takes the settings of an enclosing series.
    pub(super) fn with(mut self, options: CallOptions) -> Self {
        self.options = options;
        self
    }

    /// Returns the next item; `None` at the end.
    pub async fn next(&mut self) -> Option<Result<T, Error>> {
        StreamExt::next(self).await
    }

    /// Collects the remaining items in memory.
    ///
    /// # Errors
    /// A page could not be fetched; earlier items are dropped.
    pub async fn all(self) -> Result<Vec<T>, Error> {
        self.try_collect().await
    }
}

impl<T> Stream for Listing<T> {
    type Item = Result<T, Error>;

    fn poll_next(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        if let Some(begin) = self.begin.take() {
            self.fetching = begin(self.options.clone());
        }
        self.fetching.poll_next_unpin(context)
    }
}

impl<T> fmt::Debug for Listing<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Listing").finish_non_exhaustive()
    }
}

fn items<T: Send + 'static>(pages: Listing<Page<T>>) -> Listing<T> {
    let each = |page: Page<T>| stream::iter(page.data.into_iter().map(Ok));
    Listing::new(move |options| pages.with(options).map_ok(each).try_flatten())
}

/// Fetches page after page until there is no next cursor.
fn follow<Q: PageQuery, T: Send + 'static>(
    mut first: Q,
    fetch: impl Fn(&Q) -> Call<Page<T>> + Send + 'static,
) -> impl Stream<Item = Result<Response<Page<T>>, Error>> + Send + 'static {
    // Full pages: the rate limit counts requests, not records.
    if first.limit().is_none() {
        first.set_limit(MAX_PAGE_SIZE);
    }
    stream::try_unfold((Some(first), fetch), async |(query, fetch)| {
        let Some(mut query) = query else {
            return Ok(None);
        };
        let page = fetch(&query).send().await?;
        let next = match &page.data.next_cursor {
            None => None,
            Some(cursor) => {
                if query.cursor() == Some(cursor) {
                    return Err(going_in_circles().into());
                }
                query.set_cursor(cursor.clone());
                Some(query)
            }
        };
        Ok(Some((page, (next, fetch))))
    })
}

/// The error for a cursor pointing to its own page.
fn going_in_circles() -> DecodeError {
    DecodeError {
        problem: "nextCursor is the cursor that was sent".to_owned(),
        body: String::new(),
    }
}
