//! The rules for rows of orders.
//!
//! A sale claims that its order names it ([`journal`](super::journal)). If there are as many orders with
//! a sale as sales with an order, each of these orders belongs to its sale.

use super::{claim::Claim, findings::Findings};
use crate::{
    storage::Value,
    transaction::{
        ReadKey, change_key,
        keys::{Family, KeyPart, key},
    },
    wire::Order,
};

/// Checks an order.
/// It is in both lists, and the sale with its payment exists.
pub(super) fn order(findings: &mut Findings, at: &ReadKey, row: &Value) {
    let Some(order) = findings.parse::<Order>(row) else {
        return;
    };
    let id = order.id.uuid();
    if at.id() != Some(id) {
        return findings.bad(format!("the row holds {id}, which is another order"));
    }
    findings.changed(order.updated_at);
    let last = &mut findings.partition.last_order;
    *last = order.number.max(*last);
    if let Some(sale) = order.transaction_id {
        findings.partition.paid_orders += 1;
        findings.refers(
            key(
                at.partition,
                Family::TransactionById,
                &[KeyPart::Id(sale.uuid())],
            ),
            format!("order {id} was paid by transaction {sale}, which is not there"),
        );
    }
    let lists = [
        (Family::OrderByCreation, order.created_at),
        (Family::OrderByUpdate, order.updated_at),
    ];
    for (family, time) in lists {
        let entry = change_key(at.partition, family, time, id);
        findings.claim(Claim::entry(entry, Vec::new(), format!("order {id}")));
    }
}

/// Checks an entry of one of the two lists.
pub(super) fn in_order(findings: &mut Findings, at: &ReadKey, row: &Value) {
    findings.is_empty(row);
    let (Some(time), Some(id), family) = (at.time(), at.id(), at.family) else {
        return;
    };
    let has = move |order: &Order| match family {
        Family::OrderByCreation => order.created_at == time,
        _ => order.updated_at == time,
    };
    findings.leads_to::<Order>(at.partition, Family::Order, id, has);
}

/// Checks an entry from a screen to one of its orders.
pub(super) fn by_screen(findings: &mut Findings, at: &ReadKey, row: &Value) {
    findings.is_empty(row);
    if let Some((_, order)) = at.two_ids() {
        findings.leads_to::<Order>(at.partition, Family::Order, order, |_| true);
    }
}
