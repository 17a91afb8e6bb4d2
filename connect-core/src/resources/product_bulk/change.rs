//! Changing and deleting many products in one commit, with one event.

use std::collections::HashMap;

use async_trait::async_trait;
use serde::{Deserialize, Serialize};
use uuid::Uuid;

use super::{
    super::products,
    caller::{check_owner, checked},
    former::BulkBefore,
    head::BulkHead,
};
use crate::{
    auth::Access,
    engine::{
        self, Answer, Change, Draft, ItemErrors, Outcome, Purpose, Records, Request, Resource,
        Room, Write, yield_periodically,
    },
    rules::price_change::PriceChange,
    transaction::{Error, Reads, Reason, UnitOfWork},
    wire::{ErrorDetail, Id, Product, ProductInput, read::Invalid},
};

/// The result of a bulk change.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ProductBulkResult {
    /// The number of products changed or deleted.
    pub affected: usize,
    /// The number of products already in the wanted state.
    pub unchanged: usize,
    /// The products left as they are, each with the reason.
    pub failed: Vec<ProductBulkFailure>,
}

/// A product without the change or deletion, with the reason.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ProductBulkFailure {
    /// The product.
    pub id: Id<Product>,
    /// The reason.
    pub error: ErrorDetail,
}

/// A product with its price as its reader has seen it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct SeenPrice {
    /// The product.
    pub id: Id<Product>,
    /// Its price in cents.
    pub cents: i64,
}

/// An action on many products.
struct Bulk {
    /// Each once.
    ids: Vec<Id<Product>>,
    action: Action,
}

enum Action {
    Change(Box<Draft<Product>>),
    /// The change, and the price of each product before it.
    Reprice(PriceChange, HashMap<Id<Product>, i64>),
    Delete,
}

impl Action {
    /// Applies the action to one product. Returns whether the product changed.
    /// Its former values are added to `before`.
    async fn on(
        &self,
        unit: &mut UnitOfWork<'_>,
        access: &Access,
        id: Id<Product>,
        before: &mut BulkBefore,
    ) -> Result<bool, Error> {
        let changed = match self {
            Self::Change(draft) => engine::update(unit, access, id, draft).await?,
            Self::Reprice(change, seen) => {
                let product: Product = engine::find(unit, id).await?;
                if seen.get(&id) != Some(&product.price_cents) {
                    let problem = "has changed since the new price was shown";
                    return Err(Error::Conflict(Reason::of("priceCents", problem)));
                }
                let price_cents = change.applied_to(product.price_cents)?;
                let input = ProductInput::default().price_cents(price_cents);
                let draft = Draft::check(input, Purpose::Change)?;
                engine::update(unit, access, id, &draft).await?
            }
            Self::Delete => {
                engine::remove(unit, id).await?;
                return Ok(true);
            }
        };
        if let Some((old, new)) = &changed {
            before.add(old, new);
        }
        Ok(changed.is_some())
    }
}

#[async_trait]
impl Change for Bulk {
    fn reads(&self, _: &Access, reads: &mut Reads) {
        for id in &self.ids {
            reads.record::<Product>(id.uuid());
            match &self.action {
                Action::Change(draft) => Product::reads_of(*id, Some(draft), None, reads),
                // A price has no other rows.
                Action::Reprice(..) => {}
                Action::Delete => Product::reads_of(*id, None, None, reads),
            }
        }
        if let Action::Change(draft) = &self.action {
            engine::reads_of_draft(draft, None, reads);
        }
    }

    fn more_reads(&self, access: &Access, unit: &UnitOfWork<'_>, reads: &mut Reads) {
        if let Action::Change(draft) = &self.action {
            engine::reads_elsewhere(&[draft], access, unit, reads);
        }
    }

