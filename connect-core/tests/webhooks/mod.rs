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
mod metrics;
mod outages;
mod resend;
mod schedule;
mod secrets;
mod setup;
mod skew;
mod stock;
#[cfg(feature = "conformance")]
mod trips;
#[cfg(feature = "conformance")]
mod waiting;
mod week;

use std::sync::Arc;

use connect_core::{
    Connect, Delivery, IssuedWebhook, NewWebhook, WaitingEvents, Webhook, WebhookWorker,
    wire::{
        AnyEvent, EventType, Id, Location, Product, ProductInput,
        query::{EventQuery, Paging},
    },
};

use self::endpoints::Endpoints;
use crate::shop::{self, Shop};

/// A shop whose events go to endpoints of the test.
pub(crate) struct Scene {
    pub(crate) shop: Shop,
    pub(crate) endpoints: Arc<Endpoints>,
    pub(crate) worker: WebhookWorker,
}

pub(crate) const URL: &str = "https://hooks.example/in";

impl Scene {
    pub(crate) async fn open() -> Self {
        let storage = connect_core::storage::memory::MemoryStorage::new();
        Self::over(shop::open_on(Arc::new(storage)).await)
    }

    pub(crate) fn over(shop: Shop) -> Self {
        let endpoints = Endpoints::new();
        let worker = shop.connect.webhook_worker(endpoints.clone(), None);
        Self {
            shop,
            endpoints,
            worker,
        }
    }

    pub(crate) fn connect(&self) -> &Connect {
        &self.shop.connect
    }

    /// A webhook for these events, at all locations.
    pub(crate) async fn webhook(&self, events: &[EventType]) -> IssuedWebhook {
        self.webhook_at(URL, events, &[]).await
    }

    pub(crate) async fn webhook_at(
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

    /// Switches a webhook on again.
    pub(crate) async fn switch_on(&self, webhook: &Webhook, waiting: WaitingEvents) {
        let (connect, account) = (self.connect(), self.shop.account);
        let on = connect.enable_webhook(account, webhook.id, waiting);
        on.await.unwrap();
    }

    /// Makes a product, which is an event.
    pub(crate) async fn product(&self, name: &str) -> Product {
        let made = self.shop.products().create(ProductInput::named(name));
        made.await.unwrap()
    }

    /// The events of the location, as the feed has them.
    pub(crate) async fn feed(&self) -> Vec<AnyEvent> {
        let all = EventQuery {
            paging: Paging {
                limit: Some(200),
                cursor: None,
            },
            ..EventQuery::default()
        };
        let feed = self.connect().location(&self.shop.at).events();
        feed.list(&all).await.unwrap().data
    }

    /// The log of a webhook, oldest first.
    pub(crate) async fn log(&self, webhook: &Webhook) -> Vec<Delivery> {
        let log = self
            .connect()
            .deliveries(self.shop.account, webhook.id, None, 200);
        let mut log = log.await.unwrap();
        log.reverse();
        log
    }

    /// The webhook as it is now.
    pub(crate) async fn now(&self, webhook: &Webhook) -> Webhook {
        let found = self.connect().webhook(self.shop.account, webhook.id);
        found.await.unwrap()
    }

    /// Checks that the rows agree with each other.
    pub(crate) async fn check(&self) {
        let report = self.connect().check(&mut |_| {}).await.unwrap();
        assert_eq!(report.problems, []);
    }
}
