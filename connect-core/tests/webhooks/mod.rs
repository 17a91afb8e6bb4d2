//! Webhooks: what is delivered, when, and to whom.

mod backlog;
mod chosen;
mod damage;
mod endpoints;
mod fan_out;
mod feed;
mod filters;
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
mod statistics;
mod test_events;
mod week;

use std::{sync::Arc, time::Duration};

use connect_core::{
    Connect, Delivery, DeliveryFilter, IssuedWebhook, NewWebhook, WaitingEvents, Webhook,
    WebhookWorker,
    storage::{Storage, Write},
    wire::{
        AnyEvent, EventType, Id, Location, Product, ProductInput,
        query::{EventQuery, Paging},
    },
};

use serde_json::{Value, json};

use self::endpoints::Endpoints;
use crate::{
    shop::{START, Shop},
    stored::{self, family::DELIVERY},
};

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
        let all = DeliveryFilter::default();
        let log = self
            .connect()
            .deliveries(account, webhook.id, &all, None, 200);
        let mut log = log.await.unwrap().deliveries;
        log.reverse();
        log
    }

    /// Writes deliveries to the log of a webhook, as if they had been made. Each has its number as
    /// id, and its other fields.
    async fn write_log(&self, webhook: &Webhook, rows: &[(u64, Value)]) -> Vec<Delivery> {
        let mut made = Vec::with_capacity(rows.len());
        let mut writes = Vec::with_capacity(rows.len());
        for (number, fields) in rows {
            let id = uuid::Builder::from_unix_timestamp_millis(*number, &[0; 10]).into_uuid();
            let mut row = json!({
                "id": id, "webhookId": webhook.id, "eventId": id, "eventType": "order.created",
                "locationId": self.shop.at.location().id, "status": "delivered", "attempts": [],
                "nextAttemptAt": null, "createdAt": START,
            });
            for (name, value) in fields.as_object().unwrap() {
                row[name] = value.clone();
            }
            let key = [webhook.id.uuid().as_bytes(), &[DELIVERY][..], id.as_bytes()].concat();
            let write = Write::Put(serde_json::to_vec(&row).unwrap().into());
            writes.push((key.into(), write));
            made.push(serde_json::from_value(row).unwrap());
        }
        for part in writes.chunks(1000) {
            stored::write_all(&*self.shop.storage, part.to_vec()).await;
        }
        made
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
