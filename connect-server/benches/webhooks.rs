//! Deliveries beside bare requests, over loopback: `cargo bench -p connect-server --bench webhooks`.
//!
//! Names of parts choose them: `-- memory sled hanging delay`. Endpoint and sender share one process and
//! one runtime with two workers.

#![allow(
    missing_docs,
    clippy::unwrap_used,
    clippy::panic,
    clippy::print_stdout,
    unreachable_pub,
    dead_code
)]

#[path = "../tests/webhooks/bad.rs"]
mod bad;
mod delay;
#[path = "../tests/host.rs"]
mod host;
#[path = "../../connect-core/benches/measure.rs"]
mod measure;
#[path = "../../connect-core/benches/shop.rs"]
mod shop;

use std::{
    net::SocketAddr,
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
    time::Duration,
};

use connect_core::{
    Connect, NewWebhook, Request, WebhookWorker,
    storage::{Storage, memory::MemoryStorage},
    wire::{EventType, Product},
};
use connect_server::{
    outbound::AddressGuard,
    webhooks::{PublicWebhooks, WebhookClient},
};
use connect_webhook_verify::Secret;
use futures_util::{StreamExt as _, future::join_all, stream};
use host::{Host, Script};
use measure::{Chosen, Cost, Reach};
use shop::Shop;
use tokio::{net::TcpListener, runtime::Runtime, sync::Notify};
use warp::Filter as _;

/// The allocator of the server.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

const PARTS: [&str; 4] = ["memory", "sled", "hanging", "delay"];
const DELIVERIES: usize = 20_000;
const IN_FLIGHT: usize = 32;
const ROUNDS: usize = 5;

fn main() {
    let runtime = measure::runtime();
    // Makes the process ready for TLS, which the bare client needs too.
    drop(client());
    let chosen = Chosen::from_arguments();
    let part = |name| chosen.has(name, &PARTS);
    measure::head();
    let memory = || Arc::new(MemoryStorage::new()) as Arc<dyn Storage>;
    if part("memory") {
        measure::compare(
            "20 000 deliveries of 1 kB, memory; floor: reqwest, 32 in flight",
            Reach::Wall(0.4),
            ROUNDS,
            || bare(&runtime),
            || deliver(&runtime, memory(), 1, 0),
        );
    }
    if part("sled") {
        let folder = tempfile::tempdir().unwrap();
        let count = AtomicUsize::new(0);
        let sled = || {
            let number = count.fetch_add(1, Ordering::Relaxed);
            shop::storage("sled", &folder.path().join(number.to_string()))
        };
        measure::compare(
            "20 000 deliveries of 1 kB, sled; floor: memory",
            Reach::Wall(0.3),
            ROUNDS,
            || deliver(&runtime, memory(), 1, 0),
            || deliver(&runtime, sled(), 1, 0),
        );
    }
    if part("hanging") {
        measure::compare(
            "20 000 deliveries to 80 endpoints beside 20 that hang; floor: without those",
            Reach::Wall(0.8),
            ROUNDS,
            || deliver(&runtime, memory(), 80, 0),
            || deliver(&runtime, memory(), 80, 20),
        );
    }
    if part("delay") {
        delay::beside_bad_ones(&runtime);
    }
}

/// An endpoint that counts, and answers 200 at once.
struct Endpoint {
    address: SocketAddr,
    counted: Arc<Counted>,
}

#[derive(Default)]
struct Counted {
    requests: AtomicUsize,
    wanted: AtomicUsize,
    reached: Notify,
}

impl Endpoint {
    async fn open() -> Self {
        let counted = Arc::new(Counted::default());
        let count = counted.clone();
        let answer = warp::post().and(warp::body::bytes()).map(move |_| {
            let before = count.requests.fetch_add(1, Ordering::Relaxed);
            if before + 1 == count.wanted.load(Ordering::Relaxed) {
                count.reached.notify_one();
            }
            "ok"
        });
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        tokio::spawn(warp::serve(answer).incoming(listener).run());
        Self { address, counted }
    }

    /// Waits until so many requests have come.
    async fn reached(&self) {
        self.counted.reached.notified().await;
    }

    fn expect(&self, requests: usize) {
        self.counted.wanted.store(requests, Ordering::Relaxed);
    }
}

