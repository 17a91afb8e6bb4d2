//! The rules that the rows of orders keep.
//!
//! A sale claims that its order names it ([`journal`](super::journal)). An order that names a sale is
//! that sale's when there are as many such orders as sales with an order.

use super::{claim::Claim, findings::Findings};
use crate::{
    storage::Value,
    transaction::{
        ReadKey, change_key,
        keys::{Family, Part, key},
    },
    wire::Order,
};

/// An order: it is in both lists, and the sale by which it was paid is there.
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
                &[Part::Id(sale.uuid())],
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

/// An entry of one of the two lists.
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

/// An entry that leads from a screen to an order that it made.
pub(super) fn by_screen(findings: &mut Findings, at: &ReadKey, row: &Value) {
    findings.is_empty(row);
    if let Some((_, order)) = at.two_ids() {
        findings.leads_to::<Order>(at.partition, Family::Order, order, |_| true);
    }
}
