//! An empty shop with one location, and a clock that stands still.

use std::{net::IpAddr, sync::Arc, time::Duration};

use connect_core::{
    Access, Account, Connect, Error, Fingerprint, Idempotency, NewAccount, NewLocation, NewScreen,
    Records, Request, ScreenType, Token,
    environment::{Clock, ManualClock},
    storage::{Storage, memory::MemoryStorage},
    wire::{Category, Id, IdempotencyKey, Product, Scope, Timestamp, VatRate},
};

/// A shop, as the process that serves it has it.
pub(crate) struct Shop {
    pub(crate) connect: Connect,
    /// The owner's access to the location.
    pub(crate) at: Access,
    pub(crate) account: Id<Account>,
    pub(crate) clock: Arc<ManualClock>,
}

/// Where every clock starts.
pub(crate) const START: Timestamp = Timestamp::from_micros(1_800_000_000_000_000);

/// A shop in memory.
pub(crate) async fn open() -> (Connect, Access) {
    let shop = open_on(Arc::new(MemoryStorage::new())).await;
    (shop.connect, shop.at)
}

/// A shop on a storage of the test.
pub(crate) async fn open_on(storage: Arc<dyn Storage>) -> Shop {
    let clock = ManualClock::at(START);
    let connect = connect(storage, &clock);
    let account = NewAccount {
        name: "Shop".into(),
        owner_email: "owner@shop.example".into(),
        sandbox: true,
    };
    let account = connect.create_account(account).await.unwrap().id;
    let at = location(&connect, account, "Here").await;
    let screen = NewScreen {
        location_id: at.location().id,
        kind: ScreenType::Pos,
        name: "Till".into(),
    };
    connect.create_screen(account, screen).await.unwrap();
    Shop {
        at: connect
            .authorize_owner(account, at.location().id, account)
            .await
            .unwrap(),
        connect,
        account,
        clock,
    }
}

/// The core of another process on the same storage.
pub(crate) fn connect(storage: Arc<dyn Storage>, clock: &Arc<ManualClock>) -> Connect {
    // Ids of several processes differ, as those of UUID v7 do.
    Connect::builder(storage).clock(clock.clone()).build()
}

/// The core of another process on the same storage, with its clock ahead.
pub(crate) fn connect_ahead(
    storage: Arc<dyn Storage>,
    clock: &Arc<ManualClock>,
    by: i64,
) -> Connect {
    let clock = Ahead(clock.clone(), by);
    Connect::builder(storage).clock(Arc::new(clock)).build()
}

/// A clock with a constant lead over another, in seconds.
struct Ahead(Arc<ManualClock>, i64);

impl Clock for Ahead {
    fn now(&self) -> Timestamp {
        self.0.now().plus_seconds(self.1)
    }

    fn elapsed(&self) -> Duration {
        self.0.elapsed()
    }
}

/// A new location of an account.
pub(crate) async fn location(connect: &Connect, account: Id<Account>, name: &str) -> Access {
    let location = NewLocation {
        name: name.into(),
        currency: "EUR".into(),
        default_vat_rate: VatRate::percent(21),
    };
    let location = connect.create_location(account, location).await.unwrap().id;
    let at = connect.authorize_owner(account, location, account).await;
    at.unwrap()
}

impl Shop {
    /// The products of the location.
    pub(crate) fn products(&self) -> Records<Product> {
        self.connect.location(&self.at).products()
    }

    /// The categories of the location.
    pub(crate) fn categories(&self) -> Records<Category> {
        self.connect.location(&self.at).categories()
    }

    /// The access of a new screen at the location, by its key.
    pub(crate) async fn screen(&self, kind: ScreenType, name: &str) -> Access {
        screen(&self.connect, &self.at, kind, name).await
    }

    /// The access of the screen with this key.
    pub(crate) async fn authenticate(&self, key: &str) -> Result<Access, Error> {
        let address = IpAddr::from([127, 0, 0, 1]);
        let at = self.connect.authenticate_screen(address, Some(key)).await;
        at.map_err(|denied| denied.error)
    }

    /// The access of a new token that may do everything, and the token's id.
    pub(crate) async fn token(&self) -> (Access, Id<Token>) {
        let issued = self.connect.create_full_token(self.account, "Sync").await;
        let issued = issued.unwrap();
        let secret = issued.secret;
        let address = IpAddr::from([127, 0, 0, 1]);
        let caller = self
            .connect
            .authenticate(address, Some(secret.expose()))
            .await
            .unwrap();
        let location = self.at.location().id;
        let at = caller.authorize(location, &Scope::CatalogWrite);
        (at.unwrap(), issued.token.id)
    }
}

/// A request under an idempotency key.
pub(crate) fn keyed<T>(request: Request<T>, key: &str) -> Request<T> {
    request.with_idempotency(Some(Idempotency {
        key: IdempotencyKey::new(key).unwrap(),
        fingerprint: Fingerprint::of("POST", "/v1", key.as_bytes()),
    }))
}

/// The access of a new screen of a location.
pub(crate) async fn screen(
    connect: &Connect,
    owner: &Access,
    kind: ScreenType,
    name: &str,
) -> Access {
    let account = owner.account().id;
    let new = NewScreen {
        location_id: owner.location().id,
        kind,
        name: name.into(),
    };
    let id = connect.create_screen(account, new).await.unwrap().id;
    let key = connect.roll_screen_key(account, id).await.unwrap();
    let address = IpAddr::from([127, 0, 0, 1]);
    let access = connect.authenticate_screen(address, Some(key.expose()));
    access.await.unwrap()
}
