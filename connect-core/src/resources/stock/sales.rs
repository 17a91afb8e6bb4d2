//! Sales and refunds, and their stock movements in the same commit.

use super::ledger::{MovementCause, Stocked};
use crate::{
    auth::Access,
    rules::stock::{Shift, sums},
    transaction::{Error, Reads, UnitOfWork},
    wire::{
        EventType, Id, MovementType, Product, Quantity, StockLevel, Transaction, TransactionType,
    },
};

/// Adds the reads of [`sold`], for a receipt with these products.
pub(in crate::resources) fn reads_of_sale(
    products: impl Iterator<Item = Id<Product>>,
    reads: &mut Reads,
) {
    for product in products {
        reads.shared_record::<Product>(product.uuid());
        reads.shared_record::<StockLevel>(product.uuid());
    }
}

/// Moves the stock of the products of a sale or a refund.
/// Each product has its event. A line without a product, or with one unknown here or not tracked,
/// moves nothing.
///
/// # Errors
/// [`Error::Conflict`] when a level would be out of bounds.
pub(in crate::resources) async fn sold(
    unit: &mut UnitOfWork<'_>,
    access: &Access,
    sale: &Transaction,
) -> Result<(), Error> {
    let kind = match sale.kind {
        TransactionType::Refund => MovementType::Refund,
        _ => MovementType::Sale,
    };
    let cause = MovementCause {
        kind,
        note: None,
        transaction_id: Some(sale.id),
    };
    for (product, sold, line) in sums(&sale.lines) {
        let Some(stocked) = Stocked::find(unit, product.uuid()).await? else {
            continue;
        };
        let Some(before) = stocked.quantity().filter(|_| sold != 0) else {
            continue;
        };
        let shift = Shift::by(before, -sold).ok_or_else(|| {
            let most = Quantity::MAX;
            let problem = format!(
                "the stock of product {product} is {before}, and has to stay from -{most} to {most}"
            );
            Error::conflict(&format!("lines[{line}].quantity"), problem)
        })?;
        let (level, _) = stocked.shift(unit, access, shift, &cause);
        unit.emit_combined(EventType::StockChanged, level.product_id.uuid(), &level);
    }
    Ok(())
}
