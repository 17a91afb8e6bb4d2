//! A batch of any length: what it is to do, and how far it has come.

use std::{borrow::Borrow, fmt, ops::Range};

use bytes::Bytes;

use super::chunk::{Cutter, Limits};
use crate::{
    IdempotencyKey, Records,
    wire::{MatchBy, Product, ProductBatch, ProductInput, limits},
};

/// What the service takes in one request.
const LIMITS: Limits = Limits {
    items: limits::MAX_PRODUCTS_PER_BATCH,
    bytes: limits::MAX_BODY_BYTES,
};

impl Records<Product> {
    /// Writes any number of products, in as few requests as the service's limits allow (500
    /// products and 2 000 000 bytes of JSON each), one after the other, so that of two items for
    /// one product the later wins. Items are taken and written down as they are sent.
    ///
    /// An item that alone is larger than a request can be is not sent; it is in the results as
    /// failed with `payload_too_large`, like any other item that the service refuses.
    ///
    /// ```no_run
    /// # use connect_client::{Client, UpsertError, Uuid, wire::ProductInput};
    /// # async fn example(client: Client, location: Uuid, menu: Vec<ProductInput>)
    /// # -> Result<(), UpsertError> {
    /// let products = client.location(location).products();
    /// let total = products
    ///     .upsert_all(&menu)
    ///     .run_with(|step| eprintln!("{} of {}", step.items.end, menu.len()))
    ///     .await?;
    /// println!("{} created, {} failed", total.created, total.failed);
    /// # Ok(()) }
    /// ```
    pub fn upsert_all<I>(&self, items: I) -> Upsert<I::IntoIter>
    where
        I: IntoIterator<Item: Borrow<ProductInput>>,
    {
        Upsert {
            products: self.clone(),
            settings: ProductBatch::new(Vec::new()),
            cutter: Cutter::new(items.into_iter(), LIMITS),
            outstanding: None,
        }
    }
}

/// A batch of any length; see [`Records::upsert_all`].
#[must_use = "nothing is sent until it is run"]
pub struct Upsert<I> {
    pub(super) products: Records<Product>,
    pub(super) settings: ProductBatch,
    pub(super) cutter: Cutter<I>,
    /// The request that is under way or has failed.
    pub(super) outstanding: Option<Outstanding>,
}

/// A request that is under way or has failed.
#[derive(Clone)]
pub(super) struct Outstanding {
    pub(super) items: Range<usize>,
    pub(super) json: Bytes,
    pub(super) key: IdempotencyKey,
    /// It was sent, and may have been applied.
    pub(super) may_be_applied: bool,
}

impl<I> Upsert<I>
where
    I: Iterator<Item: Borrow<ProductInput>>,
{
    /// By which field items find their product. `externalId` unless set.
    pub fn match_by(mut self, field: MatchBy) -> Self {
        self.settings.match_by = field;
        self
    }

    /// Sets whether an item that finds no product makes one. `true` unless set; if not, it fails
    /// with `not_found`.
    pub fn create_missing(mut self, create: bool) -> Self {
        self.settings.create_missing = create;
        self
    }

    /// Sets whether to do all but save. Each request is then tried against the present state,
    /// without what the requests before it would have saved.
    pub fn dry_run(mut self, dry: bool) -> Self {
        self.settings.dry_run = dry;
        self
    }
}

impl<I> fmt::Debug for Upsert<I> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Upsert")
            .field("products", &self.products)
            .field("position", &self.cutter.position())
            .finish_non_exhaustive()
    }
}
