//! Batches of products (specification: Products, batch).
//!
//! A batch means: apply the items in the order of the request, each as if it were alone, all in
//! one commit. A failed item leaves nothing behind; a later item sees what an earlier one did.

use std::collections::{HashMap, HashSet};

use async_trait::async_trait;
use uuid::Uuid;

use super::{
    Access, Answer, Connect, Failure, FailureKind, Outcome, Request, categories,
    images::{self, ImageEffect},
    products::{self, Written},
    write_queue::Change,
};
use crate::{
    record::{
        MOST_HOLDERS, Reads, Unit,
        keys::{Family, Part, key},
    },
    rules::product as rules,
    storage::Key,
    wire::{
        BatchStatus, EventType, ImageStatus, ItemResult, MatchBy, Product, ProductBatchResult,
        ProductInput, ProductsWritten,
        read::{BatchRequest, Invalid},
    },
};

impl Connect {
    /// Creates and updates up to 500 products. Items that fail do not spoil the others; the
    /// answer says what became of each.
    ///
    /// # Errors
    /// The batch as a whole is malformed or invalid.
    pub async fn write_products(
        &self,
        at: &Access,
        request: Request<BatchRequest<ProductInput>>,
    ) -> Result<Answer, Failure> {
        self.write(at, request, |batch| Ok(Box::new(Batch::checked(batch))))
            .await
    }
}

/// A batch whose items are checked as far as they can be without the state.
struct Batch {
    match_by: MatchBy,
    create_missing: bool,
    dry_run: bool,
    items: Vec<Result<ProductInput, Refused>>,
}

/// An item that was refused before it was tried.
struct Refused {
    invalid: Invalid,
    external_id: Option<String>,
}

impl Batch {
    fn checked(batch: BatchRequest<ProductInput>) -> Self {
        let check = |(index, item): (usize, Result<ProductInput, (Invalid, Option<String>)>)| {
            let item = item.map_err(|(invalid, external_id)| Refused {
                invalid,
                external_id,
            })?;
            let external_id = item.external_id.value().cloned();
            rules::check(item).map_err(|invalid| {
                let invalid = invalid.within(&path(index));
                Refused {
                    invalid,
                    external_id,
                }
            })
        };
        Self {
            match_by: batch.match_by,
            create_missing: batch.create_missing,
            dry_run: batch.dry_run,
            items: batch.items.into_iter().enumerate().map(check).collect(),
        }
    }

    /// The product that an item means, as far as that is known without looking it up.
    fn known_id(&self, unit: &Unit<'_>, item: &ProductInput) -> Option<Uuid> {
        let partition = unit.partition();
        match self.match_by {
            MatchBy::Id => item.id.value().copied(),
            MatchBy::Barcode => {
                let barcode = barcode_prefix(partition, item.barcode.value()?);
                unit.known_holder(&barcode)
            }
            _ => {
                let external_id = Part::Text(item.external_id.value()?);
                let entry = key(partition, Family::ProductByExternalId, &[external_id]);
                Uuid::from_slice(&unit.known(&entry)??).ok()
            }
        }
    }

    /// The product that an item means, if there is one.
    async fn find(
        &self,
        unit: &mut Unit<'_>,
        item: &ProductInput,
    ) -> Result<Option<Product>, Failure> {
        let id = match self.match_by {
            MatchBy::Id => {
                let Some(id) = item.id.value() else {
                    return Ok(None);
                };
                let found = unit.find(*id).await?;
                let unknown = || {
                    let message = format!("id: there is no product {id} at this location");
                    Failure::new(FailureKind::NotFound, message)
                };
                return found.map(Some).ok_or_else(unknown);
            }
            MatchBy::Barcode => match item.barcode.value() {
                Some(barcode) => only_with_barcode(unit, barcode).await?,
                None => None,
            },
            _ => match item.external_id.value() {
                Some(external_id) => {
                    unit.find_unique(Family::ProductByExternalId, external_id)
                        .await?
                }
                None => None,
            },
        };
        match id {
            Some(id) => Ok(unit.find(id).await?),
            None => Ok(None),
        }
    }

    async fn write_item(
        &self,
        unit: &mut Unit<'_>,
        at: &Access,
        item: &ProductInput,
    ) -> Result<(BatchStatus, Written), Failure> {
        if let Some(old) = self.find(unit, item).await? {
            let written = products::update(unit, at, old, item).await?;
            let status = if written.is_changed {
                BatchStatus::Updated
            } else {
                BatchStatus::Unchanged
            };
            return Ok((status, written));
        }
        if !self.create_missing {
            let key = self.match_by.as_str();
            let message = format!("{key}: matches no product, and createMissing is false");
            return Err(Failure::new(FailureKind::NotFound, message));
        }
        Ok((
            BatchStatus::Created,
            products::create(unit, at, item).await?,
        ))
    }
}

