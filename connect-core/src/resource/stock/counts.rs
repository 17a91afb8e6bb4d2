//! Counts: of one product, and of up to 1000 at once.

use async_trait::async_trait;
use rustc_hash::FxHashMap;

use super::{
    ledger::{Cause, Stocked},
    named::{find, read_elsewhere, read_level, read_named},
};
use crate::{
    access::Access,
    engine::{Answer, Change, Outcome},
    error::Error,
    record::{Reads, Unit},
    rules::stock::{
        Shift,
        input::{Count, Named},
    },
    wire::{
        BatchStatus, EventType, Id, MovementType, Product, Quantity, StockBatchChanged,
        StockChange, StockCount, StockCountResult, StockCountsResult, StockLevel,
        limits::MAX_EXTERNAL_ID,
        read::{CountsRequest, Invalid},
    },
};

/// A count of one product.
pub(super) struct CountOne {
    product: Id<Product>,
    count: Count,
    note: Option<String>,
}

impl CountOne {
    pub(super) fn checked(product: Id<Product>, input: StockCount) -> Result<Self, Invalid> {
        let (count, note) = Count::check(input)?;
        Ok(Self {
            product,
            count,
            note,
        })
    }
}

#[async_trait]
impl Change for CountOne {
    fn reads(&self, _: &Access, reads: &mut Reads) {
        reads.record::<Product>(self.product.uuid());
        reads.record::<StockLevel>(self.product.uuid());
    }

    async fn apply(&self, unit: &mut Unit<'_>, access: &Access) -> Result<Answer, Error> {
        let stocked = Stocked::find(unit, self.product.uuid()).await?;
        let stocked = stocked.ok_or_else(|| Error::not_found("product", self.product))?;
        let counted = count(unit, access, &stocked, &self.count, self.note.as_deref())?;
        if let Some(level) = &counted {
            unit.emit_combined(EventType::StockChanged, level.product_id.uuid(), level);
        }
        // A level that was counted as it is stays.
        Answer::with(Outcome::Done, &counted.or(stocked.level))
    }
}

/// Counts of many products.
pub(super) struct CountMany {
    items: Vec<Result<(Named, Count), Refused>>,
    note: Option<String>,
    dry_run: bool,
}

/// An item that was refused before it was tried, and the external id that it was sent with.
struct Refused {
    invalid: Invalid,
    external_id: Option<String>,
}

impl CountMany {
    pub(super) fn checked(request: CountsRequest) -> Result<Self, Invalid> {
        let request = request.check()?;
        let items = request.items.into_iter().map(|item| {
            let refused = |(invalid, external_id)| Refused {
                invalid,
                external_id,
            };
            let item = item.map_err(refused)?;
            let external_id = item.external_id.value().cloned();
            Count::check_item(item).map_err(|invalid| refused((invalid, external_id)))
        });
        Ok(Self {
            items: items.collect(),
            note: request.note,
            dry_run: request.dry_run,
        })
    }

    fn products(&self) -> impl Iterator<Item = &Named> {
        self.items.iter().flatten().map(|(product, _)| product)
    }

    /// Counts the product of one item. Returns it as it was, and its level if that changed.
    async fn count_item(
        &self,
        unit: &mut Unit<'_>,
        access: &Access,
        item: &Result<(Named, Count), Refused>,
    ) -> Result<Counted, Failed> {
        let (product, wanted) = match item {
            Ok(item) => item,
            Err(refused) => return Err(Failed::of(refused.invalid.clone().into())),
        };
        let found = find(unit, access, product).await.map_err(Failed::of)?;
        let stocked = found.map_err(|nowhere| Failed::of(nowhere.of_item()))?;
        let counted = count(unit, access, &stocked, wanted, self.note.as_deref());
        match counted {
            Ok(level) => Ok(Counted { stocked, level }),
            Err(error) => Err(Failed {
                error,
                product: Some(stocked.product),
            }),
        }
    }
}

/// An item that did not fail.
struct Counted {
    stocked: Stocked,
    /// The level, if it changed.
    level: Option<StockLevel>,
}

/// An item that failed.
struct Failed {
    error: Error,
    product: Option<Product>,
}

