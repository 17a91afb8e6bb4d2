//! A simulated shop: sales, refunds, closings, orders and days on request.
//!
//! Exists only in the demo, and acts only at locations of sandbox accounts. It writes as registers
//! and kiosks do, through screens of its own. So its sales have all the usual effects: sums, stock,
//! events, webhooks.

mod basket;
mod clock;
mod day;
pub mod demo;
mod hours;
mod orders;
mod sales;
mod screens;

pub(crate) use clock::{ClockFileError, SandboxClock};
pub(crate) use day::Day;
pub(crate) use screens::{check_name, is_simulated};

use std::sync::Arc;

use connect_core::{
    Access, Account, Connect, Error, Reason, ScreenType,
    environment::{Ids, UuidV7},
    storage::StorageError,
    wire::{Id, Location, Order, Product, Scope, Timestamp, Transaction, ZReport},
};
use serde::Serialize;
use tokio::sync::Mutex;

use self::{basket::Chance, clock::NotAdvanced};
use crate::net::completion::complete;

/// A simulated shop.
#[derive(Clone)]
pub(crate) struct Sandbox {
    connect: Connect,
    /// The clock of the core.
    clock: Arc<SandboxClock>,
    /// Allows one simulation at a time: each gives its screens new keys.
    turn: Arc<Mutex<()>>,
    /// The seeds of chance.
    seeds: Arc<dyn Ids>,
}

/// A location of a sandbox account.
#[derive(Clone, Copy, Debug)]
pub(crate) struct SandboxLocation {
    pub(crate) account: Id<Account>,
    pub(crate) location: Id<Location>,
}

/// A kind of simulation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Simulation {
    /// A sale at the register.
    Sale,
    /// A refund of the latest sale.
    Refund,
    /// The closing of the register.
    ZReport,
    /// An order at the kiosk.
    Order,
    /// The next step of the most advanced open order.
    OrderStep,
    /// A day of trade, this number of days ago.
    Day(u8),
}

impl Simulation {
    /// The scopes a token needs to see the simulated records.
    /// Only a token with all of them may request the simulation.
    pub(crate) fn scopes(self) -> &'static [Scope] {
        const JOURNAL: &[Scope] = &[Scope::PosRead];
        const ORDERS: &[Scope] = &[Scope::OrdersRead];
        const BOTH: &[Scope] = &[Scope::PosRead, Scope::OrdersRead];
        match self {
            Self::Sale | Self::Refund | Self::ZReport => JOURNAL,
            Self::Order | Self::OrderStep => ORDERS,
            Self::Day(_) => BOTH,
        }
    }
}

/// The most days ago for a simulated day.
const MOST_DAYS: u8 = 90;

/// Reads the number of days ago from the field `daysAgo`.
///
/// # Errors
/// [`Error::Malformed`] with the name of the field.
pub(crate) fn days_ago(text: &str) -> Result<u8, Error> {
    let days = text.parse().ok().filter(|days| *days <= MOST_DAYS);
    days.ok_or_else(|| {
        let problem = format!("must be a whole number from 0 to {MOST_DAYS}");
        Error::Malformed(Reason::of("daysAgo", problem))
    })
}

/// The seconds of one advance of the clock: up to 31 days.
const ADVANCES: std::ops::RangeInclusive<u64> = 1..=31 * 24 * 3600;

/// The field for the seconds of an advance.
pub(crate) const ADVANCE_FIELD: &str = "advanceBySeconds";

/// The clock of the sandbox.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct ClockNow {
    /// The current time of the clock.
    pub(crate) now: Timestamp,
    /// Its lead over the machine's clock, in seconds.
    pub(crate) ahead_by_seconds: u64,
}

/// The simulated record, as shown by the API.
#[derive(Debug, Serialize)]
#[serde(untagged)]
pub(crate) enum Simulated {
    Transaction(Box<Transaction>),
    ZReport(Box<ZReport>),
    Order(Box<Order>),
    Day(Day),
}

impl Sandbox {
    /// Makes a sandbox for this service.
    pub(crate) fn new(connect: Connect, clock: Arc<SandboxClock>) -> Self {
        Self {
            connect,
            clock,
            turn: Arc::default(),
            seeds: Arc::new(UuidV7),
        }
    }

