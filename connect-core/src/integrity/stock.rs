//! The rules for stock levels and movements.

use super::{ProblemKind, catalog, claim::Claim, findings::Findings};
use crate::{
    storage::Value,
    transaction::{
        ReadKey, Row,
        keys::{Family, KeyPart, key},
        keys_of,
    },
    wire::{Product, StockLevel, StockMovement},
};

/// Checks a level.
/// Its product exists, and has the same quantity and external id. The level is also the sum of the
/// product's movements.
pub(super) fn level(findings: &mut Findings, at: &ReadKey, row: &Value) {
    let Some(level) = findings.parse::<StockLevel>(row) else {
        return;
    };
    let id = level.product_id.uuid();
    if at.id() != Some(id) {
        return findings.bad(format!(
            "the row is the level of product {id}, which is another"
        ));
    }
    findings.changed(level.updated_at);
    findings.partition.stock.add_level(id, level.quantity);
    claim_entries(findings, at, &level, &format!("the level of product {id}"));
    let agrees = move |found: Option<&Value>| {
        let Some(found) = found else {
            return Some(format!("product {id} has a level, and is not there"));
        };
        // An unreadable row is reported at its own key.
        let product: Product = serde_json::from_slice(found).ok()?;
        let is_same = product.stock_quantity == Some(level.quantity)
            && product.external_id == level.external_id;
        (!is_same).then(|| format!("product {id} and its level say different things"))
    };
    let product = key(at.partition, Family::Product, &[KeyPart::Id(id)]);
    let claim = Claim::on(product, ProblemKind::BadRow, agrees);
    findings.claim(claim.reported_as(&findings.key().clone()));
    findings.concerning(Family::Product, id);
}

/// Checks an entry of the levels in change order.
pub(super) fn level_in_order(findings: &mut Findings, at: &ReadKey, row: &Value) {
    catalog::in_order::<StockLevel>(findings, at, row);
    if let Some(product) = at.id() {
        findings.concerning(Family::Product, product);
    }
}

/// Checks a movement: it is in its indexes, and its transaction exists.
/// Its product may be deleted.
pub(super) fn movement(findings: &mut Findings, at: &ReadKey, row: &Value) {
    let Some(movement) = findings.parse::<StockMovement>(row) else {
        return;
    };
    let id = movement.id.uuid();
    if at.id() != Some(id) {
        return findings.bad(format!("the row holds {id}, which is another movement"));
    }
    findings.changed(movement.created_at);
    let (product, change) = (movement.product_id.uuid(), movement.quantity_change);
    findings.partition.stock.add_movement(product, change);
    if let Some(cause) = movement.transaction_id {
        findings.refers(
            key(
                at.partition,
                Family::TransactionById,
                &[KeyPart::Id(cause.uuid())],
            ),
            format!("stock movement {id} is of transaction {cause}, which is not there"),
        );
    }
    claim_entries(findings, at, &movement, &format!("stock movement {id}"));
}

/// Checks an entry of the movements of a product.
pub(super) fn of_product(findings: &mut Findings, at: &ReadKey, row: &Value) {
    findings.is_empty(row);
    if let (Some((product, id)), Some(time)) = (at.two_ids(), at.time()) {
        let is_its = move |movement: &StockMovement| {
            movement.product_id == product && movement.key() == (time, id)
        };
        findings.leads_to::<StockMovement>(at.partition, Family::StockMovement, id, is_its);
    }
}

fn claim_entries<R: Row>(findings: &mut Findings, at: &ReadKey, row: &R, whose: &str) {
    let (_, entries) = keys_of(at.partition, row);
    for entry in entries {
        findings.claim(Claim::entry(entry, Vec::new(), whose.to_owned()));
    }
}
