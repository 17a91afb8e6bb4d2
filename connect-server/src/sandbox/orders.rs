//! Simulated orders of a kiosk, and their steps in the kitchen.

use connect_core::{
    Access, Error, Reason, ScreenType,
    wire::{
        Field, Fulfilment, Order, OrderChange, OrderInput, OrderStatus, Product, query::OrderQuery,
    },
};

use super::{
    Sandbox, SandboxLocation,
    basket::{Basket, Chance},
};

/// The steps of an order: each status, and the next.
const STEPS: [(OrderStatus, OrderStatus); 4] = [
    (OrderStatus::New, OrderStatus::Accepted),
    (OrderStatus::Accepted, OrderStatus::Preparing),
    (OrderStatus::Preparing, OrderStatus::Ready),
    (OrderStatus::Ready, OrderStatus::Completed),
];

/// The names of customers.
const NAMES: [&str; 6] = ["Noor", "Sam", "Lotte", "Daan", "Yara", "Finn"];

impl Sandbox {
    /// Places an order at the simulated kiosk.
    ///
    /// # Errors
    /// Nothing is for sale, or there is no such location.
    pub(super) async fn order(&self, place: SandboxLocation) -> Result<Order, Error> {
        let kiosk = self.screen(place, ScreenType::OrderKiosk).await?;
        let products = self.products(&kiosk).await?;
        self.order_at(&kiosk, &products, &mut self.chance()).await
    }

    /// Places an order at this kiosk.
    pub(super) async fn order_at(
        &self,
        kiosk: &Access,
        products: &[Product],
        chance: &mut Chance,
    ) -> Result<Order, Error> {
        let basket = Basket::fill(products, chance);
        let fulfilment = [Fulfilment::DineIn, Fulfilment::Takeaway][chance.below(2)].clone();
        let order = OrderInput {
            fulfilment: Field::Value(fulfilment),
            lines: Field::Value(basket.lines),
            customer_name: Field::Value(NAMES[chance.below(NAMES.len())].to_owned()),
            ..OrderInput::default()
        };
        self.connect.location(kiosk).orders().create(order).await
    }

    /// Moves the most advanced open order one step on.
    /// The steps are accepted, in preparation, ready, completed.
    ///
    /// # Errors
    /// No order is open.
    pub(super) async fn step(&self, place: SandboxLocation) -> Result<Order, Error> {
        let register = self.screen(place, ScreenType::Pos).await?;
        let orders = self.connect.location(&register).orders();
        for (status, next) in STEPS.into_iter().rev() {
            let query = OrderQuery {
                status: Some(status),
                ..OrderQuery::default()
            };
            let found = orders.list(&query).await?;
            if let Some(order) = found.data.first() {
                return orders.update(order.id, to(next)).await;
            }
        }
        let problem = "no order is open: simulate one first";
        Err(Error::Conflict(Reason::new(problem)))
    }

    /// Moves a new order through all steps.
    pub(super) async fn complete(&self, register: &Access, order: Order) -> Result<(), Error> {
        let orders = self.connect.location(register).orders();
        for (_, next) in STEPS {
            orders.update(order.id, to(next)).await?;
        }
        Ok(())
    }
}

/// The change of an order to this status.
fn to(status: OrderStatus) -> OrderChange {
    OrderChange {
        status: Field::Value(status),
        ..OrderChange::default()
    }
}
