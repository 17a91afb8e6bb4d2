//! Batches (specification: Products, batch).

use std::fmt;

use serde::{Deserialize, Serialize, de::DeserializeOwned};
use uuid::Uuid;

use super::{ErrorDetail, ImageStatus, WriteInput, open_enum::open_enum};

open_enum! {
    /// By which field the items of a batch find the records they mean.
    MatchBy {
        /// The client's own code. The default.
        ExternalId = "externalId",
        /// The barcode; an item whose barcode several products share fails.
        Barcode = "barcode",
        /// The service's id.
        Id = "id",
    }
}

open_enum! {
    /// The outcome of one item.
    BatchStatus {
        /// A new record was made.
        Created = "created",
        /// The record was changed.
        Updated = "updated",
        /// The record was already as the item says; nothing was written.
        Unchanged = "unchanged",
        /// The item was refused and left nothing behind.
        Failed = "failed",
    }
}

/// The body of a write that can be an item of a batch.
pub trait BatchInput: WriteInput {
    /// The fields by which items can find their record; the first is the default.
    const MATCH_BY: &'static [MatchBy];

    /// The most items of a batch.
    const MAX_ITEMS: usize;

    /// The part of the result besides the counts and the items; `()` when there is none.
    type Extra: BatchExtra;

    /// The id of the record that is meant, in a batch matched by id; `None` for a kind that is not
    /// matched so.
    fn id(&self) -> Option<Uuid>;

    /// The external id that the item gives its record.
    fn external_id(&self) -> Option<&str>;
}

/// The part of the result of a batch besides the counts and the items.
pub trait BatchExtra:
    Serialize + DeserializeOwned + Clone + fmt::Debug + Default + Send + Sync + 'static
{
    /// Adds what a later part of the same work says.
    fn add(&mut self, later: Self);
}

impl BatchExtra for () {
    fn add(&mut self, (): ()) {}
}

/// The error of one item, in the shape of every error.
pub type ItemError = ErrorDetail;

/// A batch as a client sends it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "schema", schemars(rename = "{I}Batch"))]
#[serde(rename_all = "camelCase")]
pub struct Batch<I> {
    /// The field by which an item finds its record, `externalId` unless given. An item without it
    /// makes a new one. A key that several records share is a `conflict`, and an unknown `id` is
    /// `not_found`.
    pub match_by: MatchBy,
    /// `true`, the default, makes a record for an item that finds none. With `false` such an item
    /// fails with `not_found`. With `matchBy: id` an unknown id is `not_found` either way: ids are given by the
    /// service.
    pub create_missing: bool,
    /// `true` answers in full and saves nothing. No `Idempotency-Key` is remembered for it.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub dry_run: bool,
    /// Applied in this order. What an item alone gets wrong does not make the batch wrong.
    pub items: Vec<I>,
}

impl<I: BatchInput> Batch<I> {
    /// A batch with the default settings: matched by the first field of
    /// [`MATCH_BY`](BatchInput::MATCH_BY), which is `externalId` mostly, making what is missing.
    pub fn new(items: Vec<I>) -> Self {
        Self {
            match_by: I::MATCH_BY[0].clone(),
            create_missing: true,
            dry_run: false,
            items,
        }
    }
}

/// The result of a batch. The first four counts add up to the number of items.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "schema", schemars(rename = "{E}BatchResult"))]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct BatchResult<E> {
    /// Records made.
    pub created: usize,
    /// Records changed.
    pub updated: usize,
    /// Items that said what was so already.
    pub unchanged: usize,
    /// Items refused.
    pub failed: usize,
    /// Items whose result the service had stored with their request, which an earlier one with the same key has
    /// done. The counts have them too. The SDK fills this in; it is no part of the answer.
    #[serde(skip)]
    pub replayed: usize,
    /// The part that this kind of record has besides.
    #[serde(flatten)]
    pub extra: E,
    /// One entry per item, in the order of the request.
    pub results: Vec<ItemResult>,
}

/// The outcome of one item of a batch.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct ItemResult {
    /// The item's place in the request, from 0.
    pub index: usize,
    /// The outcome.
    pub status: BatchStatus,
    /// The record's id, when the item did not fail. In a dry run, that of a record which would be
    /// created is made up: no record gets it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub id: Option<Uuid>,
    /// The record's external id; of a failed item the one it was sent with.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub external_id: Option<String>,
    /// `pending` when an image was queued.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub image_status: Option<ImageStatus>,
    /// The reason why the item failed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error: Option<ItemError>,
}

impl<E> BatchResult<E> {
    /// The count of items that ended so.
    #[cfg(feature = "logic")]
    pub(crate) fn count_mut(&mut self, status: &BatchStatus) -> &mut usize {
        match status {
            BatchStatus::Created => &mut self.created,
            BatchStatus::Updated => &mut self.updated,
            BatchStatus::Unchanged => &mut self.unchanged,
            _ => &mut self.failed,
        }
    }
}

impl ItemResult {
    /// The result of the item at `index`, without anything but its status.
    pub fn new(index: usize, status: BatchStatus) -> Self {
        Self {
            index,
            status,
            id: None,
            external_id: None,
            image_status: None,
            error: None,
        }
    }
}
