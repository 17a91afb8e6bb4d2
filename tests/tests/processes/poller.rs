//! A client that keeps a copy of the catalogue, and asks one server after the other for changes.

use std::{
    collections::HashMap,
    sync::{Arc, atomic::Ordering::SeqCst},
};

use connect_client::{
    Client, Error, RetryPolicy,
    wire::{Entry, Id, Product, Timestamp},
};
use tokio::time::{Duration, sleep};

use super::{clients::Clients, fleet::SERVERS};

/// The copy, as the SDK keeps it.
pub(super) struct Poller {
    clients: Arc<Clients>,
    pub(super) copy: HashMap<Id<Product>, Product>,
    since: Option<Timestamp>,
    /// The passes that were read to their end.
    pub(super) passes: usize,
}

impl Poller {
    pub(super) fn new(clients: Arc<Clients>) -> Self {
        Self {
            clients,
            copy: HashMap::new(),
            since: None,
            passes: 0,
        }
    }

    /// Asks until the clients have come to their end.
    pub(super) async fn poll(mut self) -> Self {
        for server in 0.. {
            if self.clients.is_over.load(SeqCst) {
                break;
            }
            // A server that is killed ends the pass; the next one goes on from the same place.
            let _ = self.pass(server).await;
            sleep(Duration::from_millis(20)).await;
        }
        self
    }

    /// Asks one server for what has changed.
    pub(super) async fn pass(&mut self, server: usize) -> Result<(), Error> {
        let Some(address) = self.clients.fleet.address(server % SERVERS, "/v1") else {
            return Ok(());
        };
        let client = Client::builder(
            format!("http://{address}/v1"),
            self.clients.premises.token.clone(),
        )
        .retry(RetryPolicy::never())
        .build()
        .unwrap();
        let products = client.location(self.clients.premises.here).products();
        let (entries, since) = products.changes_since(self.since).all().await?;
        let mut last = self.since;
        for entry in entries {
            let Entry::Live(product) = entry else {
                panic!("nothing is deleted here");
            };
            let is_later = last.is_none_or(|last| last <= product.updated_at);
            assert!(is_later, "{} after {last:?}", product.updated_at);
            last = Some(product.updated_at);
            if let Some(old) = self.copy.insert(product.id, product.clone()) {
                assert!(old.updated_at < product.updated_at, "{old:?} came again");
            }
        }
        assert!(since >= last);
        self.since = since;
        self.passes += 1;
        Ok(())
    }
}
