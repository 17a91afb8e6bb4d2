//! The payment of an order by a sale.

use super::row::replace;
use crate::{
    transaction::{Error, Reads, UnitOfWork},
    wire::{Id, Order, OrderStatus, PaymentStatus, Transaction, TransactionType, read::Invalid},
};

/// Adds the read of the order named by a transaction.
pub(in crate::resources) fn reads_of_paid(order: Id<Order>, reads: &mut Reads) {
    reads.record::<Order>(order.uuid());
}

/// Marks the order of a sale as paid, and links both.
/// A refund marks its order as paid back. A transaction without an order changes nothing.
///
/// # Errors
/// There is no such order here, it is cancelled, or another sale has paid it; or a refund names an
/// order never paid.
pub(in crate::resources) async fn paid(
    unit: &mut UnitOfWork<'_>,
    transaction: &Transaction,
) -> Result<(), Error> {
    let Some(id) = transaction.order_id else {
        return Ok(());
    };
    let old = unit.find::<Order>(id.uuid()).await?.ok_or_else(|| {
        Invalid::new(
            "orderId",
            format!("there is no order {id} at this location"),
        )
    })?;
    let mut order = old.clone();
    if transaction.kind == TransactionType::Refund {
        if old.payment_status == PaymentStatus::Unpaid {
            let problem = format!("order {id} was never paid");
            return Err(Error::conflict("orderId", problem));
        }
        order.payment_status = PaymentStatus::Refunded;
    } else {
        if let Some(other) = old.transaction_id {
            let problem = format!("order {id} was paid by transaction {other} already");
            return Err(Error::conflict("orderId", problem));
        }
        if old.status == OrderStatus::Cancelled {
            let problem = format!("order {id} is cancelled");
            return Err(Error::conflict("orderId", problem));
        }
        order.payment_status = PaymentStatus::Paid;
        order.transaction_id = Some(transaction.id);
    }
    replace(unit, &old, &mut order);
    Ok(())
}