    /// The same with other seeds.
    #[cfg(test)]
    pub(crate) fn with_seeds(mut self, seeds: Arc<dyn Ids>) -> Self {
        self.seeds = seeds;
        self
    }

    /// Runs a simulation at a location.
    ///
    /// # Errors
    /// The account is no sandbox, there is no such location, nothing is for sale there, or there is
    /// nothing to refund or to move on.
    pub(crate) async fn simulate(
        &self,
        place: SandboxLocation,
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

    /// Returns the current state of the clock.
    pub(crate) fn clock(&self) -> ClockNow {
        ClockNow {
            now: self.connect.now(),
            ahead_by_seconds: self.clock.ahead(),
        }
    }

    /// Puts the clock ahead for every user of this server.
    /// The workers then do all work due by the new time, as if the time had passed.
    ///
    /// # Errors
    /// [`Error::Malformed`] for less than a second or more than 31 days, [`Error::Conflict`] when
    /// the clock is too far ahead already or would move for a live account as well,
    /// [`Error::Internal`] when the lead cannot be stored; the account is no sandbox.
    pub(crate) async fn advance(
        &self,
        account: Id<Account>,
        seconds: Option<u64>,
    ) -> Result<ClockNow, Error> {
        self.account(account).await?;
        let seconds = seconds.filter(|seconds| ADVANCES.contains(seconds));
        let seconds = seconds.ok_or_else(|| {
            let (least, most) = (ADVANCES.start(), ADVANCES.end());
            let problem = format!(
                "must be a whole number of seconds from {least} to {most}, which is 31 days"
            );
            Error::Malformed(Reason::of(ADVANCE_FIELD, problem))
        })?;
        if self.has_live_account().await? {
            let problem = "this server has a live account, whose time would move too; use a server whose \
                           accounts are all sandboxes";
            return Err(Error::Conflict(Reason::new(problem)));
        }
        // The client may go away at any moment. This must not leave the advance half done.
        let sandbox = self.clone();
        complete(async move { sandbox.put_ahead(seconds).await }).await
    }

    /// Returns whether an account of this server is no sandbox.
    /// All accounts share the clock.
    ///
    /// # Errors
    /// The storage failed.
    pub(crate) async fn has_live_account(&self) -> Result<bool, Error> {
        for id in self.connect.account_ids().await? {
            if !self.connect.account(id).await?.sandbox {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Puts the clock ahead and tells the store.
    async fn put_ahead(&self, seconds: u64) -> Result<ClockNow, Error> {
        let advanced = self.clock.advance(&self.connect, seconds).await;
        advanced.map_err(|refused| match refused {
            NotAdvanced::TooFar => {
                let problem = "the clock is ten years ahead, which is as far as it goes; begin with \
                               another data folder";
                Error::Conflict(Reason::new(problem))
            }
            NotAdvanced::Unwritten(error) => {
                let error = error.cause();
                let cause = format!("the clock of the sandbox could not be written down: {error}");
                StorageError::new(cause).into()
            }
        })?;
        // The next start finds that nothing is wrong with the time.
        if let Err(error) = self.connect.accept_clock().await {
            // The clock has moved for good; the next round of maintenance tells the store.
            let cause = error.cause();
            tracing::warn!(
                %cause,
                "the store does not know yet that the clock of its sandbox was put ahead"
            );
        }
        Ok(self.clock())
    }

    /// Returns a sandbox account, and refuses any other.
    async fn account(&self, account: Id<Account>) -> Result<Account, Error> {
        let account = self.connect.account(account).await?;
        if account.sandbox {
            return Ok(account);
        }
        let problem = "this account is no sandbox: nothing is simulated in it";
        Err(Error::NotFound(Reason::new(problem)))
    }

    /// Authorizes the simulated screen of this type.
    async fn screen(&self, place: SandboxLocation, kind: ScreenType) -> Result<Access, Error> {
        let account = self.account(place.account).await?;
        screens::access(&self.connect, &account, place.location, kind).await
    }

    /// The products for sale.
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

    /// A source of numbers, different for each call.
    fn chance(&self) -> Chance {
        Chance::new(self.seeds.next().as_u128())
    }
}

#[cfg(test)]
mod tests;
