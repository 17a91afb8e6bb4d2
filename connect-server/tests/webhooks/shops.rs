//! Shops whose events go to endpoints.

use std::sync::Arc;

use connect_core::{
    Access, Connect, Delivery, DeliveryFilter, NewWebhook, Webhook,
    environment::WebhookLinks,
    storage::memory::MemoryStorage,
    wire::{EventType, ProductInput},
};

use crate::{host::Host, location};

/// The healthy endpoints.
pub(super) const HEALTHY: usize = 100;

/// A shop whose products are events for its webhooks.
pub(super) struct Shop {
    connect: Connect,
    at: Access,
    webhooks: Vec<Webhook>,
}

impl Shop {
    /// Makes a product, which is an event for each of the webhooks.
    pub(super) async fn change(&self, name: &str) {
        let products = self.connect.location(&self.at);
        let made = products.products().create(ProductInput::named(name)).await;
        made.unwrap();
    }

    /// The log of each webhook.
    pub(super) async fn logs(&self) -> Vec<Vec<Delivery>> {
        let mut logs = Vec::new();
        for webhook in &self.webhooks {
            let all = DeliveryFilter::default();
            let log = self
                .connect
                .deliveries(webhook.account_id, webhook.id, &all, None, 200);
            logs.push(log.await.unwrap().deliveries);
        }
        logs
    }
}

/// Opens an empty store.
pub(super) fn open(links: impl WebhookLinks) -> Connect {
    Connect::builder(Arc::new(MemoryStorage::new()))
        .webhook_links(Arc::new(links))
        .build()
}

/// Makes a shop with a webhook for each of these addresses.
pub(super) async fn shop(connect: &Connect, urls: &[String]) -> Shop {
    let at = location::make(connect).await;
    let account = at.account().id;
    let mut webhooks = Vec::new();
    for url in urls {
        let new = NewWebhook {
            url: url.clone(),
            events: vec![EventType::from("catalog.product.changed")],
            location_ids: Vec::new(),
        };
        let made = connect.create_webhook(account, new).await.unwrap();
        webhooks.push(made.webhook);
    }
    Shop {
        connect: connect.clone(),
        at,
        webhooks,
    }
}

/// Makes shops with a hundred webhooks to the healthy host, in accounts of fifty.
pub(super) async fn healthy_shops(connect: &Connect, host: &Host) -> [Shop; 2] {
    let urls: Vec<_> = (0..HEALTHY).map(|n| host.link(&format!("/{n}"))).collect();
    let (first, second) = urls.split_at(HEALTHY / 2);
    [shop(connect, first).await, shop(connect, second).await]
}
