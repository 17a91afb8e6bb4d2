//! A service for the examples to talk to.

use std::{
    fs,
    future::pending,
    path::{Path, PathBuf},
    sync::Arc,
};

use connect_client::{
    Client,
    wire::{Id, Location, Product, Timestamp, query::ProductQuery},
};
use connect_core::{
    Connect,
    environment::{ManualClock, SequentialIds},
    storage::memory::MemoryStorage,
};
use connect_server::{
    app::{ConnectApp, Door},
    demo,
    net::{Listen, Server},
};
use tempfile::TempDir;
use tokio::task::JoinHandle;

/// A service with the demo's shop, on a port of its own, gone when this is dropped.
pub(crate) struct Service {
    pub(crate) url: String,
    pub(crate) token: String,
    /// Its locations, as the demo made them.
    pub(crate) locations: Vec<Id<Location>>,
    task: JoinHandle<()>,
    files: TempDir,
}

impl Service {
    pub(crate) async fn start() -> Self {
        let clock = ManualClock::at(Timestamp::from_micros(1_800_000_000_000_000));
        let storage = Arc::new(MemoryStorage::new());
        let connect = Connect::builder(storage)
            .clock(clock)
            .ids(Arc::new(SequentialIds::default()))
            .build();
        let shop = demo::open(&connect).await.unwrap();
        let server = Server::bind(Listen::on(([127, 0, 0, 1], 0).into()))
            .await
            .unwrap();
        Self {
            url: format!("http://{}/v1", server.address()),
            token: shop.token.unwrap().expose().to_owned(),
            locations: shop
                .account
                .locations
                .iter()
                .map(|location| location.id)
                .collect(),
            task: tokio::spawn(server.serve(ConnectApp::new(connect, Door::Api), pending())),
            files: TempDir::new().unwrap(),
        }
    }

    /// A file that is gone with the service.
    pub(crate) fn file(&self, name: &str, text: impl AsRef<[u8]>) -> PathBuf {
        let path = self.files.path().join(name);
        fs::write(&path, text).unwrap();
        path
    }

    pub(crate) fn client(&self) -> Client {
        Client::builder(&self.url, &self.token).build().unwrap()
    }

    /// The product of this code, if the first location has it.
    pub(crate) async fn find(&self, external_id: &str) -> Option<Product> {
        self.find_at(self.locations[0], external_id).await
    }

    /// The product of this code, if a location has it.
    pub(crate) async fn find_at(
        &self,
        location: Id<Location>,
        external_id: &str,
    ) -> Option<Product> {
        let query = ProductQuery {
            external_id: Some(external_id.to_owned()),
            ..ProductQuery::default()
        };
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
        self.task.abort();
    }
}

/// A file that comes with the example.
pub(crate) fn shipped(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("data")
        .join(name)
}
