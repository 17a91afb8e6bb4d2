//! Webhooks: what is delivered, when, and to whom.

mod backlog;
mod damage;
mod endpoints;
mod fan_out;
mod feed;
mod health;
mod hosts;
#[cfg(all(feature = "redb", feature = "sled"))]
mod killed;
mod leases;
mod outages;
mod reach;
mod scripts;
mod sealed;
mod secrets;
mod setup;
mod skew;
mod week;

use std::{sync::Arc, time::Duration};

use connect_core::{
    Connect, Delivery, IssuedWebhook, NewWebhook, WaitingEvents, Webhook, WebhookWorker,
    storage::Storage,
    wire::{
        AnyEvent, EventType, Id, Location, Product, ProductInput,
        query::{EventQuery, Paging},
    },
};

use self::endpoints::Endpoints;
use crate::shop::Shop;

/// A shop whose events go to endpoints of the test.
struct Scene {
    shop: Shop,
    endpoints: Arc<Endpoints>,
    worker: WebhookWorker,
}

const URL: &str = "https://hooks.example/in";

/// The events of most webhooks here.
const PRODUCTS: [EventType; 1] = [EventType::ProductChanged];

impl Scene {
    async fn open() -> Self {
        Self::over(Shop::open().await)
    }

    /// A scene with another account on a storage.
    async fn on(storage: Arc<dyn Storage>) -> Self {
        Self::over(Shop::on(storage).await)
    }

    fn over(shop: Shop) -> Self {
        let endpoints = Endpoints::new();
        let worker = shop.connect.webhook_worker(endpoints.clone(), None);
        Self {
            shop,
            endpoints,
            worker,
        }
    }

    fn connect(&self) -> &Connect {
        &self.shop.connect
    }

    /// A worker of a process.
    fn worker_of(&self, connect: &Connect) -> WebhookWorker {
        connect.webhook_worker(self.endpoints.clone(), None)
    }

    /// A webhook for changes of products, at all locations.
    async fn webhook(&self) -> Webhook {
        self.webhook_at(URL, &PRODUCTS, &[]).await.webhook
    }

    async fn webhook_at(
        &self,
        url: &str,
        events: &[EventType],
        locations: &[Id<Location>],
    ) -> IssuedWebhook {
        let new = NewWebhook {
            url: url.to_owned(),
            events: events.to_vec(),
            location_ids: locations.to_vec(),
        };
        let webhook = self.connect().create_webhook(self.shop.account, new);
        webhook.await.unwrap()
    }

    async fn switch_off(&self, webhook: &Webhook) {
        let off = self
            .connect()
            .disable_webhook(self.shop.account, webhook.id);
        off.await.unwrap();
    }

    /// Switches a webhook on again.
    async fn switch_on(&self, webhook: &Webhook, waiting: WaitingEvents) {
        let (connect, account) = (self.connect(), self.shop.account);
        let on = connect.enable_webhook(account, webhook.id, waiting);
        on.await.unwrap();
    }

    /// Makes a product, which is an event.
    async fn product(&self, name: &str) -> Product {
        let made = self.shop.products().create(ProductInput::named(name));
        made.await.unwrap()
    }

    async fn products(&self, count: usize) {
        for number in 0..count {
            self.product(&format!("Product {number}")).await;
        }
    }

    /// The names of the products in the next round's events, in their order.
    async fn arrive(&self) -> Vec<String> {
        self.worker.tick().await.unwrap();
        let events = self.endpoints.take();
        let name = |request| {
            endpoints::event(request).data["name"]
                .as_str()
                .map(str::to_owned)
        };
        events.iter().filter_map(name).collect()
    }

    /// The events of the location, as the feed has them.
    async fn feed(&self) -> Vec<AnyEvent> {
        let all = EventQuery {
            paging: Paging {
                limit: Some(200),
                cursor: None,
            },
            ..EventQuery::default()
        };
        self.shop.here().events().list(&all).await.unwrap().data
    }

    /// The log of a webhook, oldest first.
    async fn log(&self, webhook: &Webhook) -> Vec<Delivery> {
        let account = self.shop.account;
        let log = self.connect().deliveries(account, webhook.id, None, 200);
        let mut log = log.await.unwrap();
        log.reverse();
        log
    }

    /// The only webhook as it is now, and the failures in a row.
    async fn health(&self) -> (Webhook, u32) {
        let all = self.connect().webhooks(self.shop.account).await.unwrap();
        let (webhook, health) = all.into_iter().next().unwrap();
        (webhook, health.failures_in_a_row)
    }

    /// Lets so many seconds pass, by the timers and by the clock.
    async fn pass(&self, seconds: usize) {
        for _ in 0..seconds {
            tokio::time::sleep(Duration::from_secs(1)).await;
            self.shop.clock.advance(1);
        }
    }
}
