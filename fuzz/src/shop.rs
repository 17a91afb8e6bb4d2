//! A shop in memory, for targets in need of a whole core.

use std::{cell::RefCell, future::Future, net::IpAddr, sync::Arc};

use connect_core::{
    Access, Connect, NewAccount, NewLocation, NewScreen, RateLimits, ScreenType,
    environment::{ManualClock, SequentialIds},
    storage::memory::MemoryStorage,
    wire::{Timestamp, VatRate},
};
use tokio::runtime::{Builder, Runtime};

/// The time of the shop's clock.
pub(crate) const NOW: Timestamp = Timestamp::from_micros(1_800_000_000_000_000);

/// A shop with one location, and its runtime.
pub(crate) struct Shop {
    pub(crate) connect: Connect,
    pub(crate) at: Access,
    /// A token for everything.
    pub(crate) token: String,
    till: Access,
    kiosk: Access,
    runtime: Runtime,
}

impl Shop {
    /// An empty shop.
    pub(crate) fn open() -> Self {
        let runtime = Builder::new_current_thread().enable_all().build().unwrap();
        let connect = connect();
        let (at, token) = runtime.block_on(set_up(&connect));
        let till = runtime.block_on(screen(&connect, &at, ScreenType::Pos));
        let kiosk = runtime.block_on(screen(&connect, &at, ScreenType::OrderKiosk));
        Self {
            connect,
            at,
            token,
            till,
            kiosk,
            runtime,
        }
    }

    /// The access of a register.
    pub(crate) fn till(&self) -> &Access {
        &self.till
    }

    /// The access of a kiosk.
    pub(crate) fn kiosk(&self) -> &Access {
        &self.kiosk
    }

    /// Spawns work, to run while the shop waits.
    pub(crate) fn start(&self, work: impl Future<Output = ()> + Send + 'static) {
        drop(self.runtime.spawn(work));
    }

    /// Runs a future to its end, and returns its output.
    pub(crate) fn wait<T>(&self, future: impl Future<Output = T>) -> T {
        self.runtime.block_on(future)
    }
}

fn connect() -> Connect {
    let limits = RateLimits {
        token: u32::MAX,
        account: u32::MAX,
        address: u32::MAX,
        anonymous: u32::MAX,
    };
    Connect::builder(Arc::new(MemoryStorage::new()))
        .clock(ManualClock::at(NOW))
        .ids(Arc::new(SequentialIds::default()))
        .limits(limits)
        .build()
}

/// An account with a location: the owner's access, and a token.
async fn set_up(connect: &Connect) -> (Access, String) {
    let account = NewAccount {
        name: "Shop".into(),
        owner_email: "owner@shop.example".into(),
        sandbox: true,
    };
    let account = connect.create_account(account).await.unwrap().id;
    let location = NewLocation {
        name: "Here".into(),
        currency: "EUR".into(),
        default_vat_rate: VatRate::percent(9),
    };
    let location = connect.create_location(account, location).await.unwrap().id;
    let token = connect.create_full_token(account, "Fuzz").await.unwrap();
    let at = connect.authorize_owner(account, location, account).await;
    (at.unwrap(), token.secret.expose().to_owned())
}

/// The access of a new screen.
async fn screen(connect: &Connect, at: &Access, kind: ScreenType) -> Access {
    let account = at.account().id;
    let new = NewScreen {
        location_id: at.location().id,
        kind,
        name: "Screen".into(),
    };
    let id = connect.create_screen(account, new).await.unwrap().id;
    let key = connect.roll_screen_key(account, id).await.unwrap();
    let here = IpAddr::from([127, 0, 0, 1]);
    let access = connect.authenticate_screen(here, Some(key.expose())).await;
    access.unwrap_or_else(|denied| panic!("{:?}", denied.error))
}

/// The place of a thread for a value made on first use.
pub(crate) struct Place<T>(RefCell<Option<T>>);

impl<T> Place<T> {
    /// An empty place.
    pub(crate) const fn new() -> Self {
        Self(RefCell::new(None))
    }

    /// Lends the value in the place, made by `make` when empty.
    pub(crate) fn with<R>(&self, make: impl FnOnce() -> T, work: impl FnOnce(&mut T) -> R) -> R {
        work(self.0.borrow_mut().get_or_insert_with(make))
    }

    /// Empties the place.
    pub(crate) fn clear(&self) {
        self.0.take();
    }
}