    async fn apply(&self, unit: &mut UnitOfWork<'_>, access: &Access) -> Result<Answer, Error> {
        let mut result = ProductBulkResult::default();
        let mut errors = ItemErrors::new();
        let mut affected: Vec<Uuid> = Vec::new();
        let mut before = BulkBefore::begin(unit);
        for (place, id) in self.ids.iter().enumerate() {
            yield_periodically(place).await;
            unit.savepoint();
            match self.action.on(unit, access, *id, &mut before).await {
                Ok(is_changed) => {
                    unit.release();
                    if is_changed {
                        affected.push(id.uuid());
                    } else {
                        result.unchanged += 1;
                    }
                }
                // An internal error is not the product's: the whole write may be repeated.
                Err(error @ Error::Internal(_)) => {
                    unit.rollback();
                    return Err(error);
                }
                Err(error) => {
                    unit.rollback();
                    let error = errors.of(&error);
                    result.failed.push(ProductBulkFailure { id: *id, error });
                }
            }
        }
        result.affected = affected.len();
        match self.action {
            Action::Change(_) | Action::Reprice(..) => products::emit_bulk(unit, &affected, &[]),
            Action::Delete => products::emit_bulk(unit, &[], &affected),
        }
        // Without an effect, the bulk change before remains the last one.
        if !affected.is_empty() {
            match self.action {
                Action::Change(_) | Action::Reprice(..) => BulkHead::save(&before, unit, access),
                Action::Delete => BulkHead::remove(unit),
            }
        }
        Answer::with(Outcome::Done, &result)
    }

    fn weight(&self) -> usize {
        self.ids.len()
    }

    fn room(&self) -> Room {
        match self.action {
            Action::Change(_) | Action::Reprice(..) => Room::Whole,
            Action::Delete => Room::Removal,
        }
    }
}

impl Records<Product> {
    /// Changes many products in one commit with one event, for their owner.
    /// Products with a fault do not spoil the rest; the result names them.
    ///
    /// # Errors
    /// The access is not an owner's, a value is invalid, nothing is to be changed, or there are
    /// none or more than 1000 products.
    pub fn change_many(
        &self,
        ids: Vec<Id<Product>>,
        change: ProductInput,
    ) -> Write<ProductBulkResult> {
        self.bulk("change", ids, change, |change| {
            if change == ProductInput::default() {
                return Err(Invalid::new("change", "must have at least one field").into());
            }
            let draft = Draft::check(change, Purpose::Change)?;
            Ok(Action::Change(Box::new(draft)))
        })
    }

    /// Changes the prices of many products from those seen, for their owner.
    /// It is one commit with one event. Products with another price meanwhile, or without room for the change, do
    /// not spoil the rest; the result names them.
    ///
    /// # Errors
    /// The access is not an owner's, the change is out of bounds, or there are none or more than
    /// 1000 products.
    pub fn change_prices(
        &self,
        seen: Vec<SeenPrice>,
        change: PriceChange,
    ) -> Write<ProductBulkResult> {
        let ids = seen.iter().map(|price| price.id).collect();
        self.bulk("reprice", ids, (change, seen), |(change, seen)| {
            change.check()?;
            let seen = seen.into_iter().map(|price| (price.id, price.cents));
            Ok(Action::Reprice(change, seen.collect()))
        })
    }

    /// Deletes many products in one commit with one event, for their owner.
    /// Missing products do not spoil the rest; the result names them.
    ///
    /// # Errors
    /// The access is not an owner's, or there are none or more than 1000 products.
    pub fn delete_many(&self, ids: Vec<Id<Product>>) -> Write<ProductBulkResult> {
        self.bulk("delete", ids, (), |()| Ok(Action::Delete))
    }

    /// A write of such an action.
    /// `input` distinguishes it from other writes under the same idempotency key.
    fn bulk<I: Serialize + Clone + Send + 'static>(
        &self,
        operation: &'static str,
        ids: Vec<Id<Product>>,
        input: I,
        action: impl FnOnce(I) -> Result<Action, Error> + Send + 'static,
    ) -> Write<ProductBulkResult> {
        let records = self.json().clone();
        let target = format!("{}bulk", self.target(None));
        let told = (ids.clone(), input.clone());
        Write::new(operation, target, told, move |request: Request<_>| {
            Box::pin(async move {
                check_owner(records.access())?;
                let change = move |()| {
                    let ids = checked(ids)?;
                    let action = action(input)?;
                    Ok(Box::new(Bulk { ids, action }) as _)
                };
                let (connect, access) = (&records.connect, &records.access);
                connect.write(access, request.map(|_| ()), change).await
            })
        })
    }
}
