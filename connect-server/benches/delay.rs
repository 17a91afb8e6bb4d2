//! The time from a change to its arrival at endpoints that work: when there are no others, and beside
//! the bad ones of the tests.

use std::{
    future::pending,
    net::SocketAddr,
    sync::{Arc, Mutex},
    time::{Duration, Instant},
};

use connect_core::{Connect, storage::memory::MemoryStorage, wire::ProductInput};
use connect_server::webhooks::PublicWebhooks;
use tokio::{
    net::TcpListener,
    runtime::Runtime,
    sync::Notify,
    time::{sleep, timeout},
};
use warp::Filter as _;

use crate::{
    bad::{PATHS, bad_host},
    client, guard, measure,
    shop::{self, Shop},
    webhook,
};

/// The endpoints that work.
const WORKING: usize = 100;

/// The bad endpoints of each kind.
const BAD_OF_A_KIND: usize = 3;

/// The changes of a round: fewer than the failures after which a webhook is switched off.
const CHANGES: usize = 40;

/// The time between two changes.
const PAUSE: Duration = Duration::from_millis(100);

/// Short, so that the figure is not that of waiting for the next look.
const INTERVAL: Duration = Duration::from_millis(5);

const ROUNDS: usize = 3;

/// Prints the 95th percentiles, which are measured in turns.
pub fn beside_bad_ones(runtime: &Runtime) {
    let (mut alone, mut beside) = (Vec::new(), Vec::new());
    for _ in 0..ROUNDS {
        alone.push(runtime.block_on(percentile(0)));
        beside.push(runtime.block_on(percentile(BAD_OF_A_KIND)));
    }
    let [alone, beside] = [alone, beside].map(|mut rounds| {
        rounds.sort_unstable();
        rounds[ROUNDS / 2].as_secs_f64() * 1000.0
    });
    let ratio = beside / alone;
    let bad = PATHS.len() * BAD_OF_A_KIND;
    measure::bounded(
        &format!("from change to arrival at {WORKING} endpoints beside {bad} bad ones, 95 %"),
        &format!("{beside:.1} ms, without those {alone:.1} ms: {ratio:.2} times"),
        "2 times",
        ratio <= 2.0,
    );
}

/// The time within which 95 of 100 deliveries to endpoints that work have arrived, beside so many bad
/// ones of each kind.
async fn percentile(bad_of_a_kind: usize) -> Duration {
    let endpoint = Endpoint::open().await;
    let storage = Arc::new(MemoryStorage::new());
    let good = shop::open(storage.clone(), 1).await;
    let connect = Connect::builder(storage.clone())
        .webhook_links(Arc::new(PublicWebhooks::new(guard())))
        .build();
    for number in 0..WORKING {
        let url = format!("http://{}/{number}", endpoint.address);
        webhook(&connect, &good, url).await;
    }
    let bad = shop::open(storage, 1).await;
    let host = bad_host("http://10.0.0.1/").await;
    for (path, _) in [PATHS; BAD_OF_A_KIND].iter().take(bad_of_a_kind).flatten() {
        webhook(&connect, &bad, host.link(path)).await;
    }
    let worker = connect.webhook_worker(Arc::new(client()), None);
    let running = tokio::spawn(worker.run(INTERVAL, pending()));
    // Those that hang do so from now on.
    change(&bad, 0).await;
    while host.requests() < PATHS.len() * bad_of_a_kind {
        sleep(INTERVAL).await;
    }
    let mut delays = Vec::new();
    for number in 1..=CHANGES {
        sleep(PAUSE).await;
        change(&bad, number).await;
        let start = Instant::now();
        change(&good, number).await;
        let arrivals = endpoint.arrivals().await;
        delays.extend(arrivals.iter().map(|at| at.duration_since(start)));
    }
    running.abort();
    delays.sort_unstable();
    delays[delays.len() * 95 / 100]
}

async fn change(shop: &Shop, number: usize) {
    let products = shop.connect.location(&shop.locations[0]).products();
    let input = ProductInput::named(format!("Product {number}"));
    products.create(input).await.unwrap();
}

/// Notes when requests arrive, and answers 200 at once.
struct Endpoint {
    address: SocketAddr,
    arrivals: Arc<Mutex<Vec<Instant>>>,
    all: Arc<Notify>,
}

impl Endpoint {
    async fn open() -> Self {
        let (arrivals, all) = (Arc::new(Mutex::new(Vec::new())), Arc::new(Notify::new()));
        let (noted, told) = (arrivals.clone(), all.clone());
        let answer = warp::post().and(warp::body::bytes()).map(move |_| {
            let mut noted = noted.lock().unwrap();
            noted.push(Instant::now());
            if noted.len() == WORKING {
                told.notify_one();
            }
            "ok"
        });
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        tokio::spawn(warp::serve(answer).incoming(listener).run());
        Self {
            address,
            arrivals,
            all,
        }
    }

    /// The times at which a change arrived, once all endpoints have it.
    async fn arrivals(&self) -> Vec<Instant> {
        let all = timeout(Duration::from_secs(60), self.all.notified());
        all.await.expect("a delivery does not arrive");
        std::mem::take(&mut *self.arrivals.lock().unwrap())
    }
}
