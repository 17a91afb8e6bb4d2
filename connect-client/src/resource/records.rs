//! Reading and writing the records of a location.

use std::{fmt, marker::PhantomData};

use super::record::{Bulk, Listed, Readable, Record, Synced, Writable};
use crate::{
    Call, Client,
    call::request::Request,
    wire::{
        Batch, BatchInput, BatchResult, Entry, Id, Location, Page,
        query::{ListQuery as _, PageQuery as _},
    },
};

/// The records of one kind at one location, such as `Records<Product>`.
///
/// Its methods depend on the capabilities of the kind: [`Listed`], [`Readable`], [`Synced`],
/// [`Writable`], [`Bulk`].
pub struct Records<R> {
    pub(crate) client: Client,
    location: Id<Location>,
    kind: PhantomData<fn() -> R>,
}

impl<R: Record> Records<R> {
    pub(crate) fn new(client: &Client, location: Id<Location>) -> Self {
        Self {
            client: client.clone(),
            location,
            kind: PhantomData,
        }
    }

    /// The location of the records.
    pub(super) fn location(&self) -> Id<Location> {
        self.location
    }

    /// The path of the list.
    pub(super) fn path(&self) -> String {
        format!("/locations/{}/{}", self.location, R::SEGMENT)
    }

    /// The path of one record.
    pub(super) fn path_of(&self, id: impl Into<Id<R>>) -> String {
        format!("{}/{}", self.path(), id.into())
    }
}

impl<R: Listed> Records<R> {
    /// Returns one page, without deleted records.
    /// A page has 50 records unless the query has a `limit`, and at most 200. For the next page, repeat
    /// the query with the page's `next_cursor`, until there is none. [`stream`](Self::stream) does it
    /// for you.
    pub fn list(&self, query: &R::Query) -> Call<Page<R>> {
        // The type of the page has no place for a deleted record, even if the query asks for them.
        let mut query = query.clone();
        query.leave_out_deleted();
        Call::page(&self.client, Request::list(self.path(), &query))
    }
}

impl<R: Readable> Records<R> {
    /// Returns one record; `not_found` when the location has no such id.
    pub fn get(&self, id: impl Into<Id<R>>) -> Call<R> {
        Call::record(&self.client, Ok(Request::get(self.path_of(id))))
    }
}

impl<R: Synced> Records<R> {
    /// Returns one page, by `updatedAt`, with tombstones.
    /// There is a tombstone for each record deleted in the last 90 days. Page sizes are as for
    /// [`list`](Self::list).
    pub fn list_with_deleted(&self, query: &R::Query) -> Call<Page<Entry<R>>> {
        let mut query = query.clone();
        query.sync_mut().include_deleted = true;
        Call::page(&self.client, Request::list(self.path(), &query))
    }
}

impl<R: Writable> Records<R> {
    /// Creates a record and yields the stored record.
    /// `validation_failed` names the invalid field. A duplicate of a unique name or code is a
    /// `conflict`.
    pub fn create(&self, input: &R::Input) -> Call<R> {
        Call::record(&self.client, Request::post(self.path(), input))
    }

    /// Changes the given fields of a record and yields the stored record.
    /// Each [`Field`](crate::wire::Field) has three states: an absent field keeps its value, `Null`
    /// clears it, `Value` sets it. Fails as [`create`](Self::create) does, and with `not_found`.
    pub fn update(&self, id: impl Into<Id<R>>, input: &R::Input) -> Call<R> {
        Call::record(&self.client, Request::patch(self.path_of(id), input))
    }

    /// Deletes a record.
    /// When the answer to the first attempt is lost, a retry gets the stored answer. So `not_found`
    /// means: the record was gone before the call.
    pub fn delete(&self, id: impl Into<Id<R>>) -> Call<()> {
        Call::nothing(&self.client, Request::delete(self.path_of(id)))
    }
}

impl<R: Bulk> Records<R> {
    /// Writes many records with one request.
    /// A batch has up to 500 products, or up to 200 option groups, and at most 2 000 000 bytes of JSON.
    /// Items are independent: a refused item is reported in its place, and the rest are saved.
    /// [`upsert_all`](Self::upsert_all) takes any number.
    pub fn batch(
        &self,
        batch: &Batch<R::Input>,
    ) -> Call<BatchResult<<R::Input as BatchInput>::Extra>> {
        Call::record(&self.client, Request::post(self.batch_path(), batch))
    }

    pub(crate) fn batch_path(&self) -> String {
        format!("{}/batch", self.path())
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