/// Posts bodies that are signed as they are sent, without a queue or a record of what became of them.
fn bare(runtime: &Runtime) -> Cost {
    let endpoint = runtime.block_on(Endpoint::open());
    let client = reqwest::Client::builder().no_proxy().build().unwrap();
    let url = format!("http://{}/", endpoint.address);
    let secrets = [Secret::new("whsec_0123456789012345678901234567890123456789012").unwrap()];
    let body = vec![b'x'; 1000];
    measure::timed(DELIVERIES, || {
        runtime.block_on(async {
            let post = async |_| {
                let signature = connect_webhook_verify::sign(&secrets, 1_700_000_000, &body);
                let request = client
                    .post(&url)
                    .header("content-type", "application/json")
                    .header("service-signature", signature.to_string())
                    .header("service-event-id", "01890000-0000-7000-8000-000000000000")
                    .header(
                        "service-delivery-id",
                        "01890000-0000-7000-8000-000000000000",
                    )
                    .body(body.clone());
                let response = request.send().await.unwrap();
                assert!(response.status().is_success());
                response.bytes().await.unwrap();
            };
            stream::iter(0..DELIVERIES)
                .map(post)
                .buffer_unordered(IN_FLIGHT)
                .for_each(async |()| {})
                .await;
        });
    })
}

/// Delivers events to so many endpoints that work, beside others that hang.
fn deliver(runtime: &Runtime, storage: Arc<dyn Storage>, working: usize, hanging: usize) -> Cost {
    let endpoint = runtime.block_on(Endpoint::open());
    let silent = runtime.block_on(Host::start(|_| Script::raw("").then_hang()));
    let urls = (0..working + hanging).map(|number| match number < working {
        true => format!("http://{}/{number}", endpoint.address),
        false => silent.link(&format!("/{number}")),
    });
    let rounds = DELIVERIES / working;
    let worker = runtime.block_on(prepare(storage, urls, rounds));
    endpoint.expect(rounds * working);
    measure::timed(DELIVERIES, || {
        // With endpoints that hang, only those that work are waited for.
        let until = async {
            if hanging > 0 {
                endpoint.reached().await;
            } else {
                std::future::pending().await
            }
        };
        let work = async {
            if hanging > 0 {
                worker
                    .run(Duration::from_secs(1), std::future::pending())
                    .await;
            } else {
                let work = worker.tick().await.unwrap();
                assert_eq!(work.delivered, DELIVERIES);
            }
        };
        runtime.block_on(async {
            tokio::select! {
                () = until => {}
                () = work => {}
            }
        });
    })
}

/// A shop with so many events, which webhooks at all of these addresses get.
async fn prepare(
    storage: Arc<dyn Storage>,
    urls: impl Iterator<Item = String>,
    events: usize,
) -> WebhookWorker {
    let shop = shop::open(storage.clone(), 1).await;
    // The endpoints are on this machine.
    let connect = Connect::builder(storage)
        .webhook_links(Arc::new(PublicWebhooks::new(guard())))
        .build();
    for url in urls {
        webhook(&connect, &shop, url).await;
    }
    create(&shop, events).await;
    shop.connect.webhook_worker(Arc::new(client()), None)
}

fn client() -> WebhookClient {
    WebhookClient::new(guard()).unwrap()
}

fn guard() -> AddressGuard {
    AddressGuard::allowing("127.0.0.0/8".parse().unwrap())
}

async fn webhook(connect: &Connect, shop: &Shop, url: String) {
    let new = NewWebhook {
        url,
        events: vec![EventType::ProductChanged],
        location_ids: Vec::new(),
    };
    connect.create_webhook(shop.account, new).await.unwrap();
}

/// Makes products, each of which is an event of 1 kB.
async fn create(shop: &Shop, count: usize) {
    let description = "Baked fresh. ".repeat(30);
    for start in (0..count).step_by(64) {
        let made = (start..count.min(start + 64)).map(|number| {
            let body = format!(
                r#"{{"externalId":"ART-{number:08}","name":"Product {number}","description":"{description}"}}"#
            );
            let products = shop.connect.location(&shop.locations[0]).json::<Product>();
            products.create(Request::json(body))
        });
        for made in join_all(made).await {
            made.unwrap();
        }
    }
}
