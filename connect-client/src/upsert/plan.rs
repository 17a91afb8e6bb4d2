//! A batch of any length: what it is to do, and how far it has come.

use std::{borrow::Borrow, fmt, ops::Range};

use bytes::Bytes;

use super::chunk::{Cutter, Limits};
use crate::{
    Bulk, IdempotencyKey, Records,
    call::{CallOptions, settings},
    wire::{Batch, BatchInput, MatchBy, limits::MAX_BODY_BYTES},
};

impl<R: Bulk> Records<R> {
    /// Writes any number of records, in as few requests as the service's limits allow (500
    /// products and 2 000 000 bytes of JSON each), one after the other, so that of two items for
    /// one record the later wins. Items are taken and written down as they are sent.
    ///
    /// An item that alone is larger than a request can be is not sent; it is in the results as
    /// failed with `payload_too_large`, like any other item that the service refuses.
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
    /// println!("{} created, {} failed", total.created, total.failed);
    /// # Ok(()) }
    /// ```
    pub fn upsert_all<I>(&self, items: I) -> Upsert<R, I::IntoIter>
    where
        I: IntoIterator<Item: Borrow<R::Input>>,
    {
        let limits = Limits {
            items: R::Input::MAX_ITEMS,
            bytes: MAX_BODY_BYTES,
        };
        Upsert {
            records: self.clone(),
            settings: Batch::new(Vec::new()),
            cutter: Cutter::new(items.into_iter(), limits),
            outstanding: None,
            key_prefix: None,
            options: CallOptions::default(),
        }
    }
}

/// A batch of any length; see [`Records::upsert_all`].
#[must_use = "nothing is sent until it is run"]
pub struct Upsert<R: Bulk, I> {
    pub(super) records: Records<R>,
    pub(super) settings: Batch<R::Input>,
    pub(super) cutter: Cutter<I>,
    /// The request that is under way or has failed.
    pub(super) outstanding: Option<Outstanding>,
    /// The beginning of the requests' keys; random keys without one.
    pub(super) key_prefix: Option<String>,
    /// The settings of each request.
    pub(super) options: CallOptions,
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

impl<R: Bulk, I> Upsert<R, I> {
    settings!("each request", options);

    /// Sets the field by which items find their record. `externalId` unless set.
    pub fn match_by(mut self, field: MatchBy) -> Self {
        self.settings.match_by = field;
        self
    }

    /// Sets whether an item that finds no record makes one. `true` unless set; if not, it fails
    /// with `not_found`.
    pub fn create_missing(mut self, create: bool) -> Self {
        self.settings.create_missing = create;
        self
    }

    /// Gives each request a key that begins with this text and ends with the index of the request's
    /// first item (`import-17-500`), instead of a random one. A program that is started again, and
    /// sends the same items with the same settings within 24 hours, then gets the stored results of
    /// what was saved before; other items under the same keys are a `conflict`.
    ///
    /// At most 79 visible ASCII characters; with another prefix, sending fails with a
    /// [`RequestError`](crate::RequestError).
    pub fn idempotency_key_prefix(mut self, prefix: impl Into<String>) -> Self {
        self.key_prefix = Some(prefix.into());
        self
    }

    /// Sets whether to do all but save. Each request is then tried against the present state,
    /// without what the requests before it would have saved.
    pub fn dry_run(mut self, dry: bool) -> Self {
        self.settings.dry_run = dry;
        self
    }
}

impl<R: Bulk, I> fmt::Debug for Upsert<R, I> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Upsert")
            .field("records", &self.records)
            .field("position", &self.cutter.position())
            .finish_non_exhaustive()
    }
}
