//! A simulated shop: sales, refunds, closings, orders and whole days of trade at the push of a button.
//!
//! It exists in the demo alone, and acts at the locations of sandbox accounts. It writes as registers
//! and kiosks do, through screens of its own, so whatever follows from a sale follows from these too:
//! sums, stock, events, webhooks.

mod basket;
mod day;
mod orders;
mod sales;
mod screens;

pub(crate) use day::Day;

use std::sync::Arc;

use connect_core::{
    Access, Account, Connect, Error, Reason, ScreenType,
    wire::{Id, Location, Order, Product, Transaction, ZReport},
};
use serde::Serialize;
use tokio::sync::Mutex;

use self::basket::Chance;

/// A simulated shop.
#[derive(Clone)]
pub(crate) struct Sandbox {
    connect: Connect,
    /// Each simulation gives its screens new keys, so there is one at a time.
    turn: Arc<Mutex<()>>,
}

/// A location of a sandbox account.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Place {
    pub(crate) account: Id<Account>,
    pub(crate) location: Id<Location>,
}

/// Something that can be simulated.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Simulation {
    /// A sale at the register.
    Sale,
    /// The latest sale is taken back.
    Refund,
    /// The register is closed.
    ZReport,
    /// An order at the kiosk.
    Order,
    /// The order that is furthest on its way takes a step.
    OrderStep,
    /// A day of trade that ended so many days ago.
    Day(u8),
}

/// The record that was simulated, as the API shows it.
#[derive(Debug, Serialize)]
#[serde(untagged)]
pub(crate) enum Simulated {
    Transaction(Box<Transaction>),
    ZReport(Box<ZReport>),
    Order(Box<Order>),
    Day(Day),
}

impl Sandbox {
    /// Simulates shops of this service.
    pub(crate) fn new(connect: Connect) -> Self {
        Self {
            connect,
            turn: Arc::default(),
        }
    }

    /// Simulates something at a location.
    ///
    /// # Errors
    /// The account is no sandbox, there is no such location, nothing is for sale there, or there is
    /// nothing to take back or to move on.
    pub(crate) async fn simulate(
        &self,
        place: Place,
        what: Simulation,
    ) -> Result<Simulated, Error> {
        let _turn = self.turn.lock().await;
        Ok(match what {
            Simulation::Sale => Simulated::Transaction(self.sale(place).await?.into()),
            Simulation::Refund => Simulated::Transaction(self.refund(place).await?.into()),
            Simulation::ZReport => Simulated::ZReport(self.close(place).await?.into()),
            Simulation::Order => Simulated::Order(self.order(place).await?.into()),
            Simulation::OrderStep => Simulated::Order(self.step(place).await?.into()),
            Simulation::Day(days_ago) => Simulated::Day(self.day(place, days_ago).await?),
        })
    }

    /// The access of the simulated screen of this type.
    async fn screen(&self, place: Place, kind: ScreenType) -> Result<Access, Error> {
        let account = self.connect.account(place.account).await?;
        if !account.sandbox {
            let problem = "this account is no sandbox: nothing is simulated in it";
            return Err(Error::NotFound(Reason::new(problem)));
        }
        screens::access(&self.connect, &account, place.location, kind).await
    }

    /// The products that are for sale.
    async fn products(&self, at: &Access) -> Result<Vec<Product>, Error> {
        use connect_core::wire::{
            limits::MAX_PAGE_SIZE,
            query::{ProductQuery, SyncQuery},
        };
        let query = ProductQuery {
            sync: SyncQuery {
                limit: Some(MAX_PAGE_SIZE),
                ..SyncQuery::default()
            },
            ..ProductQuery::default()
        };
        let mut products = self
            .connect
            .location(at)
            .products()
            .list(&query)
            .await?
            .data;
        products.retain(|product| product.is_active && product.price_cents > 0);
        if products.is_empty() {
            let problem = "nothing is for sale at this location: add a product with a price first";
            return Err(Error::Conflict(Reason::new(problem)));
        }
        Ok(products)
    }

    /// Chances that differ from one call to the next.
    fn chance(&self) -> Chance {
        Chance::new(uuid::Uuid::new_v4().as_u128())
    }
}
