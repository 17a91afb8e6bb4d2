//! Bulk changes of products by the owner: one commit, one event.

use async_trait::async_trait;
use serde::{Deserialize, Serialize};
use uuid::Uuid;

use super::products;
use crate::{
    auth::{Access, Actor},
    engine::{
        self, Answer, Change, Draft, ItemErrors, Outcome, Purpose, Records, Request, Resource,
        Room, Write,
    },
    transaction::{Error, Reads, Reason, UnitOfWork},
    wire::{ErrorDetail, Id, Product, ProductInput, limits::MAX_PRODUCTS_PER_BULK, read::Invalid},
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

/// An action on many products.
struct Bulk {
    /// Each once.
    ids: Vec<Id<Product>>,
    action: Action,
}

enum Action {
    Change(Box<Draft<Product>>),
    Delete,
}

impl Action {
    /// Applies the action to one product. Returns whether the product changed.
    async fn on(
        &self,
        unit: &mut UnitOfWork<'_>,
        access: &Access,
        id: Id<Product>,
    ) -> Result<bool, Error> {
        match self {
            Self::Change(draft) => engine::update(unit, access, id, draft).await,
            Self::Delete => engine::remove(unit, id).await.map(|()| true),
        }
    }
}

#[async_trait]
impl Change for Bulk {
    fn reads(&self, _: &Access, reads: &mut Reads) {
        let draft = match &self.action {
            Action::Change(draft) => Some(&**draft),
            Action::Delete => None,
        };
        for id in &self.ids {
            reads.record::<Product>(id.uuid());
            Product::reads_of(*id, draft, None, reads);
        }
        if let Some(draft) = draft {
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
        for id in &self.ids {
            unit.savepoint();
            match self.action.on(unit, access, *id).await {
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
            Action::Change(_) => products::emit_bulk(unit, &affected, &[]),
            Action::Delete => products::emit_bulk(unit, &[], &affected),
        }
        Answer::with(Outcome::Done, &result)
    }

    fn weight(&self) -> usize {
        self.ids.len()
    }

    fn room(&self) -> Room {
        match self.action {
            Action::Change(_) => Room::Whole,
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

/// Refuses callers other than the owner: integrators have batches.
fn check_owner(access: &Access) -> Result<(), Error> {
    if matches!(access.actor(), Actor::Owner { .. }) {
        return Ok(());
    }
    let problem = "only the owner of the account changes products in bulk; send a batch instead";
    Err(Error::ForbiddenScope(Reason::new(problem)))
}

/// The products, each once.
fn checked(ids: Vec<Id<Product>>) -> Result<Vec<Id<Product>>, Invalid> {
    if !(1..=MAX_PRODUCTS_PER_BULK).contains(&ids.len()) {
        let problem = format!(
            "must name 1 to {MAX_PRODUCTS_PER_BULK} products, not {}",
            ids.len()
        );
        return Err(Invalid::new("ids", problem));
    }
    let mut seen = std::collections::HashSet::new();
    Ok(ids.into_iter().filter(|id| seen.insert(*id)).collect())
}
