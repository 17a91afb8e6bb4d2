//! A service for the examples.

use std::{
    fs,
    future::pending,
    path::{Path, PathBuf},
    sync::Arc,
};

use connect_client::{
    Client,
    wire::{EventType, Id, Location, Product, Timestamp, query::ProductQuery},
};
use connect_core::{
    Account, Connect, NewScreen, NewWebhook, RateLimits, ScreenType,
    environment::{ManualClock, SequentialIds},
    storage::memory::MemoryStorage,
};
use connect_server::{
    app::{ConnectApp, ListenerKind},
    demo,
    net::{Listen, Server},
    networks::Networks,
    outbound::AddressGuard,
    webhooks::{PublicWebhooks, WebhookClient},
};
use tempfile::TempDir;
use tokio::task::JoinHandle;

/// A service with the demo's shop on free ports; ends on drop.
pub(crate) struct Service {
    pub(crate) url: String,
    pub(crate) token: String,
    /// The address of the listener for devices.
    pub(crate) admin_url: String,
    /// The keys of the registers, one per location.
    pub(crate) device_keys: Vec<String>,
    /// Its locations, as the demo made them.
    pub(crate) locations: Vec<Id<Location>>,
    connect: Connect,
    account: Id<Account>,
    tasks: [JoinHandle<()>; 2],
    files: TempDir,
}

impl Service {
    pub(crate) async fn start() -> Self {
        Self::start_at(Timestamp::from_micros(1_800_000_000_000_000)).await
    }

    /// A service with its clock stopped at this time.
    pub(crate) async fn start_at(now: Timestamp) -> Self {
        let storage = Arc::new(MemoryStorage::new());
        let connect = Connect::builder(storage)
            .clock(ManualClock::at(now))
            .webhook_links(Arc::new(PublicWebhooks::new(own_machine())))
            .ids(Arc::new(SequentialIds::default()))
            // The clock stands still, so a window never ends.
            .limits(RateLimits {
                token: 100_000,
                account: 100_000,
                ..RateLimits::default()
            })
            .build();
        let shop = demo::open(&connect).await.unwrap();
        let listen = || Server::bind(Listen::on(([127, 0, 0, 1], 0).into()));
        let (api, owner) = (listen().await.unwrap(), listen().await.unwrap());
        let (url, admin_url) = (format!("{}/v1", api.url()), owner.url());
        let app = |listener_kind| ConnectApp::new(connect.clone(), listener_kind);
        let tasks = [
            tokio::spawn(api.serve(app(ListenerKind::Api), pending())),
            tokio::spawn(owner.serve(app(ListenerKind::Owner), pending())),
        ];
        let registers = shop.screens.iter();
        let registers = registers.filter(|(screen, _)| screen.kind == ScreenType::Pos);
        Self {
            url,
            admin_url,
            device_keys: registers.map(|(_, key)| key.expose().to_owned()).collect(),
            tasks,
            token: shop.token.unwrap().expose().to_owned(),
            locations: shop
                .account
                .locations
                .iter()
                .map(|location| location.id)
                .collect(),
            files: TempDir::new().unwrap(),
            account: shop.account.id,
            connect,
        }
    }

    /// The key of another register at the first location.
    pub(crate) async fn register(&self, name: &str) -> String {
        let new = NewScreen {
            location_id: self.locations[0],
            kind: ScreenType::Pos,
            name: name.to_owned(),
        };
        let screen = self.connect.create_screen(self.account, new).await;
        let screen = screen.unwrap().id;
        let key = self.connect.roll_screen_key(self.account, screen).await;
        key.unwrap().expose().to_owned()
    }

    /// Makes a webhook for changes of products, and returns its secret.
    pub(crate) async fn webhook(&self, url: String) -> String {
        let new = NewWebhook {
            url,
            events: vec![EventType::ProductChanged],
            location_ids: Vec::new(),
        };
        let made = self.connect.create_webhook(self.account, new).await;
        made.unwrap().secret.expose().to_owned()
    }

    /// Delivers all waiting events, and returns the number of successful deliveries.
    pub(crate) async fn deliver(&self) -> usize {
        let sender = WebhookClient::new(own_machine()).unwrap();
        let worker = self.connect.webhook_worker(Arc::new(sender), None);
        worker.tick().await.unwrap().delivered
    }

    /// A file removed with the service.
    pub(crate) fn file(&self, name: &str, text: impl AsRef<[u8]>) -> PathBuf {
        let path = self.files.path().join(name);
        fs::write(&path, text).unwrap();
        path
    }

    pub(crate) fn client(&self) -> Client {
        Client::builder(&self.url, &self.token).build().unwrap()
    }

    /// The product with this code, if the first location has it.
    pub(crate) async fn find(&self, external_id: &str) -> Option<Product> {
        self.find_at(self.locations[0], external_id).await
    }

    /// The product with this code, if a location has it.
    pub(crate) async fn find_at(
        &self,
        location: Id<Location>,
        external_id: &str,
    ) -> Option<Product> {
        let query = ProductQuery::default().external_id(external_id);
        self.client()
            .location(location)
            .products()
            .list(&query)
            .await
            .unwrap()
            .data
            .pop()
    }
}

impl Drop for Service {
    fn drop(&mut self) {
        self.tasks.iter().for_each(JoinHandle::abort);
    }
}

/// Lets the service send to this machine.
fn own_machine() -> AddressGuard {
    AddressGuard::allowing(Networks::loopback())
}

/// A file shipped with the example.
pub(crate) fn shipped(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("data")
        .join(name)
}
