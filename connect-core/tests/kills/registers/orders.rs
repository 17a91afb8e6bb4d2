//! Orders and the sales that paid them lead to each other.

use std::collections::{HashMap, HashSet};

use connect_core::wire::{Id, Order, PaymentStatus, Transaction, TransactionType};

use super::seen::Seen;

/// Checks every order, and every row that names one.
pub(super) fn are_linked(seen: &Seen) {
    let numbers = seen.orders.iter().map(|order| order.number);
    assert!(numbers.eq(1..=seen.orders.len() as u64), "a gap");
    let notes: HashSet<_> = seen.orders.iter().map(|order| &order.note).collect();
    assert_eq!(notes.len(), seen.orders.len(), "an order was made twice");
    let mut sales = HashMap::<Id<Order>, &Transaction>::new();
    let mut refunds = HashSet::new();
    for row in &seen.rows {
        let Some(order) = row.order_id else { continue };
        if row.kind == TransactionType::Refund {
            refunds.insert(order);
        } else {
            let before = sales.insert(order, row);
            assert_eq!(before, None, "{order} is paid twice");
        }
    }
    for order in &seen.orders {
        let sale = sales.remove(&order.id);
        assert_eq!(order.transaction_id, sale.map(|sale| sale.id));
        let status = match sale {
            None => PaymentStatus::Unpaid,
            Some(_) if refunds.contains(&order.id) => PaymentStatus::Refunded,
            Some(_) => PaymentStatus::Paid,
        };
        assert_eq!(order.payment_status, status, "{order:?}");
    }
    assert!(sales.is_empty(), "orders are lost: {sales:?}");
}
