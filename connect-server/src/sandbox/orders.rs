//! Simulated orders of a kiosk, and their way through the kitchen.

use connect_core::{
    Error, Reason, ScreenType,
    wire::{
        Field, Fulfilment, Order, OrderChange, OrderInput, OrderStatus,
        limits::MAX_PAGE_SIZE,
        query::{OrderQuery, SyncQuery},
    },
};

use super::{Place, Sandbox, basket::Basket};

/// The names that customers give.
const NAMES: [&str; 6] = ["Noor", "Sam", "Lotte", "Daan", "Yara", "Finn"];

impl Sandbox {
    /// Orders something at the kiosk.
    ///
    /// # Errors
    /// Nothing is for sale, or there is no such location.
    pub(super) async fn order(&self, place: Place) -> Result<Order, Error> {
        let kiosk = self.screen(place, ScreenType::OrderKiosk).await?;
        let products = self.products(&kiosk).await?;
        let mut chance = self.chance();
        let basket = Basket::fill(&products, &mut chance);
        let fulfilment = match chance.below(2) {
            0 => Fulfilment::DineIn,
            _ => Fulfilment::Takeaway,
        };
        let order = OrderInput {
            fulfilment: Field::Value(fulfilment),
            lines: Field::Value(basket.lines),
            customer_name: Field::Value(NAMES[chance.below(NAMES.len())].to_owned()),
            ..OrderInput::default()
        };
        self.connect.location(&kiosk).orders().create(order).await
    }

    /// Moves the oldest open order a step on: accepted, in preparation, ready, completed.
    ///
    /// # Errors
    /// No order is open.
    pub(super) async fn step(&self, place: Place) -> Result<Order, Error> {
        let register = self.screen(place, ScreenType::Pos).await?;
        let orders = self.connect.location(&register).orders();
        for (status, next) in [
            (OrderStatus::Ready, OrderStatus::Completed),
            (OrderStatus::Preparing, OrderStatus::Ready),
            (OrderStatus::Accepted, OrderStatus::Preparing),
            (OrderStatus::New, OrderStatus::Accepted),
        ] {
            let query = OrderQuery {
                sync: SyncQuery {
                    limit: Some(MAX_PAGE_SIZE),
                    ..SyncQuery::default()
                },
                status: Some(status),
                ..OrderQuery::default()
            };
            let found = orders.list(&query).await?;
            if let Some(order) = found.data.first() {
                let change = OrderChange {
                    status: Field::Value(next),
                    ..OrderChange::default()
                };
                return orders.update(order.id, change).await;
            }
        }
        let problem = "no order is open: simulate one first";
        Err(Error::Conflict(Reason::new(problem)))
    }
}
