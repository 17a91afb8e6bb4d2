//! An order by its number.
//!
//! The clock of a location gives an order its number and its time, so numbers rise with time. An order is found by
//! halving the time between others, without an index of its own.

use super::Orders;
use crate::{
    transaction::Error,
    wire::{
        Order, Timestamp,
        query::{Moment, OrderQuery, SyncQuery},
    },
};

/// The orders read at once.
const AT_ONCE: usize = 50;

/// The place of a number beside orders in their sequence.
enum NumberPlace {
    /// Before the first, or beside no order at all.
    Before,
    /// Among them, with its order if there is one.
    Among(Box<Option<Order>>),
    /// After the last.
    After,
}

impl NumberPlace {
    fn of(number: u64, orders: Vec<Order>) -> Self {
        match (orders.first(), orders.last()) {
            (Some(first), Some(last)) if first.number <= number => match last.number < number {
                true => Self::After,
                false => {
                    let mut orders = orders.into_iter();
                    Self::Among(orders.find(|order| order.number == number).into())
                }
            },
            _ => Self::Before,
        }
    }
}

impl Orders {
    /// Returns the order with this number, if there is one.
    /// One of the newest or oldest takes two reads, any other about twenty.
    ///
    /// # Errors
    /// [`Error::Internal`].
    pub async fn by_number(&self, number: u64) -> Result<Option<Order>, Error> {
        let forwards = Self {
            newest_first: false,
            ..self.clone()
        };
        let mut newest = forwards.clone().newest_first().some(None).await?;
        newest.reverse();
        let Some(mut to) = newest.first().map(|order| order.created_at) else {
            return Ok(None);
        };
        match NumberPlace::of(number, newest) {
            NumberPlace::Before => {}
            NumberPlace::Among(found) => return Ok(*found),
            NumberPlace::After => return Ok(None),
        }
        let oldest = forwards.some(None).await?;
        let mut from = after(&oldest, to);
        match NumberPlace::of(number, oldest) {
            NumberPlace::Before => return Ok(None),
            NumberPlace::Among(found) => return Ok(*found),
            NumberPlace::After => {}
        }
        while from < to {
            let middle = from.plus_micros((to.micros() - from.micros()) / 2);
            let orders = forwards.some(Some((middle, to))).await?;
            let after = after(&orders, to);
            match NumberPlace::of(number, orders) {
                NumberPlace::Before => to = middle,
                NumberPlace::Among(found) => return Ok(*found),
                NumberPlace::After => from = after,
            }
        }
        Ok(None)
    }

    /// Returns the first orders of the list, or those between two times.
    async fn some(&self, times: Option<(Timestamp, Timestamp)>) -> Result<Vec<Order>, Error> {
        let query = OrderQuery {
            sync: SyncQuery {
                limit: Some(AT_ONCE),
                ..SyncQuery::default()
            },
            from: times.map(|(from, _)| Moment::At(from)),
            to: times.map(|(_, to)| Moment::At(to)),
            ..OrderQuery::default()
        };
        Ok(self.list(&query).await?.data)
    }
}

/// Returns the first time after these orders; `end` without any.
fn after(orders: &[Order], end: Timestamp) -> Timestamp {
    let last = orders.last();
    last.map_or(end, |order| order.created_at.plus_micros(1))
}
