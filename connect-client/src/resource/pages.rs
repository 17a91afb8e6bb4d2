//! Lists over all their pages, fetched while they are read.

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
    /// All pages from `query.cursor` (or the beginning) on, without deleted records. Pages have
    /// 200 records unless the query has a `limit`.
    pub fn pages(&self, query: &R::Query) -> Listing<Page<R>> {
        let (records, query) = (self.clone(), query.clone());
        Listing::new(move |options| {
            let pages = follow(query, move |query| {
                records.list(query).with(options.clone())
            });
            pages.map_ok(|response| response.data)
        })
    }

    /// All records from `query.cursor` (or the beginning) on, in the order of the list, without
    /// deleted ones.
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

    /// As [`pages_with_deleted`](Self::pages_with_deleted), with what the headers say.
    pub(super) fn responses(&self, query: &R::Query) -> Listing<Response<Page<Entry<R>>>> {
        let (records, query) = (self.clone(), query.clone());
        Listing::new(move |options| {
            follow(query, move |query| {
                records.list_with_deleted(query).with(options.clone())
            })
        })
    }
}

/// The records of a list, or its pages, fetched as they are asked for.
///
/// It is a [`Stream`]; [`next`](Self::next) and [`all`](Self::all) work without the traits of the
/// futures crates. After an error there is nothing more.
///
/// Its settings are those of each request, and are made before the first: after it they change
/// nothing.
#[must_use = "nothing is fetched until it is asked for"]
pub struct Listing<T> {
    pub(super) options: CallOptions,
    /// Begins to fetch; taken when the first one is asked for.
    begin: Option<Begin<T>>,
    fetching: BoxStream<'static, Result<T, Error>>,
}

/// Begins to fetch with the settings that were made.
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

    /// Takes over the settings of what this is a part of.
    pub(super) fn with(mut self, options: CallOptions) -> Self {
        self.options = options;
        self
    }

    /// The next one; `None` at the end.
    pub async fn next(&mut self) -> Option<Result<T, Error>> {
        StreamExt::next(self).await
    }

    /// All that are left, in memory.
    ///
    /// # Errors
    /// A page could not be fetched; what came before is dropped.
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

/// Fetches page after page until there is no cursor to follow.
fn follow<Q: PageQuery, T: Send + 'static>(
    mut first: Q,
    fetch: impl Fn(&Q) -> Call<Page<T>> + Send + 'static,
) -> impl Stream<Item = Result<Response<Page<T>>, Error>> + Send + 'static {
    // Full pages: requests are what the service counts.
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

/// Following it would never end.
fn going_in_circles() -> DecodeError {
    DecodeError {
        problem: "nextCursor is the cursor that was sent".to_owned(),
        body: String::new(),
    }
}
