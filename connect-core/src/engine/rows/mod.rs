//! The rows of one kind at one location, read-only for clients.

use std::{fmt, marker::PhantomData, ops::Bound};

use async_trait::async_trait;
use serde::de::DeserializeOwned;
use uuid::Uuid;

use super::{
    answer::{Json, single},
    connect::Connect,
    page_request::PageRequest,
    pages::Filter,
    typed::decoded,
};
use crate::{
    auth::Access,
    rules::zone,
    storage::Value,
    transaction::{AccessPath, Error, Fault, KeyRange, Row, SortKey as _, keys::Family},
    wire::{
        Entry, Id, Page, Single, Timestamp,
        query::{ListQuery, PageQuery, Period},
    },
};

/// A kind of row to list, read-only for clients.
///
/// Sealed: its supertrait cannot be named outside of this crate.
#[async_trait]
pub trait Listed: Row + DeserializeOwned + Send + Sync + 'static {
    /// The singular name, for messages.
    const NAME: &'static str;
    /// The name of the list, part of its cursors.
    const LIST: &'static str;

    /// The parameters of the list.
    type Query: PageQuery;

    /// The retention of rows in days, if they are purged.
    /// Such a list continues only after an existing row.
    const KEPT_DAYS: Option<i64> = None;

    /// The row to start after, by its position and id.
    /// This is the parameter `after`, for lists that have it and purge their rows.
    #[doc(hidden)]
    fn after(_query: &Self::Query) -> Option<(Self::Key, Uuid)> {
        None
    }

    /// The requested period, from the parameters `from` and `to`.
    /// This is for lists in the order of this time that have these parameters.
    #[doc(hidden)]
    fn period(_query: &Self::Query) -> Period {
        Period::default()
    }

    /// Returns the bounds of the part of the list with all requested rows.
    /// A list in another order than `from` and `to` looks up its own bounds, and tests its rows against
    /// them in [`filter`](Self::filter).
    ///
    /// # Errors
    /// The requested period begins later than it ends.
    #[doc(hidden)]
    async fn bounds(
        query: &Self::Query,
        _connect: &Connect,
        _access: &Access,
    ) -> Result<(Bound<Self::Key>, Bound<Self::Key>), Error> {
        let (from, to) = zone::times(&Self::period(query))
            .map_err(|invalid| Error::Malformed(invalid.into()))?;
        let place = |time: Option<Timestamp>| time.and_then(Self::Key::first_at);
        Ok((
            place(from).map_or(Bound::Unbounded, Bound::Included),
            place(to).map_or(Bound::Unbounded, Bound::Excluded),
        ))
    }

    /// Returns the requested part of the list, read from its end if `newest_first`.
    /// A list by `updatedAt` uses [`PageRequest::of`], which supports `updatedSince` and deletions.
    ///
    /// # Errors
    /// A query parameter is bad.
    #[doc(hidden)]
    async fn request(
        query: &Self::Query,
        connect: &Connect,
        access: &Access,
        newest_first: bool,
    ) -> Result<PageRequest<Self::Key>, Error> {
        let (from, to) = Self::bounds(query, connect, access).await?;
        let whole = KeyRange {
            from,
            to,
            newest_first,
        };
        let request = PageRequest::of_rows(Self::LIST, access, query, whole, connect.now())?;
        Ok(match Self::KEPT_DAYS {
            Some(days) => {
                // Its account may keep them for fewer.
                let days = days.min(access.account().event_days());
                request.kept(days, Self::after(query))
            }
            None => request,
        })
    }

    /// The index of the list: all rows, or those sharing an id ([`Row::group`]).
    #[doc(hidden)]
    fn access_path(_query: &Self::Query) -> AccessPath<'_> {
        AccessPath::All
    }

    /// The filter of rows; `None` if every row passes.
    ///
    /// # Errors
    /// The caller may not see the requested rows.
    #[doc(hidden)]
    fn filter(_query: &Self::Query, _access: &Access) -> Result<Option<RowFilter>, Error> {
        Ok(None)
    }
}

/// A kind of row with a list also readable from its end ([`Rows::newest_first`]).
///
/// A list with purged rows is not one of these: after a cursor leading back, purged rows would look like
/// rows that never existed. A list by `updatedAt` is not one either: it is read to keep a copy.
pub trait Reversible: Listed {}

