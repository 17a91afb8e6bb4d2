//! Adjustments of stock: deliveries and corrections, added or taken away.

use async_trait::async_trait;

use super::{
    ledger::MovementCause,
    named::{Nowhere, find, read_elsewhere, read_level, read_named},
};
use crate::{
    auth::Access,
    engine::{Answer, Change, Outcome},
    rules::stock::{Shift, input::Adjustment},
    transaction::{Error, Reads, UnitOfWork},
    wire::{AdjustmentType, EventType, MovementType, Quantity},
};

/// An adjustment of the stock of one product.
pub(super) struct Adjust(pub(super) Adjustment);

#[async_trait]
impl Change for Adjust {
    fn reads(&self, _: &Access, reads: &mut Reads) {
        read_named(&self.0.product, reads);
    }

    fn more_reads(&self, access: &Access, unit: &UnitOfWork<'_>, reads: &mut Reads) {
        let product = &self.0.product;
        read_level(product, unit, reads);
        read_elsewhere(std::iter::once(product), access, unit, reads);
    }

    async fn apply(&self, unit: &mut UnitOfWork<'_>, access: &Access) -> Result<Answer, Error> {
        let Self(wanted) = self;
        let found = find(unit, &wanted.product).await?;
        let stocked =
            found.ok_or_else(|| Nowhere::of(unit, access, &wanted.product).of_request())?;
        let before = stocked.quantity().unwrap_or_default();
        let shift = Shift::by(before, wanted.change.thousandths()).ok_or_else(|| {
            let most = Quantity::MAX;
            let problem = format!("the stock is {before}, and has to stay from -{most} to {most}");
            Error::conflict("quantityChange", problem)
        })?;
        let kind = match wanted.kind {
            AdjustmentType::Delivery => MovementType::Delivery,
            _ => MovementType::Correction,
        };
        let cause = MovementCause {
            kind,
            note: wanted.note.as_deref(),
            transaction_id: None,
        };
        let (level, movement) = stocked.shift(unit, access, shift, &cause);
        unit.emit_combined(EventType::StockChanged, level.product_id.uuid(), &level);
        Answer::with(Outcome::Created, &movement)
    }
}
