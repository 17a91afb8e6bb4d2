//! The server beside its floors, over loopback: `cargo bench -p connect-server --bench http`.
//!
//! Names of parts choose them: `-- get page delta replay disk growth start log`.
//!
//! Server, floor and client share one process and one runtime with two workers, so a figure is
//! what two cores can do together with the load that they make themselves, and the CPU time is
//! that of both ends.

#![allow(
    missing_docs,
    clippy::unwrap_used,
    clippy::print_stdout,
    unreachable_pub
)]

mod client;
#[path = "../../connect-core/benches/measure.rs"]
mod measure;
mod noting;
mod served;
#[path = "../../connect-core/benches/shop.rs"]
mod shop;

use std::{
    io::{BufRead as _, BufReader},
    process::{Command, Stdio},
    sync::Arc,
    time::Instant,
};

use client::Client;
use connect_core::storage::memory::MemoryStorage;
use measure::{Chosen, Reach};
use served::Served;
use tokio::runtime::Runtime;

/// The allocator of the server.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

const PARTS: [&str; 8] = [
    "get", "page", "delta", "replay", "disk", "growth", "start", "log",
];

const PRODUCTS: usize = 100_000;
const ROUNDS: usize = 11;
/// Requests in a round: short ones, pages, and batches, of which each connection sends three.
const SHORT: usize = 40_000;
const PAGES: usize = 9_600;
const BATCHES: usize = 96;
/// Creates: few, as the small shop grows by them.
const CREATES: usize = 640;

fn main() {
    let runtime = measure::runtime();
    let chosen = Chosen::from_arguments();
    if chosen.is(noting::MEASURE) {
        return noting::measure(&runtime);
    }
    let part = |name| chosen.has(name, &PARTS);
    measure::head();
    if ["get", "page", "delta", "replay", "disk"]
        .into_iter()
        .any(part)
    {
        let shop = runtime.block_on(Served::with(memory(), PRODUCTS));
        if part("get") {
            let name = "GET one product, memory";
            beside_bare(&runtime, name, 0.75, SHORT, &shop, shop.gets());
        }
        if part("page") {
            let name = "page of 200, memory";
            beside_bare(&runtime, name, 0.6, PAGES, &shop, shop.pages());
        }
        if part("delta") {
            let name = "delta page of 200 from the middle, memory";
            beside_bare(&runtime, name, 0.55, PAGES, &shop, shop.delta_pages());
        }
        if part("replay") {
            replay(&runtime, &shop);
        }
        if part("disk") {
            disk(&runtime, &shop);
        }
    }
    if part("growth") {
        growth(&runtime);
    }
    if part("start") {
        start();
    }
    if part("log") {
        noting::beside_silent();
    }
}

fn memory() -> Arc<MemoryStorage> {
    Arc::new(MemoryStorage::new())
}

/// Measures requests to two servers in turns.
fn compare(
    runtime: &Runtime,
    name: &str,
    reach: Reach,
    each: usize,
    floor: &mut Client,
    ours: &mut Client,
) {
    let run = |client: &mut Client| measure::timed(each, || runtime.block_on(client.run(each)));
    measure::compare(name, reach, ROUNDS, || run(floor), || run(ours));
}

/// Measures requests to a shop beside a handler that answers with the same bytes.
fn beside_bare(
    runtime: &Runtime,
    name: &str,
    reach: f64,
    each: usize,
    shop: &Served,
    requests: Vec<Vec<u8>>,
) {
    let mut ours = Client::of(shop.address, requests.clone());
    let body = runtime.block_on(ours.one());
    let bare = runtime.block_on(served::bare(body));
    let mut floor = Client::of(bare, requests);
    let reach = Reach::Wall(reach);
    compare(runtime, name, reach, each, &mut floor, &mut ours);
}

/// Writes that were done once, sent again with their idempotency keys.
fn replay(runtime: &Runtime, shop: &Served) {
    const KEYS: usize = 256;
    let writes = shop.keyed_creates(KEYS);
    let mut once = Client::of(shop.address, writes.clone());
    runtime.block_on(once.run(KEYS));
    let mut ours = Client::of(shop.address, writes);
    let mut floor = Client::of(shop.address, shop.gets());
    let name = "idempotent replay; floor: GET one product";
    let reach = Reach::Wall(0.8);
    compare(runtime, name, reach, SHORT, &mut floor, &mut ours);
}

/// Pages of a store on the disk beside those of a store in memory.
fn disk(runtime: &Runtime, shop: &Served) {
    for engine in ["sled", "redb"] {
        let directory = tempfile::tempdir().unwrap();
        let storage = shop::storage(engine, &directory.path().join("store"));
        let on_disk = runtime.block_on(Served::with(storage, PRODUCTS));
        let jobs = [
            ("page of 200", Served::pages as fn(&Served) -> Vec<Vec<u8>>),
            ("delta page of 200 from the middle", Served::delta_pages),
        ];
        for (job, requests) in jobs {
            let mut floor = Client::of(shop.address, requests(shop));
            let mut ours = Client::of(on_disk.address, requests(&on_disk));
            let name = format!("{job}, {engine}; floor: memory");
            let reach = Reach::Wall(0.5);
            compare(runtime, &name, reach, PAGES, &mut floor, &mut ours);
        }
    }
}

/// What a store of a million products costs more than one of a thousand: half the rate is twice
/// the cost.
fn growth(runtime: &Runtime) {
    let small = runtime.block_on(Served::with(memory(), 1000));
    let large = runtime.block_on(Served::with(memory(), 1_000_000));
    type Requests = fn(&Served) -> Vec<Vec<u8>>;
    // Enough writes that none is sent twice, since the second time would change nothing.
    let jobs: [(&str, usize, Requests); 5] = [
        ("GET one product", SHORT, Served::gets),
        ("page of 200", PAGES, Served::pages),
        ("delta page of 200", PAGES, Served::delta_pages),
        ("batch of 500 updates", BATCHES, |shop| {
            shop.batches(BATCHES * (ROUNDS + 1))
        }),
        ("single create", CREATES, |shop| {
            shop.creates(CREATES * (ROUNDS + 1))
        }),
    ];
    for (job, each, requests) in jobs {
        let mut floor = Client::of(small.address, requests(&small));
        let mut ours = Client::of(large.address, requests(&large));
        let name = format!("{job}, 1 000 000 products; floor: 1000 products");
        let reach = Reach::Cpu(0.5);
        compare(runtime, &name, reach, each, &mut floor, &mut ours);
    }
}

/// From starting the program to its line, on an empty store.
fn start() {
    const MOST: f64 = 0.3;
    let mut times = Vec::new();
    for _ in 0..9 {
        let directory = tempfile::tempdir().unwrap();
        let started = Instant::now();
        let mut child = Command::new(env!("CARGO_BIN_EXE_connect-server"))
            .args(["serve", "--json", "--listen", "0", "--admin-listen", "0"])
            .arg("--storage")
            .arg(format!("sled:{}", directory.path().join("store").display()))
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let mut line = String::new();
        BufReader::new(child.stdout.take().unwrap())
            .read_line(&mut line)
            .unwrap();
        times.push(started.elapsed());
        assert!(line.starts_with('{'), "the server said {line:?}");
        child.kill().unwrap();
        child.wait().unwrap();
    }
    times.sort_unstable();
    let seconds = times[times.len() / 2].as_secs_f64();
    let name = "start the program on an empty sled store, to its line";
    let figure = format!("{seconds:.3} s");
    measure::bounded(name, &figure, &format!("{MOST} s"), seconds <= MOST);
}