/// A kind of row also read by its id.
pub trait Readable: Listed {
    /// The index from ids to positions, for rows not stored under their id.
    #[doc(hidden)]
    const BY_ID: Option<Family> = None;
}

/// The test of a list's rows.
/// The error means a row of another kind.
pub(crate) type RowFilter = Box<dyn Fn(&[u8]) -> serde_json::Result<bool> + Send + Sync>;

/// The rows of one kind at one location, such as `Rows<ImageJob>`.
pub struct Rows<R> {
    pub(crate) connect: Connect,
    pub(crate) access: Access,
    newest_first: bool,
    kind: PhantomData<fn() -> R>,
}

impl<R: Listed> Rows<R> {
    pub(crate) fn new(connect: &Connect, access: &Access) -> Self {
        Self {
            connect: connect.clone(),
            access: access.clone(),
            newest_first: false,
            kind: PhantomData,
        }
    }

    /// The access of the operations.
    pub fn access(&self) -> &Access {
        &self.access
    }

    /// The list targeted by a write.
    pub(crate) fn target(&self) -> String {
        format!("{}/{}", self.access.location().id, R::LIST)
    }

    /// Returns a page of the list, without deleted rows.
    ///
    /// # Errors
    /// A query parameter is bad, or requests rows the caller may not see.
    pub async fn list(&self, query: &R::Query) -> Result<Page<R>, Error> {
        let mut query = query.clone();
        query.leave_out_deleted();
        decoded(self.list_json(&query).await?.decode())
    }

    /// Returns a page of the list as JSON, for a server.
    ///
    /// # Errors
    /// As [`list`](Self::list).
    pub async fn list_json(&self, query: &R::Query) -> Result<Json<Page<R>>, Error> {
        let (connect, access) = (&self.connect, &self.access);
        let passes = R::filter(query, access)?;
        let passes = passes.map(|passes| {
            move |row: &Value| passes(row).map_err(|e| Fault::corrupt(b"a listed row", e))
        });
        let filter = passes.as_ref().map(|passes| passes as Filter<'_>);
        let request = R::request(query, connect, access, self.newest_first).await?;
        let page = connect.page::<R>(
            access,
            &request,
            R::access_path(query),
            AccessPath::All,
            filter,
        );
        page.await
    }
}

impl<R: Reversible> Rows<R> {
    /// Lists the newest rows first.
    /// Rows added during a walk are not in it. Its cursors continue in its direction, and are refused in
    /// the other.
    #[must_use]
    pub fn newest_first(self) -> Self {
        Self {
            newest_first: true,
            ..self
        }
    }
}

impl<R: Readable> Rows<R> {
    /// Returns one row.
    ///
    /// # Errors
    /// [`Error::NotFound`].
    pub async fn get(&self, id: impl Into<Id<R>>) -> Result<R, Error> {
        decoded(self.get_json(id.into().uuid()).await?.decode()).map(|single| single.data)
    }

    /// Returns one row as JSON, for a server.
    ///
    /// # Errors
    /// [`Error::NotFound`].
    pub async fn get_json(&self, id: Uuid) -> Result<Json<Single<R>>, Error> {
        let (store, location) = (self.connect.store(), self.access.partition());
        let row = store.row_by_id::<R>(location, id, R::BY_ID).await?;
        row.map(|row| single(&row))
            .ok_or_else(|| Error::not_found(R::NAME, id))
    }
}

impl<R: Listed<Query: ListQuery>> Rows<R> {
    /// Returns a page of the list, with tombstones of the last 90 days.
    ///
    /// # Errors
    /// A query parameter is bad.
    pub async fn list_with_deleted(&self, query: &R::Query) -> Result<Page<Entry<R>>, Error> {
        let mut query = query.clone();
        query.sync_mut().include_deleted = true;
        let page = self.list_json(&query).await?;
        decoded(serde_json::from_slice(&page.into_bytes()))
    }
}

impl<R> Clone for Rows<R> {
    fn clone(&self) -> Self {
        Self {
            connect: self.connect.clone(),
            access: self.access.clone(),
            newest_first: self.newest_first,
            kind: PhantomData,
        }
    }
}

impl<R> fmt::Debug for Rows<R> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Rows")
            .field("access", &self.access)
            .finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests;
