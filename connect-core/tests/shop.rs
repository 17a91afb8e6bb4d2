//! The kit of the tests: a shop with one location, on any storage, with a still clock.

use std::{net::IpAddr, sync::Arc, time::Duration};

use connect_core::{
    Access, Account, Connect, ConnectBuilder, Error, Fingerprint, Idempotency, LocationHandle,
    NewAccount, NewLocation, NewScreen, Records, Request, ScreenType, Token,
    environment::{Clock, ManualClock},
    storage::{Storage, memory::MemoryStorage},
    wire::{
        Category, Id, IdempotencyKey, Page, Product, Scope, Timestamp, VatRate,
        query::{ProductQuery, SyncQuery},
    },
};
use serde::de::DeserializeOwned;

use crate::faulty::Faulty;

/// A shop, as the process that serves it has it.
pub(crate) struct Shop {
    pub(crate) connect: Connect,
    /// The owner's access to the location.
    pub(crate) at: Access,
    pub(crate) account: Id<Account>,
    pub(crate) clock: Arc<ManualClock>,
    /// Its storage, with counted rows, commits and reads, failing as a test orders.
    pub(crate) storage: Arc<Faulty>,
}

/// Where every clock starts.
pub(crate) const START: Timestamp = Timestamp::from_micros(1_800_000_000_000_000);

const HERE: IpAddr = IpAddr::V4(std::net::Ipv4Addr::LOCALHOST);

impl Shop {
    /// A shop in memory.
    pub(crate) async fn open() -> Self {
        Self::on(Arc::new(MemoryStorage::new())).await
    }

    /// A new shop on a storage of the test, perhaps shared with more shops.
    pub(crate) async fn on(storage: Arc<dyn Storage>) -> Self {
        let (storage, clock, connect) = process(storage, START);
        let account = account(&connect, "Shop").await;
        let at = location(&connect, account, "Here").await;
        let shop = Self {
            at,
            connect,
            account,
            clock,
            storage,
        };
        let screen = shop.new_screen(ScreenType::Pos, "Till");
        shop.connect.create_screen(account, screen).await.unwrap();
        let at = shop.at.location().id;
        let at = shop.connect.authorize_owner(account, at, account).await;
        Self {
            at: at.unwrap(),
            ..shop
        }
    }

    /// The shop in a used storage, without screens at first.
    pub(crate) async fn reopen(storage: Arc<dyn Storage>, now: Timestamp) -> Self {
        let (storage, clock, connect) = process(storage, now);
        let account = match connect.account_ids().await.unwrap().first() {
            Some(known) => *known,
            None => account(&connect, "Shop").await,
        };
        let locations = connect.account(account).await.unwrap().locations;
        let at = match locations.first() {
            Some(known) => connect.authorize_owner(account, known.id, account).await,
            None => Ok(location(&connect, account, "Here").await),
        };
        Self {
            at: at.unwrap(),
            connect,
            account,
            clock,
            storage,
        }
    }

    /// Drops the shop once the task of the last write has released the store.
    pub(crate) async fn close(self) {
        let Self {
            storage, connect, ..
        } = self;
        drop(connect);
        while !storage.is_held_once() {
            tokio::task::yield_now().await;
        }
    }

    /// The builder of another process on the same storage.
    pub(crate) fn process(&self) -> ConnectBuilder {
        // Ids of several processes differ, as those of UUID v7 do.
        Connect::builder(self.storage.clone()).clock(self.clock.clone())
    }

    /// The core of another process on the same storage.
    pub(crate) fn beside(&self) -> Connect {
        self.process().build()
    }

    /// The core of another process on the same storage, with its clock ahead by so many seconds.
    pub(crate) fn ahead(&self, seconds: i64) -> Connect {
        let clock = Ahead(self.clock.clone(), seconds);
        self.process().clock(Arc::new(clock)).build()
    }

    /// The location.
    pub(crate) fn here(&self) -> LocationHandle {
        self.connect.location(&self.at)
    }

    /// A page of the changed products and deletions, as the API sends it.
    pub(crate) async fn changed_products<T: DeserializeOwned>(
        &self,
        since: Option<Timestamp>,
        limit: usize,
        cursor: Option<String>,
    ) -> Result<Page<T>, Error> {
        let query = ProductQuery {
            sync: SyncQuery {
                updated_since: since,
                include_deleted: true,
                limit: Some(limit),
                cursor,
            },
            ..ProductQuery::default()
        };
        let page = self.here().json::<Product>().list(&query).await?;
        Ok(serde_json::from_slice(&page.into_bytes()).unwrap())
    }

    /// The products of the location.
    pub(crate) fn products(&self) -> Records<Product> {
        self.here().products()
    }

    /// The categories of the location.
    pub(crate) fn categories(&self) -> Records<Category> {
        self.here().categories()
    }

    /// Another location of the account.
    pub(crate) async fn location(&self, name: &str) -> Access {
        location(&self.connect, self.account, name).await
    }

    fn new_screen(&self, kind: ScreenType, name: &str) -> NewScreen {
        NewScreen {
            location_id: self.at.location().id,
            kind,
            name: name.into(),
        }
    }

    /// The access of a new screen at the location, by its key.
    pub(crate) async fn screen(&self, kind: ScreenType, name: &str) -> Access {
        screen(&self.connect, &self.at, kind, name).await
    }

    /// The access of the screen with this key.
    pub(crate) async fn authenticate(&self, key: &str) -> Result<Access, Error> {
        let at = self.connect.authenticate_screen(HERE, Some(key)).await;
        at.map_err(|denied| denied.error)
    }

    /// The access of a new token that may do everything, and the token's id.
    pub(crate) async fn token(&self) -> (Access, Id<Token>) {
        let issued = self.connect.create_full_token(self.account, "Sync").await;
        let issued = issued.unwrap();
        let secret = issued.secret;
        let caller = self.connect.authenticate(HERE, Some(secret.expose())).await;
        let location = self.at.location().id;
        let at = caller.unwrap().authorize(location, &Scope::CatalogWrite);
        (at.unwrap(), issued.token.id)
    }

    /// Returns the trips to the storage taken by `work`, and its result.
    pub(crate) async fn trips<T>(&self, work: impl Future<Output = T>) -> (u64, T) {
        let before = self.storage.trips();
        let done = work.await;
        (self.storage.trips() - before, done)
    }

    /// Checks the rows against each other.
    pub(crate) async fn check(&self) {
        let report = self.connect.check(&mut |_| {}).await.unwrap();
        assert_eq!(report.problems, []);
    }
}

/// A process on this storage, and its clock.
fn process(storage: Arc<dyn Storage>, now: Timestamp) -> (Arc<Faulty>, Arc<ManualClock>, Connect) {
    let storage = Faulty::new(storage);
    let clock = ManualClock::at(now);
    let connect = connect(storage.clone(), &clock);
    (storage, clock, connect)
}

/// The core of a process on this storage.
pub(crate) fn connect(storage: Arc<dyn Storage>, clock: &Arc<ManualClock>) -> Connect {
    Connect::builder(storage).clock(clock.clone()).build()
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

/// A new account.
pub(crate) async fn account(connect: &Connect, name: &str) -> Id<Account> {
    let account = NewAccount {
        name: name.into(),
        owner_email: format!("owner@{}.example", name.to_lowercase()),
        sandbox: true,
    };
    connect.create_account(account).await.unwrap().id
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
    let access = connect.authenticate_screen(HERE, Some(key.expose()));
    access.await.unwrap()
}
