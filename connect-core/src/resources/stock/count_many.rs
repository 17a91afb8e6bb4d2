//! Counts of up to 1000 products with one request.

use async_trait::async_trait;
use indexmap::IndexMap;
use rustc_hash::FxBuildHasher;

use super::{
    counts::count,
    ledger::Stocked,
    named::{Nowhere, find, read_elsewhere, read_level, read_named},
};
use crate::{
    auth::Access,
    engine::{Answer, Change, ItemErrors, Outcome, Room, check_bytes, yield_periodically},
    rules::stock::input::{CountedProduct, NamedProduct},
    transaction::{Error, Reads, UnitOfWork},
    wire::{
        BatchStatus, ErrorDetail, EventType, Id, Product, Quantity, StockBatchChanged, StockChange,
        StockCountResult, StockCountsResult, StockLevel,
        limits::MAX_EXTERNAL_ID,
        read::{CountsRequest, Faults, Invalid},
    },
};

/// Counts of many products.
pub(super) struct CountMany {
    items: Vec<Result<(NamedProduct, CountedProduct), RefusedCount>>,
    note: Option<String>,
    dry_run: bool,
}

/// An item refused before its count, with the external id as sent.
struct RefusedCount {
    invalid: Invalid,
    external_id: Option<String>,
}

impl CountMany {
    pub(super) fn checked(request: CountsRequest) -> Result<Self, Invalid> {
        let request = request.check()?;
        let items = request.items.into_iter().map(|item| {
            let refused = |(invalid, external_id)| RefusedCount {
                invalid,
                external_id,
            };
            let mut item = item.map_err(refused)?;
            let external_id = item.external_id.value().cloned();
            Faults::check_new(&mut item)
                .and_then(|()| CountedProduct::of_item(item))
                .map_err(|invalid| refused((invalid, external_id)))
        });
        Ok(Self {
            items: items.collect(),
            note: request.note,
            dry_run: request.dry_run,
        })
    }

    fn products(&self) -> impl Iterator<Item = &NamedProduct> {
        self.items.iter().flatten().map(|(product, _)| product)
    }

    /// Counts the product of one item.
    /// Returns the product as it was, and its level if that changed.
    async fn count_item(
        &self,
        unit: &mut UnitOfWork<'_>,
        access: &Access,
        item: &Result<(NamedProduct, CountedProduct), RefusedCount>,
    ) -> Result<CountedItem, FailedItem> {
        let (product, wanted) = match item {
            Ok(item) => item,
            Err(refused) => return Err(FailedItem::of(refused.invalid.clone().into())),
        };
        let found = find(unit, product).await.map_err(FailedItem::of)?;
        let stocked =
            found.ok_or_else(|| FailedItem::of(Nowhere::of(unit, access, product).of_item()))?;
        unit.savepoint();
        let before = unit.account_bytes();
        let counted = count(unit, access, &stocked, wanted, self.note.as_deref());
        match counted.and_then(|level| check_bytes(unit, access, before).map(|()| level)) {
            Ok(level) => {
                unit.release();
                Ok(CountedItem { stocked, level })
            }
            Err(error) => {
                unit.rollback();
                Err(FailedItem {
                    error,
                    product: Some(stocked.product),
                })
            }
        }
    }
}

/// An item without a failure.
struct CountedItem {
    stocked: Stocked,
    /// The level, if it changed.
    level: Option<StockLevel>,
}

/// A failed item.
struct FailedItem {
    error: Error,
    product: Option<Product>,
}

impl FailedItem {
    fn of(error: Error) -> Self {
        Self {
            error,
            product: None,
        }
    }
}

#[async_trait]
impl Change for CountMany {
    fn reads(&self, _: &Access, reads: &mut Reads) {
        for product in self.products() {
            read_named(product, reads);
        }
    }

    fn more_reads(&self, access: &Access, unit: &UnitOfWork<'_>, reads: &mut Reads) {
        for product in self.products() {
            read_level(product, unit, reads);
        }
        read_elsewhere(self.products(), access, unit, reads);
    }

    async fn apply(&self, unit: &mut UnitOfWork<'_>, access: &Access) -> Result<Answer, Error> {
        let mut outcome = StockCountsResult::default();
        outcome.results.reserve(self.items.len());
        let mut errors = ItemErrors::new();
        let mut changed = IndexMap::<Id<Product>, Quantity, FxBuildHasher>::default();
        for (index, item) in self.items.iter().enumerate() {
            yield_periodically(index).await;
            let result = match self.count_item(unit, access, item).await {
                Ok(CountedItem { stocked, level }) => {
                    let Stocked {
                        product,
                        level: before,
                    } = stocked;
                    let status = match &level {
                        Some(level) => {
                            changed.insert(product.id, level.quantity);
                            BatchStatus::Updated
                        }
                        None => BatchStatus::Unchanged,
                    };
                    StockCountResult {
                        index,
                        status,
                        product_id: Some(product.id),
                        external_id: product.external_id,
                        quantity: level.or(before).map(|level| level.quantity),
                        error: None,
                    }
                }
                // An internal error is not the item's: the whole request may be repeated.
                Err(FailedItem {
                    error: error @ Error::Internal(_),
                    ..
                }) => return Err(error),
                Err(FailedItem { error, product }) => {
                    failed(index, item, product, errors.of(&error))
                }
            };
            match result.status {
                BatchStatus::Updated => outcome.updated += 1,
                BatchStatus::Unchanged => outcome.unchanged += 1,
                _ => outcome.failed += 1,
            }
            outcome.results.push(result);
        }
        if !changed.is_empty() {
            let changes = changed
                .into_iter()
                .map(|(product_id, quantity)| StockChange {
                    product_id,
                    quantity,
                });
            let changed = StockBatchChanged {
                reason: "count".to_owned(),
                items: changes.collect(),
            };
            unit.emit(EventType::StockBatchChanged, changed);
        }
        Answer::with(Outcome::Done, &outcome)
    }

    fn weight(&self) -> usize {
        self.items.len()
    }

    fn room(&self) -> Room {
        Room::EachItem
    }

    fn is_dry_run(&self) -> bool {
        self.dry_run
    }
}

fn failed(
    index: usize,
    item: &Result<(NamedProduct, CountedProduct), RefusedCount>,
    product: Option<Product>,
    error: ErrorDetail,
) -> StockCountResult {
    let sent = match item {
        Ok((product, _)) => product.external_id().map(str::to_owned),
        Err(refused) => refused.external_id.clone(),
    };
    // An id too long for any product is not sent back: it may be as long as the request.
    let sent = sent.filter(|text| text.chars().count() <= MAX_EXTERNAL_ID);
    let (product_id, own) = product.map(|found| (found.id, found.external_id)).unzip();
    StockCountResult {
        index,
        status: BatchStatus::Failed,
        product_id,
        external_id: sent.or(own.flatten()),
        quantity: None,
        error: Some(error),
    }
}
