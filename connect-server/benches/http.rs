//! The server beside its floors, over loopback: `cargo bench -p connect-server --bench http`.
//! Names of parts choose them: `-- get page replay size start`.
//!
//! Server, floor and client share one runtime with two workers, so a figure is what two cores
//! can do together with the load that they make themselves.

#![allow(
    missing_docs,
    clippy::unwrap_used,
    clippy::print_stdout,
    unreachable_pub
)]

mod client;
#[path = "../../connect-core/benches/measure.rs"]
mod measure;
mod served;
#[path = "../../connect-core/benches/shop.rs"]
mod shop;

use std::{
    io::{BufRead as _, BufReader},
    process::{Command, Stdio},
    time::Instant,
};

use client::Client;
use served::Served;
use tokio::runtime::Runtime;

/// The allocator of the server.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

const ROUNDS: usize = 11;
/// Batches in a round: three of each connection.
const BATCHES: usize = 96;

fn main() {
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(2)
        .enable_all()
        .build()
        .unwrap();
    let only: Vec<String> = std::env::args()
        .skip(1)
        .filter(|arg| !arg.starts_with('-'))
        .collect();
    let wanted = |name: &str| only.is_empty() || only.iter().any(|arg| arg == name);
    measure::head("Over HTTP");
    if wanted("get") || wanted("page") || wanted("replay") {
        let shop = runtime.block_on(Served::with(100_000));
        if wanted("get") {
            get(&runtime, &shop);
        }
        if wanted("page") {
            page(&runtime, &shop);
        }
        if wanted("replay") {
            replay(&runtime, &shop);
        }
    }
    if wanted("size") {
        size(&runtime);
    }
    if wanted("start") {
        start();
    }
}

/// Measures requests to two servers in turns.
fn compare(
    runtime: &Runtime,
    name: &str,
    reach: f64,
    each: usize,
    floor: &mut Client,
    ours: &mut Client,
) {
    let run = |client: &mut Client| measure::timed(each, || runtime.block_on(client.run(each)));
    measure::compare(name, reach, ROUNDS, || run(floor), || run(ours));
}

fn get(runtime: &Runtime, shop: &Served) {
    let mut ours = runtime.block_on(Client::of(shop.address, shop.gets()));
    let body = runtime.block_on(ours.one());
    let bare = runtime.block_on(served::bare(body));
    let mut floor = runtime.block_on(Client::of(bare, shop.gets()));
    compare(
        runtime,
        "GET one product, memory store of 100 000",
        0.75,
        40_000,
        &mut floor,
        &mut ours,
    );
}

fn page(runtime: &Runtime, shop: &Served) {
    let pages = shop.pages(200);
    let mut ours = runtime.block_on(Client::of(shop.address, pages.clone()));
    let body = runtime.block_on(ours.one());
    let bare = runtime.block_on(served::bare(body));
    let mut floor = runtime.block_on(Client::of(bare, pages));
    compare(
        runtime,
        "list page of 200, memory store of 100 000",
        0.5,
        9_600,
        &mut floor,
        &mut ours,
    );
}

/// Writes that were done once, sent again with their idempotency keys.
fn replay(runtime: &Runtime, shop: &Served) {
    let writes: Vec<_> = (0..256)
        .map(|number| shop.keyed_create(1_000_000 + number))
        .collect();
    let mut once = runtime.block_on(Client::of(shop.address, writes.clone()));
    runtime.block_on(once.run(2 * 256));
    let mut ours = runtime.block_on(Client::of(shop.address, writes));
    let mut floor = runtime.block_on(Client::of(shop.address, shop.gets()));
    compare(
        runtime,
        "idempotent replay; floor: GET one product",
        0.7,
        40_000,
        &mut floor,
        &mut ours,
    );
}

/// What a store of a million products costs more than one of a thousand: half the rate is twice
/// the cost.
fn size(runtime: &Runtime) {
    let small = runtime.block_on(Served::with(1000));
    let large = runtime.block_on(Served::with(1_000_000));
    type Requests = fn(&Served) -> Vec<Vec<u8>>;
    let jobs: [(&str, usize, Requests); 3] = [
        ("GET one", 40_000, Served::gets),
        ("page of 200", 9_600, |shop| shop.pages(200)),
        ("batch of 500 updates", BATCHES, Served::batches),
    ];
    for (job, each, requests) in jobs {
        let mut floor = runtime.block_on(Client::of(small.address, requests(&small)));
        let mut ours = runtime.block_on(Client::of(large.address, requests(&large)));
        let name = format!("{job}, 1 000 000 products; floor: 1000 products");
        compare(runtime, &name, 0.5, each, &mut floor, &mut ours);
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
            .args(["serve", "--json", "--listen", "127.0.0.1:0", "--storage"])
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
    let reached = if seconds <= MOST { "yes" } else { "no" };
    println!(
        "| start the program on an empty sled store, to its line | | {seconds:.3} s | | at most {MOST} s | {reached} |"
    );
}
