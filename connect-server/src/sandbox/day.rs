//! A simulated day of trade.

use connect_core::{
    Error, ScreenType,
    environment::{Clock as _, SystemClock},
    wire::{Field, PaymentInput, PaymentMethod, TransactionInput, TransactionType},
};
use serde::Serialize;

use super::{Place, Sandbox};

/// The sales of a day.
const SALES: usize = 60;

/// Every so many sales one is taken back.
const PER_REFUND: usize = 20;

/// The orders of a day.
const ORDERS: usize = 6;

/// The hours that the shop is open.
const HOURS: i64 = 10;

/// The cash in the drawer in the morning, in cents.
const FLOAT_CENTS: i64 = 15_000;

/// The number of things that happened on a simulated day.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Day {
    /// The number of sales.
    pub(crate) sales: usize,
    /// The number of refunds.
    pub(crate) refunds: usize,
    /// The number of orders, all of them completed.
    pub(crate) orders: usize,
    /// The number of the Z report.
    pub(crate) z_report: u64,
}

impl Sandbox {
    /// Simulates the ten hours that ended `days_ago` days ago: an opening float, sales, refunds,
    /// orders and the closing of the register.
    ///
    /// # Errors
    /// Nothing is for sale, or there is no such location.
    pub(super) async fn day(&self, place: Place, days_ago: u8) -> Result<Day, Error> {
        let register = self.screen(place, ScreenType::Pos).await?;
        let products = self.products(&register).await?;
        let mut chance = self.chance();
        let end = SystemClock
            .now()
            .plus_seconds(-i64::from(days_ago) * 24 * 3600);
        let start = end.plus_seconds(-HOURS * 3600);
        let rows = self.connect.location(&register).transactions();
        rows.write(TransactionInput {
            kind: Field::Value(TransactionType::OpeningFloat),
            total_cents: Field::Value(FLOAT_CENTS),
            payments: Field::Value(vec![PaymentInput::of(PaymentMethod::Cash, FLOAT_CENTS)]),
            created_at: Field::Value(start),
            ..TransactionInput::default()
        })
        .await?;
        let mut day = Day::default();
        let pause = HOURS * 3600 / SALES as i64;
        for number in 0..SALES {
            let at = start.plus_seconds(pause * number as i64);
            let sale = self
                .sell(&register, &products, &mut chance, Some(at))
                .await?;
            day.sales += 1;
            if number % PER_REFUND == PER_REFUND - 1 {
                self.take_back(&register, &sale, Some(at.plus_seconds(60)))
                    .await?;
                day.refunds += 1;
            }
        }
        // Orders are of now, whichever day it is.
        for _ in 0..ORDERS {
            self.order(place).await?;
            day.orders += 1;
        }
        while self.step(place).await.is_ok() {}
        day.z_report = self.close(place).await?.number;
        Ok(day)
    }
}
