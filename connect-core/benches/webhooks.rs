//! Webhooks: the cost of their events for the writer, and their cost while nothing happens.

use std::{sync::Arc, time::Duration};

use async_trait::async_trait;
use connect_core::{
    Connect, NewAccount, NewWebhook,
    environment::{SendFailure, WebhookAnswer, WebhookRequest, WebhookSender},
    storage::{Storage, memory::MemoryStorage},
    wire::EventType,
};
use tokio::{runtime::Runtime, time::sleep};

use crate::{
    batches::{Bodies, UPDATED, write},
    measure::{self, Reach},
    shop::{self, Pattern, Shop},
};

const PRODUCTS: usize = 100_000;

/// Batches with a webhook that gets their events, beside the same without one, in memory.
pub fn in_memory(runtime: &Runtime) {
    let open = || Arc::new(MemoryStorage::new());
    beside_a_batch(runtime, "memory", 40, open(), open());
    idle(runtime);
}

/// The same on the disk.
pub fn on_disk(runtime: &Runtime, engine: &str) {
    let folders = [tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap()];
    let open = |folder: &tempfile::TempDir| shop::storage(engine, &folder.path().join("store"));
    let [floor, ours] = [open(&folders[0]), open(&folders[1])];
    beside_a_batch(runtime, engine, 20, floor, ours);
}

fn beside_a_batch(
    runtime: &Runtime,
    name: &str,
    batches: usize,
    floor: Arc<dyn Storage>,
    ours: Arc<dyn Storage>,
) {
    let [floor, ours] = [floor, ours].map(|storage| {
        let shop = runtime.block_on(shop::open(storage, 1));
        runtime.block_on(shop::fill(&shop.connect, &shop.locations[0], PRODUCTS));
        shop
    });
    let events = vec![EventType::ProductsChanged];
    runtime.block_on(webhook(&ours.connect, &ours, events));
    let bodies = Bodies::new(Pattern::Scattered, batches);
    let measured = |shop: &Shop| {
        let bodies = bodies.next();
        measure::timed(batches, || write(runtime, shop, bodies, UPDATED))
    };
    measure::compare(
        &format!("batch of 500 updates with a webhook, {name}; floor without"),
        Reach::Wall(0.95),
        25,
        || measured(&floor),
        || measured(&ours),
    );
}

async fn webhook(connect: &Connect, shop: &Shop, events: Vec<EventType>) {
    let new = NewWebhook {
        url: "https://hooks.example/in".to_owned(),
        events,
        location_ids: Vec::new(),
    };
    connect.create_webhook(shop.account, new).await.unwrap();
}

/// The CPU time of a worker that looks every second and finds nothing to do, beside that of one on a
/// store without webhooks.
fn idle(runtime: &Runtime) {
    const WEBHOOKS: usize = 10_000;
    let [floor, ours] = [0, WEBHOOKS].map(|webhooks| {
        let connect = shop::connect(Arc::new(MemoryStorage::new()));
        runtime.block_on(idle_webhooks(&connect, webhooks));
        share_of_idle_worker(runtime, &connect)
    });
    measure::bounded(
        "CPU of a worker with 10 000 idle webhooks, a look per second",
        &format!(
            "{:.3} %, without webhooks {:.3} %",
            ours * 100.0,
            floor * 100.0
        ),
        "1 % of a core more than without webhooks",
        ours - floor <= 0.01,
    );
}

/// Makes so many webhooks, in accounts of fifty.
async fn idle_webhooks(connect: &Connect, count: usize) {
    const PER_ACCOUNT: usize = 50;
    for _ in 0..count / PER_ACCOUNT {
        let account = NewAccount {
            name: "Bench".into(),
            owner_email: "bench@example.com".into(),
            sandbox: true,
        };
        let account = connect.create_account(account).await.unwrap().id;
        for _ in 0..PER_ACCOUNT {
            let new = NewWebhook {
                url: "https://hooks.example/in".to_owned(),
                events: EventType::KNOWN.to_vec(),
                location_ids: Vec::new(),
            };
            connect.create_webhook(account, new).await.unwrap();
        }
    }
}

/// The share of a core that a worker takes.
fn share_of_idle_worker(runtime: &Runtime, connect: &Connect) -> f64 {
    const SECONDS: u64 = 20;
    let worker = connect.webhook_worker(Arc::new(Nowhere), None);
    let cost = measure::timed(1, || {
        runtime.block_on(async {
            let until = sleep(Duration::from_secs(SECONDS));
            worker.run(Duration::from_secs(1), until).await;
        });
    });
    cost.cpu.as_secs_f64() / SECONDS as f64
}

struct Nowhere;

#[async_trait]
impl WebhookSender for Nowhere {
    async fn send(&self, _: &WebhookRequest) -> Result<WebhookAnswer, SendFailure> {
        Ok(WebhookAnswer::of(200))
    }
}