impl Failed {
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

    fn more_reads(&self, access: &Access, unit: &Unit<'_>, reads: &mut Reads) {
        for product in self.products() {
            read_level(product, unit, reads);
        }
        read_elsewhere(self.products(), access, unit, reads);
    }

    async fn apply(&self, unit: &mut Unit<'_>, access: &Access) -> Result<Answer, Error> {
        let mut outcome = StockCountsResult::default();
        outcome.results.reserve(self.items.len());
        let mut changes: Vec<StockChange> = Vec::new();
        let mut places = FxHashMap::<Id<Product>, usize>::default();
        for (index, item) in self.items.iter().enumerate() {
            if index % 200 == 199 {
                // Others want the thread too.
                tokio::task::yield_now().await;
            }
            let result = match self.count_item(unit, access, item).await {
                Ok(Counted { stocked, level }) => {
                    let (product, before) = (&stocked.product, stocked.quantity());
                    let status = match &level {
                        Some(_) => BatchStatus::Updated,
                        None => BatchStatus::Unchanged,
                    };
                    let quantity = level.map(|level| level.quantity);
                    if let Some(quantity) = quantity {
                        outcome.updated += 1;
                        let place = *places.entry(product.id).or_insert(changes.len());
                        let change = StockChange {
                            product_id: product.id,
                            quantity,
                        };
                        match changes.get_mut(place) {
                            Some(earlier) => *earlier = change,
                            None => changes.push(change),
                        }
                    } else {
                        outcome.unchanged += 1;
                    }
                    StockCountResult {
                        index,
                        status,
                        product_id: Some(product.id),
                        external_id: product.external_id.clone(),
                        quantity: quantity.or(before),
                        error: None,
                    }
                }
                // A fault of ours is not the item's: the whole request may be repeated.
                Err(Failed {
                    error: error @ Error::Internal(_),
                    ..
                }) => return Err(error),
                Err(Failed { error, product }) => {
                    outcome.failed += 1;
                    failed(index, item, product, &error)
                }
            };
            outcome.results.push(result);
        }
        if !changes.is_empty() {
            let changed = StockBatchChanged {
                reason: "count".to_owned(),
                items: changes,
            };
            unit.emit(EventType::StockBatchChanged, changed);
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

fn failed(
    index: usize,
    item: &Result<(Named, Count), Refused>,
    product: Option<Product>,
    error: &Error,
) -> StockCountResult {
    let sent = match item {
        Ok((product, _)) => product.external_id().map(str::to_owned),
        Err(refused) => refused.external_id.clone(),
    };
    // What no product can have is not sent back: it may be as long as the request.
    let sent = sent.filter(|text| text.chars().count() <= MAX_EXTERNAL_ID);
    let (product_id, own) = product.map(|found| (found.id, found.external_id)).unzip();
    StockCountResult {
        index,
        status: BatchStatus::Failed,
        product_id,
        external_id: sent.or(own.flatten()),
        quantity: None,
        error: Some(error.detail()),
    }
}

/// Counts the stock of a product, without an event. `None` when it is as it was counted.
fn count(
    unit: &mut Unit<'_>,
    access: &Access,
    stocked: &Stocked,
    wanted: &Count,
    note: Option<&str>,
) -> Result<Option<StockLevel>, Error> {
    let before = stocked.quantity();
    if let Some(expected) = wanted.expected
        && before != Some(expected)
    {
        return Err(unexpected(expected, before));
    }
    if before == Some(wanted.quantity) {
        return Ok(None);
    }
    let shift = Shift::to(before.unwrap_or_default(), wanted.quantity);
    let cause = Cause {
        kind: MovementType::Count,
        note,
        transaction_id: None,
    };
    let (level, _) = stocked.shift(unit, access, shift, &cause);
    Ok(Some(level))
}

fn unexpected(expected: Quantity, before: Option<Quantity>) -> Error {
    let problem = match before {
        Some(before) => format!("the stock is {before}, not {expected}; read it and count again"),
        None => format!(
            "the product is not tracked yet, so its stock is not {expected}; leave \
             expectedQuantity out to count it for the first time"
        ),
    };
    Error::conflict("expectedQuantity", problem)
}
