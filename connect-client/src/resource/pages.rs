//! Lists over all their pages.

use futures_util::stream::{self, Stream, TryStreamExt};

use super::{Listing, Record, Records};
use crate::{
    Call, Error, Response,
    error::DecodeError,
    wire::{Entry, Page, limits::MAX_PAGE_SIZE, query::ListQuery as _},
};

impl<R: Record> Records<R> {
    /// All pages from `query.cursor` (or the beginning) on, without deleted records. Pages have
    /// 200 records unless the query has a `limit`.
    pub fn pages(&self, query: &R::Query) -> Listing<Page<R>> {
        let records = self.clone();
        let pages = follow::<R, _>(query, move |query| records.list(query));
        Listing::new(pages.map_ok(|response| response.data))
    }

    /// As [`pages`](Self::pages), with tombstones of deleted records.
    pub fn pages_with_deleted(&self, query: &R::Query) -> Listing<Page<Entry<R>>> {
        Listing::new(self.responses(query).map_ok(|response| response.data))
    }

    /// As [`pages_with_deleted`](Self::pages_with_deleted), with what the headers say.
    pub(super) fn responses(&self, query: &R::Query) -> Listing<Response<Page<Entry<R>>>> {
        let records = self.clone();
        Listing::new(follow::<R, _>(query, move |query| {
            records.list_with_deleted(query)
        }))
    }

    /// All records from `query.cursor` (or the beginning) on, by `updatedAt`, without deleted
    /// ones.
    pub fn stream(&self, query: &R::Query) -> Listing<R> {
        items(self.pages(query))
    }

    /// As [`stream`](Self::stream), with tombstones of deleted records.
    pub fn stream_with_deleted(&self, query: &R::Query) -> Listing<Entry<R>> {
        items(self.pages_with_deleted(query))
    }
}

fn items<T: Send + 'static>(pages: Listing<Page<T>>) -> Listing<T> {
    let each = |page: Page<T>| stream::iter(page.data.into_iter().map(Ok));
    Listing::new(pages.map_ok(each).try_flatten())
}

/// Fetches page after page until there is no cursor to follow.
fn follow<R: Record, T: Send + 'static>(
    query: &R::Query,
    fetch: impl Fn(&R::Query) -> Call<Page<T>> + Send + 'static,
) -> impl Stream<Item = Result<Response<Page<T>>, Error>> + Send + 'static {
    // Full pages: requests are what the service counts.
    let mut first = query.clone();
    first.sync_mut().limit.get_or_insert(MAX_PAGE_SIZE);
    stream::try_unfold((Some(first), fetch), async |(query, fetch)| {
        let Some(mut query) = query else {
            return Ok(None);
        };
        let page = fetch(&query).send().await?;
        let next = match &page.data.next_cursor {
            None => None,
            Some(cursor) => {
                let sent = query.sync_mut().cursor.replace(cursor.clone());
                if sent.as_ref() == Some(cursor) {
                    return Err(going_in_circles().into());
                }
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
