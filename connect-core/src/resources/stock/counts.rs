//! The count of one product, and the counting itself.

use async_trait::async_trait;

use super::ledger::{MovementCause, Stocked};
use crate::{
    auth::Access,
    engine::{Answer, Change, Outcome},
    rules::stock::{Shift, input::CountedProduct},
    transaction::{Error, Reads, UnitOfWork},
    wire::{EventType, Id, MovementType, Product, Quantity, StockCount, StockLevel, read::Invalid},
};

/// A count of one product.
pub(super) struct CountOne {
    product: Id<Product>,
    count: CountedProduct,
    note: Option<String>,
}

impl CountOne {
    pub(super) fn checked(product: Id<Product>, input: StockCount) -> Result<Self, Invalid> {
        let (count, note) = CountedProduct::check(input)?;
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

    async fn apply(&self, unit: &mut UnitOfWork<'_>, access: &Access) -> Result<Answer, Error> {
        let stocked = Stocked::find(unit, self.product.uuid()).await?;
        let stocked = stocked.ok_or_else(|| Error::not_found("product", self.product))?;
        let counted = count(unit, access, &stocked, &self.count, self.note.as_deref())?;
        if let Some(level) = &counted {
            unit.emit_combined(EventType::StockChanged, level.product_id.uuid(), level);
        }
        // A level equal to its count stays.
        Answer::with(Outcome::Done, &counted.or(stocked.level))
    }
}

/// Counts the stock of a product, without an event.
/// `None` when the stock already equals the count.
pub(super) fn count(
    unit: &mut UnitOfWork<'_>,
    access: &Access,
    stocked: &Stocked,
    wanted: &CountedProduct,
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
    let cause = MovementCause {
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
