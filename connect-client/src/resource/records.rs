//! Reading and writing the records of a location.

use std::{fmt, marker::PhantomData};

use uuid::Uuid;

use super::Record;
use crate::{
    Call, Client,
    request::Request,
    wire::{Entry, Page, query::ListQuery as _},
};

/// The records of one kind at one location: `Records<Category>` or `Records<Product>`.
pub struct Records<R> {
    pub(crate) client: Client,
    location: Uuid,
    kind: PhantomData<fn() -> R>,
}

impl<R: Record> Records<R> {
    pub(crate) fn new(client: &Client, location: Uuid) -> Self {
        Self {
            client: client.clone(),
            location,
            kind: PhantomData,
        }
    }

    /// The path of all of them.
    pub(crate) fn path(&self) -> String {
        format!("/locations/{}/{}", self.location, R::SEGMENT)
    }

    /// The path of one of them.
    fn path_of(&self, id: Uuid) -> String {
        format!("{}/{id}", self.path())
    }

    /// One page, by `updatedAt`, without deleted records. To read on, send the query again with
    /// the page's `next_cursor`; [`stream`](Self::stream) does it for you.
    pub fn list(&self, query: &R::Query) -> Call<Page<R>> {
        Call::page(&self.client, self.listing(query, false))
    }

    /// One page, by `updatedAt`, with a tombstone for each record deleted in the last 90 days.
    pub fn list_with_deleted(&self, query: &R::Query) -> Call<Page<Entry<R>>> {
        Call::page(&self.client, self.listing(query, true))
    }

    /// One record.
    pub fn get(&self, id: Uuid) -> Call<R> {
        Call::record(&self.client, Ok(Request::get(self.path_of(id))))
    }

    /// Creates a record and yields it as the service has it.
    pub fn create(&self, input: &R::Input) -> Call<R> {
        Call::record(&self.client, Request::post(self.path(), input))
    }

    /// Changes the given fields of a record, and yields it as it is then.
    /// [`Field`](crate::wire::Field) tells the three things apart that a field can say: left out
    /// keeps what is there, `Null` clears it, `Value` sets it.
    pub fn update(&self, id: Uuid, input: &R::Input) -> Call<R> {
        Call::record(&self.client, Request::patch(self.path_of(id), input))
    }

    /// Deletes a record. When the answer to the first attempt is lost, the next is answered from
    /// the service's store, so `not_found` means that the record was gone before.
    pub fn delete(&self, id: Uuid) -> Call<()> {
        Call::nothing(&self.client, Request::delete(self.path_of(id)))
    }

    /// The method decides about deleted records, whatever the query says: the type of what comes
    /// back depends on it.
    fn listing(&self, query: &R::Query, include_deleted: bool) -> Request {
        let mut query = query.clone();
        query.sync_mut().include_deleted = include_deleted;
        Request::list(self.path(), &query)
    }
}

impl<R> Clone for Records<R> {
    fn clone(&self) -> Self {
        Self {
            client: self.client.clone(),
            location: self.location,
            kind: PhantomData,
        }
    }
}

impl<R> fmt::Debug for Records<R> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Records")
            .field("client", &self.client)
            .field("location", &self.location)
            .finish_non_exhaustive()
    }
}
