//! The rules for stock levels and movements.

use super::{ProblemKind, claim::Claim, declared, findings::Findings};
use crate::{
    storage::Value,
    transaction::{
        ReadKey,
        keys::{Family, KeyPart, key},
    },
    wire::{Product, StockLevel, StockMovement},
};

/// Checks a level.
/// Its product exists, and has the same quantity and external id. The level is also the sum of the
/// product's movements.
pub(super) fn level(findings: &mut Findings, at: &ReadKey, row: &Value) {
    let Some(level) = declared::row::<StockLevel>(findings, at, row) else {
        return;
    };
    let id = level.product_id.uuid();
    findings.partition.stock.add_level(id, level.quantity);
    let fault = move |product: Product| {
        let is_same = product.stock_quantity == Some(level.quantity)
            && product.external_id == level.external_id;
        (!is_same).then(|| format!("product {id} and its level say different things"))
    };
    findings.claim_here(Claim::agreeing(
        key(at.partition, Family::Product, &[KeyPart::Id(id)]),
        ProblemKind::BadRow,
        Some(format!("product {id} has a level, and is not there")),
        fault,
    ));
    findings.concerning(Family::Product, id);
}

/// Checks a movement: its transaction exists.
/// Its product may be deleted.
pub(super) fn movement(findings: &mut Findings, at: &ReadKey, row: &Value) {
    let Some(movement) = declared::row::<StockMovement>(findings, at, row) else {
        return;
    };
    let (product, change) = (movement.product_id.uuid(), movement.quantity_change);
    findings.partition.stock.add_movement(product, change);
    if let Some(cause) = movement.transaction_id {
        let id = movement.id;
        let message = format!("stock movement {id} is of transaction {cause}, which is not there");
        findings.refers_to(Family::TransactionById, cause.uuid(), message);
    }
}
