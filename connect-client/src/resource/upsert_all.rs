//! Writing any number of records.

use std::borrow::Borrow;

use http::Method;
use serde::Serialize;

use super::{
    Bulk, LongBatch, Records,
    long_batch::{BatchBody, Sealed},
};
use crate::wire::{Batch, BatchInput, BatchResult, MatchBy};

impl<R: Bulk> Records<R> {
    /// Writes any number of records, in as few requests as possible.
    /// Each request takes at most 500 products or 200 option groups, and 2 000 000 bytes of JSON.
    /// Requests go one after the other, so the later of two items for one record wins. Items are taken
    /// from the iterator and serialized as they are sent.
    ///
    /// An item larger than one request is not sent. It is reported as failed with `payload_too_large`,
    /// like any other refused item.
    ///
    /// ```no_run
    /// # use connect_client::{Client, Error, wire::{Id, Location, ProductInput}};
    /// # async fn example(client: Client, location: Id<Location>, menu: Vec<ProductInput>)
    /// # -> Result<(), Error> {
    /// let products = client.location(location).products();
    /// let total = products
    ///     .upsert_all(&menu)
    ///     .run_with(|step| eprintln!("{} of {}", step.items.end, menu.len()))
    ///     .await?;
    /// println!("{} created, {} failed, {} of them before", total.created, total.failed, total.replayed);
    /// # Ok(()) }
    /// ```
    pub fn upsert_all<I>(&self, items: I) -> LongBatch<Batch<R::Input>, I::IntoIter>
    where
        I: IntoIterator<Item: Borrow<R::Input>>,
    {
        let body = Batch::new(Vec::new());
        LongBatch::new(&self.client, self.batch_path(), body, items.into_iter())
    }
}

impl<T: BatchInput + Serialize, I> LongBatch<Batch<T>, I> {
    /// Sets the field for matching items to records.
    /// `externalId` unless set.
    pub fn match_by(mut self, field: MatchBy) -> Self {
        self.body.match_by = field;
        self
    }

    /// Sets whether an item without a matching record creates one.
    /// `true` unless set. If not, the item fails with `not_found`. Matched [by id](Self::match_by), an
    /// unknown id is `not_found` either way.
    pub fn create_missing(mut self, create: bool) -> Self {
        self.body.create_missing = create;
        self
    }
}

impl<T: BatchInput + Serialize> BatchBody for Batch<T> {
    type Item = T;
    type Outcome = BatchResult<T::Extra>;

    fn external_id(item: &T) -> Option<&str> {
        item.external_id()
    }
}

impl<T: BatchInput + Serialize> Sealed for Batch<T> {
    const METHOD: Method = Method::POST;
    const MAX_ITEMS: usize = T::MAX_ITEMS;

    fn set_dry_run(&mut self, dry: bool) {
        self.dry_run = dry;
    }
}