#[async_trait]
impl Change for Batch {
    fn reads(&self, _: &Access, reads: &mut Reads) {
        // Items of a batch mostly share a few categories.
        let mut names = HashSet::new();
        for item in self.items.iter().flatten() {
            match self.match_by {
                MatchBy::Id => {
                    if let Some(id) = item.id.value() {
                        reads.record::<Product>(*id);
                    }
                }
                MatchBy::Barcode => {
                    if let Some(barcode) = item.barcode.value() {
                        let family = Family::ProductByBarcode;
                        reads.holders::<Product>(family, barcode, MOST_HOLDERS);
                    }
                }
                _ => {
                    if let Some(external_id) = item.external_id.value() {
                        reads.unique::<Product>(Family::ProductByExternalId, external_id);
                    }
                }
            }
            if self.match_by != MatchBy::ExternalId {
                products::reads_of_external_id(item, reads);
            }
            products::reads_of_category_id(item, reads);
            if let Some(name) = item.category_name.value()
                && names.insert(name)
            {
                categories::reads_of_name(&item.category_name, reads);
            }
        }
    }

    fn more_reads(&self, at: &Access, unit: &Unit<'_>, reads: &mut Reads) {
        for item in self.items.iter().flatten() {
            if !item.image_url.is_absent()
                && let Some(product) = self.known_id(unit, item)
            {
                images::reads(unit.partition(), product, reads);
            }
        }
        products::more_reads_of(self.items.iter().flatten(), at, unit, reads);
    }

    async fn apply(&self, unit: &mut Unit<'_>, at: &Access) -> Result<Answer, Failure> {
        let mut outcome = ProductBatchResult::default();
        outcome.results.reserve(self.items.len());
        let mut ids = Vec::new();
        let mut listed = HashSet::new();
        // The results of the items whose downloads are queued, by product.
        let mut queued: HashMap<Uuid, usize> = HashMap::new();
        for (index, item) in self.items.iter().enumerate() {
            unit.savepoint();
            let written = match item {
                Ok(item) => self.write_item(unit, at, item).await,
                Err(refused) => Err(refused.invalid.clone().into()),
            };
            let result = match written {
                Ok((status, written)) => {
                    unit.release();
                    let id = written.product.id;
                    if written.is_changed && listed.insert(id) {
                        ids.push(id);
                    }
                    // A later item may take back the download that an earlier one queued.
                    let before = match written.image {
                        ImageEffect::None => None,
                        ImageEffect::Queued => queued.insert(id, index),
                        ImageEffect::Cancelled => queued.remove(&id),
                    };
                    if let Some(before) = before {
                        outcome.results[before].image_status = None;
                    }
                    saved(index, status, written)
                }
                // A fault of ours is not the item's: the whole batch may be repeated.
                Err(failure) if failure.kind == FailureKind::Server => {
                    unit.rollback();
                    return Err(failure);
                }
                Err(failure) => {
                    unit.rollback();
                    failed(index, item, failure)
                }
            };
            match result.status {
                BatchStatus::Created => outcome.created += 1,
                BatchStatus::Updated => outcome.updated += 1,
                BatchStatus::Unchanged => outcome.unchanged += 1,
                _ => outcome.failed += 1,
            }
            outcome.results.push(result);
        }
        outcome.images_queued = queued.len();
        if !ids.is_empty() {
            let (created, updated) = (outcome.created, outcome.updated);
            unit.emit(
                EventType::ProductsChanged,
                ProductsWritten {
                    ids,
                    created,
                    updated,
                },
            );
        }
        Answer::with(Outcome::Done, &outcome)
    }

    fn weight(&self) -> usize {
        self.items.len()
    }

    fn is_dry_run(&self) -> bool {
        self.dry_run
    }
}

fn path(index: usize) -> String {
    format!("items[{index}]")
}

fn saved(index: usize, status: BatchStatus, written: Written) -> ItemResult {
    ItemResult {
        index,
        status,
        id: Some(written.product.id),
        external_id: written.product.external_id,
        image_status: (written.image == ImageEffect::Queued).then_some(ImageStatus::Pending),
        error: None,
    }
}

fn failed(index: usize, item: &Result<ProductInput, Refused>, failure: Failure) -> ItemResult {
    let external_id = match item {
        Ok(item) => item.external_id.value().cloned(),
        Err(refused) => refused.external_id.clone(),
    };
    let mut error = failure.detail();
    // What the checks of a single write say names the field; here it stands in an item.
    if item.is_ok() {
        error.message = format!("{}.{}", path(index), error.message);
    }
    ItemResult {
        index,
        status: BatchStatus::Failed,
        id: None,
        external_id,
        image_status: None,
        error: Some(error),
    }
}

/// The id of the one product with this barcode. Several with the same are a conflict: which one
/// is meant cannot be told.
async fn only_with_barcode(unit: &mut Unit<'_>, barcode: &str) -> Result<Option<Uuid>, Failure> {
    let prefix = barcode_prefix(unit.partition(), barcode);
    match unit.two_holders(&prefix).await?[..] {
        [] => Ok(None),
        [holder] => Ok(Some(holder)),
        _ => Err(Failure::conflict(format!(
            "barcode: several products have \"{barcode}\"; match them by id or externalId"
        ))),
    }
}

/// What the index entries of a barcode start with.
fn barcode_prefix(partition: Uuid, barcode: &str) -> Key {
    key(partition, Family::ProductByBarcode, &[Part::Text(barcode)])
}
