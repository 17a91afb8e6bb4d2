//! Setting up a shop.

use std::sync::Arc;

use connect_core::{
    Account, Connect, NewAccount, NewLocation, NewScreen, RateLimits, Screen, ScreenType,
    environment::ManualClock,
    storage::{Storage, disk::Health},
    wire::{Id, Location, Timestamp, VatRate},
};
use connect_server::{
    app::{ConnectApp, ListenerKind},
    images::{Copies, DEFAULT_DEADLINE, ImageService, PublicUrl},
    net::{Listen, Server},
    networks::Networks,
    outbound::AddressGuard,
};
use futures_util::FutureExt as _;
use tokio::sync::oneshot;

use super::{Shop, usual_store::UsualStore};

/// The set-up of a shop.
pub struct Setup {
    /// The store of its records; `None` is [the usual one](UsualStore).
    storage: Option<Arc<dyn Storage>>,
    /// Its rate limits.
    limits: RateLimits,
    /// The time, until the test moves the clock.
    now: Timestamp,
    /// The health of the storage, as reported to the probes.
    health: Arc<dyn Fn() -> Health + Send + Sync>,
    /// Networks allowed for images, besides the public internet.
    /// `None` if no images are taken over.
    images_from: Option<Networks>,
}

impl Default for Setup {
    fn default() -> Self {
        const PLENTY: u32 = 1_000_000;
        Self {
            storage: None,
            limits: RateLimits {
                token: PLENTY,
                account: PLENTY,
                address: PLENTY,
                anonymous: PLENTY,
            },
            now: "2026-11-20T10:00:00Z".parse().expect("a time"),
            health: Arc::new(|| Health::Working),
            images_from: None,
        }
    }
}

impl Setup {
    /// With this storage; several shops may share it, like several processes.
    #[must_use]
    pub fn storage(self, storage: Arc<dyn Storage>) -> Self {
        Self {
            storage: Some(storage),
            ..self
        }
    }

    /// With these rate limits, instead of limits no test reaches.
    #[must_use]
    pub fn limits(self, limits: RateLimits) -> Self {
        Self { limits, ..self }
    }

    /// With probes reporting this health of the storage.
    #[must_use]
    pub fn health(self, health: impl Fn() -> Health + Send + Sync + 'static) -> Self {
        Self {
            health: Arc::new(health),
            ..self
        }
    }

    /// With images taken over, also from these networks, and served.
    #[must_use]
    pub fn images_from(self, allowed: Networks) -> Self {
        Self {
            images_from: Some(allowed),
            ..self
        }
    }

    /// Opens the shop, making an account with locations if there is none.
    pub async fn open(self) -> Shop {
        let clock = ManualClock::at(self.now);
        let guard = AddressGuard::allowing(self.images_from.clone().unwrap_or_default());
        let (storage, premises) = match self.storage {
            Some(storage) => (storage, None),
            None => {
                let UsualStore { storage, premises } = UsualStore::open().await;
                (storage, Some(premises))
            }
        };
        let connect = Connect::builder(storage)
            .clock(clock.clone())
            .image_links(Arc::new(guard))
            .limits(self.limits)
            .build();
        let account = match connect
            .account_ids()
            .await
            .expect("the storage answers")
            .first()
        {
            Some(account) => *account,
            None => business(&connect).await,
        };
        let locations = connect
            .account(account)
            .await
            .expect("the account")
            .locations;
        let token = full_token(&connect, account, "Everything").await;
        let (server, owner) = (listener().await, listener().await);
        let (address, owner_address) = (server.address(), owner.address());
        let (stop, stopped) = oneshot::channel::<()>();
        // The sender is dropped to stop the servers; it never sends.
        let stopped = stopped.map(drop).shared();
        let app = |listener_kind| {
            let health = self.health.clone();
            ConnectApp::with_health(connect.clone(), listener_kind, move || health())
        };
        let (mut app, owner_app) = (app(ListenerKind::Api), app(ListenerKind::Owner));
        let images = self.images_from.map(|allowed| {
            let (copies, public) = (Copies::in_memory(), PublicUrl::of(&server));
            ImageService::new(copies, public, allowed, DEFAULT_DEADLINE).expect("certificates")
        });
        if let Some(images) = &images {
            app = app.with_images(images.copies());
        }
        let served = tokio::spawn(async move {
            tokio::join!(
                server.serve(app, stopped.clone()),
                owner.serve(owner_app, stopped)
            );
        });
        Shop {
            address,
            owner_address,
            connect,
            clock,
            account,
            here: locations[0].id,
            there: locations[1].id,
            token,
            images,
            stop: Some(stop),
            served: Some(served),
            _premises: premises,
        }
    }
}

/// A listener on a free port.
async fn listener() -> Server {
    let server = Server::bind(Listen::on(([127, 0, 0, 1], 0).into())).await;
    server.expect("a port is free")
}

/// An account with two locations and a till at the first.
async fn business(connect: &Connect) -> Id<Account> {
    let account = account(connect).await;
    let here = location(connect, account, "Harbour").await;
    location(connect, account, "Station").await;
    screen(connect, account, here, ScreenType::Pos, "Till").await;
    account
}

/// Makes an account without locations.
///
/// # Panics
/// The storage fails, also in the functions below.
pub async fn account(connect: &Connect) -> Id<Account> {
    let new = NewAccount {
        name: "Bakery".to_owned(),
        owner_email: "owner@bakery.example".to_owned(),
        sandbox: true,
    };
    connect.create_account(new).await.expect("an account").id
}

/// Makes a location of an account.
pub async fn location(connect: &Connect, account: Id<Account>, name: &str) -> Id<Location> {
    let new = NewLocation {
        name: name.to_owned(),
        currency: "EUR".to_owned(),
        default_vat_rate: VatRate::percent(9),
    };
    let location = connect.create_location(account, new).await;
    location.expect("a location").id
}

/// Makes a screen of an account, and returns its ID and the value of its key.
pub async fn screen(
    connect: &Connect,
    account: Id<Account>,
    location_id: Id<Location>,
    kind: ScreenType,
    name: &str,
) -> (Id<Screen>, String) {
    let new = NewScreen {
        location_id,
        kind,
        name: name.to_owned(),
    };
    let screen = connect.create_screen(account, new).await;
    let id = screen.expect("a screen").id;
    let key = connect.roll_screen_key(account, id).await;
    (id, key.expect("a key").expose().to_owned())
}

/// Makes a token of an account, for everything.
pub async fn full_token(connect: &Connect, account: Id<Account>, name: &str) -> String {
    let token = connect.create_full_token(account, name).await;
    token.expect("a token").secret.expose().to_owned()
}
