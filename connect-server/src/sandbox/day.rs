//! A simulated day of trade.

use connect_core::{
    Error, ScreenType,
    wire::{Field, PaymentInput, PaymentMethod, TransactionInput, TransactionType},
};
use serde::Serialize;

use super::{Sandbox, SandboxLocation, hours::Hours};

/// The number of sales in a day.
const SALES: usize = 60;

/// The number of sales per refund.
const PER_REFUND: usize = 20;

/// The number of orders in a day.
const ORDERS: usize = 6;

/// The cash in the drawer in the morning, in cents.
const FLOAT_CENTS: i64 = 15_000;

/// The counts of a simulated day.
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
    /// Simulates a past day, or today up to now.
    /// Writes an opening float, sales, refunds and orders, and closes the register. The number of
    /// rows is the same at any time of day, and only its own orders move on, so it ends soon.
    ///
    /// # Errors
    /// Nothing is for sale, or there is no such location.
    pub(super) async fn day(&self, place: SandboxLocation, days_ago: u8) -> Result<Day, Error> {
        let register = self.screen(place, ScreenType::Pos).await?;
        let kiosk = self.screen(place, ScreenType::OrderKiosk).await?;
        let products = self.products(&register).await?;
        let mut chance = self.chance();
        let hours = Hours::of(days_ago, self.connect.now());
        let rows = self.connect.location(&register).transactions();
        rows.write(TransactionInput {
            kind: Field::Value(TransactionType::OpeningFloat),
            total_cents: Field::Value(FLOAT_CENTS),
            payments: Field::Value(vec![PaymentInput::of(PaymentMethod::Cash, FLOAT_CENTS)]),
            created_at: Field::Value(hours.opens),
            ..TransactionInput::default()
        })
        .await?;
        let mut day = Day::default();
        for number in 0..SALES {
            let at = hours.part(number, SALES);
            let sale = self
                .sell(&register, &products, &mut chance, Some(at))
                .await?;
            day.sales += 1;
            if number % PER_REFUND == PER_REFUND - 1 {
                let at = at.plus_seconds(60).min(hours.closes);
                self.take_back(&register, &sale, Some(at)).await?;
                day.refunds += 1;
            }
        }
        // Orders are of now, whichever day it is.
        for _ in 0..ORDERS {
            let order = self.order_at(&kiosk, &products, &mut chance).await?;
            self.complete(&register, order).await?;
            day.orders += 1;
        }
        day.z_report = self.close_at(&register).await?.number;
        Ok(day)
    }
}
