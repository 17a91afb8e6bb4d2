//! Counting the stock of any number of products.

use std::{borrow::Borrow, ops::Not};

use http::Method;
use serde::Serialize;

use super::{
    LongBatch, Records,
    long_batch::{BatchBody, Sealed},
};
use crate::wire::{StockCountItem, StockCountsResult, StockLevel, limits::MAX_STOCK_COUNTS};

impl Records<StockLevel> {
    /// Counts any number of products, in as few requests as possible.
    /// Each request takes at most 1000 products. Requests go one after the other. Items are taken from
    /// the iterator and serialized as they are sent.
    ///
    /// When a request fails and [may have been saved](crate::resource::BatchError::may_be_saved),
    /// repeat it unchanged and with the same key. Under a new key its products would be counted anew,
    /// undoing later sales. [`next`](LongBatch::next) repeats it correctly, and so does a restarted
    /// program with the same [prefix](LongBatch::idempotency_key_prefix).
    ///
    /// ```no_run
    /// # use connect_client::{Client, Error, wire::{Id, Location, StockCountItem}};
    /// # async fn example(client: Client, location: Id<Location>, items: Vec<StockCountItem>)
    /// # -> Result<(), Error> {
    /// let total = client
    ///     .location(location)
    ///     .stock()
    ///     .count_all(&items)
    ///     .note("Stocktaking")
    ///     .idempotency_key_prefix("stocktaking-2026-11-22")
    ///     .run_with(|step| eprintln!("{} of {}", step.items.end, items.len()))
    ///     .await?;
    /// println!("{} changed, {} failed", total.updated, total.failed);
    /// # Ok(()) }
    /// ```
    pub fn count_all<I>(&self, items: I) -> LongBatch<Counts, I::IntoIter>
    where
        I: IntoIterator<Item: Borrow<StockCountItem>>,
    {
        LongBatch::new(
            &self.client,
            self.path(),
            Counts::default(),
            items.into_iter(),
        )
    }
}

impl<I> LongBatch<Counts, I> {
    /// Sets a note for people, at most 500 characters.
    /// Every movement of the count carries it.
    pub fn note(mut self, note: impl Into<String>) -> Self {
        self.body.note = Some(note.into());
        self
    }
}

/// Shared fields of all requests of a long count.
/// See [`count_all`](Records::count_all).
#[derive(Debug, Default, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Counts {
    #[serde(skip_serializing_if = "Option::is_none")]
    note: Option<String>,
    #[serde(skip_serializing_if = "Not::not")]
    dry_run: bool,
    /// The place of the items, at the end.
    items: [StockCountItem; 0],
}

impl BatchBody for Counts {
    type Item = StockCountItem;
    type Outcome = StockCountsResult;

    fn external_id(item: &StockCountItem) -> Option<&str> {
        item.external_id.value().map(String::as_str)
    }
}

impl Sealed for Counts {
    const METHOD: Method = Method::PUT;
    const MAX_ITEMS: usize = MAX_STOCK_COUNTS;

    fn set_dry_run(&mut self, dry: bool) {
        self.dry_run = dry;
    }
}
