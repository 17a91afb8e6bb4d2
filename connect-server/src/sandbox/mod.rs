//! A simulated shop: sales, refunds, closings, orders and whole days of trade at the push of a button.
//!
//! It exists in the demo alone, and acts at the locations of sandbox accounts. It writes as registers
//! and kiosks do, through screens of its own, so whatever follows from a sale follows from these too:
//! sums, stock, events, webhooks.

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
    /// The clock that the core goes by.
    clock: Arc<SandboxClock>,
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
    /// A day of trade, so many days ago.
    Day(u8),
}

impl Simulation {
    /// The scopes by which a token may see what this makes. Only one that has them all may have it
    /// made.
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

/// The longest time ago that a day is simulated.
const MOST_DAYS: u8 = 90;

/// Reads how many days ago a day is, from the field `daysAgo`.
///
/// # Errors
/// [`Error::Malformed`], which names the field.
pub(crate) fn days_ago(text: &str) -> Result<u8, Error> {
    let days = text.parse().ok().filter(|days| *days <= MOST_DAYS);
    days.ok_or_else(|| {
        let problem = format!("must be a whole number from 0 to {MOST_DAYS}");
        Error::Malformed(Reason::of("daysAgo", problem))
    })
}

/// The seconds by which the clock is put ahead at a time: up to 31 days.
const ADVANCES: std::ops::RangeInclusive<u64> = 1..=31 * 24 * 3600;

/// The field that says by how much.
pub(crate) const ADVANCE_FIELD: &str = "advanceBySeconds";

/// The clock of the sandbox.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct ClockNow {
    /// The time that it shows.
    pub(crate) now: Timestamp,
    /// The seconds by which it is ahead of the machine's.
    pub(crate) ahead_by_seconds: u64,
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
    pub(crate) fn new(connect: Connect, clock: Arc<SandboxClock>) -> Self {
        Self {
            connect,
            clock,
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

    /// The clock, as it is now.
    pub(crate) fn clock(&self) -> ClockNow {
        ClockNow {
            now: self.connect.now(),
            ahead_by_seconds: self.clock.ahead(),
        }
    }

    /// Puts the clock ahead by so many seconds, for everybody on this server. Whatever comes due by
    /// that is done by the workers, as if the time had passed.
    ///
    /// # Errors
    /// [`Error::Malformed`] for less than a second or more than 31 days, [`Error::Conflict`] when the
    /// clock is too far ahead already or would move for a live account as well, [`Error::Internal`] when it
    /// cannot be written down; the account is no sandbox.
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
        // Whoever asked may go away at any moment, which must not leave half of it done.
        let sandbox = self.clone();
        complete(async move { sandbox.put_ahead(seconds).await }).await
    }

    /// Returns whether an account of this server is no sandbox. The clock is the same for all of them.
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

    /// Puts the clock ahead, and tells the store.
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
        if let Err(error) = self.connect.trust_clock().await {
            // The clock has moved for good; the next round of maintenance tells the store.
            let cause = error.cause();
            tracing::warn!(%cause, "the store was not told that the clock of its sandbox was put ahead");
        }
        Ok(self.clock())
    }

    /// Returns an account, which has to be a sandbox.
    async fn account(&self, account: Id<Account>) -> Result<Account, Error> {
        let account = self.connect.account(account).await?;
        if account.sandbox {
            return Ok(account);
        }
        let problem = "this account is no sandbox: nothing is simulated in it";
        Err(Error::NotFound(Reason::new(problem)))
    }

    /// The access of the simulated screen of this type.
    async fn screen(&self, place: Place, kind: ScreenType) -> Result<Access, Error> {
        let account = self.account(place.account).await?;
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

#[cfg(test)]
mod tests;
