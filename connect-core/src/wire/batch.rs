//! Batches (specification: Products, batch).

use std::fmt;

use serde::{Deserialize, Serialize, de::DeserializeOwned};
use uuid::Uuid;

use super::{ErrorDetail, ImageStatus, WriteInput, open_enum::open_enum};

open_enum! {
    /// The field by which items of a batch find their records.
    MatchBy {
        /// The client's own code. The default.
        ExternalId = "externalId",
        /// The barcode. An item fails if several products share its barcode.
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
        /// The item was refused; nothing was written.
        Failed = "failed",
    }
}

/// The body of a write, usable as an item of a batch.
pub trait BatchInput: WriteInput {
    /// The fields for finding a record; the first is the default.
    const MATCH_BY: &'static [MatchBy];

    /// The most items of a batch.
    const MAX_ITEMS: usize;

    /// The part of the result besides counts and items, or `()`.
    type Extra: BatchExtra;

    /// The id of the record, in a batch matched by id.
    /// `None` for a kind without this match.
    fn id(&self) -> Option<Uuid>;

    /// The external id given to the record by the item.
    fn external_id(&self) -> Option<&str>;
}

/// The part of the result of a batch besides the counts and the items.
pub trait BatchExtra:
    Serialize + DeserializeOwned + Clone + fmt::Debug + Default + Send + Sync + 'static
{
    /// Adds the result of a later part of the same work.
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
    /// The field by which items find their record; `externalId` unless given.
    /// An item without this field creates a record. A key shared by several records is a
    /// `conflict`, and an unknown `id` is `not_found`.
    pub match_by: MatchBy,
    /// `true`, the default, creates a record for an item without a match.
    /// With `false`, such an item fails with `not_found`. With `matchBy: id`, an unknown id is
    /// always `not_found`: only the service assigns ids.
    pub create_missing: bool,
    /// `true` answers in full and saves nothing.
    /// No `Idempotency-Key` is remembered for it.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub dry_run: bool,
    /// The items, applied in this order.
    /// A fault in one item does not affect the rest.
    pub items: Vec<I>,
}

impl<I: BatchInput> Batch<I> {
    /// A batch with the default settings.
    /// Items match by the first field of [`MATCH_BY`](BatchInput::MATCH_BY), mostly `externalId`,
    /// and missing records are created.
    pub fn new(items: Vec<I>) -> Self {
        Self {
            match_by: I::MATCH_BY[0].clone(),
            create_missing: true,
            dry_run: false,
            items,
        }
    }
}

/// The result of a batch.
/// The first four counts add up to the number of items.
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
    /// Items with no change to make.
    pub unchanged: usize,
    /// Items refused.
    pub failed: usize,
    /// Items done by an earlier request with the same key.
    /// The service had stored their results, and the counts include them. The SDK fills this in; it
    /// is not part of the answer.
    #[serde(skip)]
    pub replayed: usize,
    /// The additional part for this kind of record.
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
    /// The record's id, unless the item failed.
    /// In a dry run, a record to be created has a made-up id: no record gets it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub id: Option<Uuid>,
    /// The record's external id; for a failed item, as it was sent.
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
    /// The count of items with this outcome.
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
    /// The result of the item at `index`, with its status only.
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
