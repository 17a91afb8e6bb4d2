//! The only place of stock changes.
//! Level, product and movement are written together.

use uuid::Uuid;

use crate::{
    auth::{Access, Actor},
    rules::stock::Shift,
    transaction::{Fault, UnitOfWork},
    wire::{Id, MovementType, Product, Quantity, StockLevel, StockMovement, Transaction},
};

/// The reason for a stock movement.
pub(super) struct MovementCause<'a> {
    pub(super) kind: MovementType,
    pub(super) note: Option<&'a str>,
    pub(super) transaction_id: Option<Id<Transaction>>,
}

/// A product with its stock.
pub(super) struct Stocked {
    pub(super) product: Product,
    /// `None` when the product is not tracked.
    pub(super) level: Option<StockLevel>,
}

impl Stocked {
    /// Returns the product with this id, if it is at this location.
    pub(super) async fn find(unit: &mut UnitOfWork<'_>, id: Uuid) -> Result<Option<Self>, Fault> {
        let Some(product) = unit.find::<Product>(id).await? else {
            return Ok(None);
        };
        let level = unit.find::<StockLevel>(id).await?;
        Ok(Some(Self { product, level }))
    }

    /// Returns the quantity in stock. `None` when the product is not tracked.
    pub(super) fn quantity(&self) -> Option<Quantity> {
        self.level.as_ref().map(|level| level.quantity)
    }

    /// Moves the stock, without an event.
    /// An untracked product is tracked from now on.
    pub(super) fn shift(
        &self,
        unit: &mut UnitOfWork<'_>,
        access: &Access,
        shift: Shift,
        cause: &MovementCause<'_>,
    ) -> (StockLevel, StockMovement) {
        let Self { product, level } = self;
        let moved = StockLevel {
            product_id: product.id,
            external_id: product.external_id.clone(),
            quantity: shift.after,
            updated_at: unit.time(),
        };
        let movement = StockMovement {
            id: unit.next_id().into(),
            product_id: product.id,
            external_id: product.external_id.clone(),
            kind: cause.kind.clone(),
            quantity_change: shift.change,
            quantity_after: shift.after,
            note: cause.note.map(str::to_owned),
            source: source(access),
            transaction_id: cause.transaction_id,
            created_at: unit.time(),
        };
        unit.replace(level.as_ref(), &moved);
        unit.append(&movement);
        unit.update_with(product, |product| {
            product.stock_quantity = Some(shift.after)
        });
        (moved, movement)
    }
}

/// The source of a movement: token, register or dashboard.
fn source(access: &Access) -> String {
    match access.actor() {
        Actor::Token { name, .. } => format!("API: {name}"),
        Actor::Screen { name, .. } => format!("Register: {name}"),
        Actor::Owner { .. } => "Dashboard".to_owned(),
    }
}
