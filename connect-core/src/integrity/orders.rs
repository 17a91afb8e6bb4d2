//! The rules for rows of orders.
//!
//! A sale claims that its order names it ([`journal`](super::journal)). If there are as many orders with
//! a sale as sales with an order, each of these orders belongs to its sale.

use super::{declared, findings::Findings};
use crate::{
    storage::Value,
    transaction::{ReadKey, keys::Family},
    wire::Order,
};

/// Checks an order: the sale with its payment exists.
pub(super) fn order(findings: &mut Findings, at: &ReadKey, row: &Value) {
    let Some(order) = declared::row::<Order>(findings, at, row) else {
        return;
    };
    let last = &mut findings.partition.last_order;
    *last = order.number.max(*last);
    if let Some(sale) = order.transaction_id {
        findings.partition.paid_orders += 1;
        let id = order.id;
        let message = format!("order {id} was paid by transaction {sale}, which is not there");
        findings.refers_to(Family::TransactionById, sale.uuid(), message);
    }
}

/// Checks an entry from a screen to one of its orders.
/// The order does not have the screen.
pub(super) fn by_screen(findings: &mut Findings, at: &ReadKey, row: &Value) {
    declared::leads_to(findings, at, row, |_, _| true);
}
