//! What a million products take: memory, and time to open.

use std::{
    io::{BufRead as _, BufReader},
    path::{Path, PathBuf},
    process::{Command, Stdio},
    sync::Arc,
    time::Instant,
};

use connect_core::{
    storage::memory::MemoryStorage,
    wire::{Product, query::ProductQuery},
};
use tokio::runtime::Runtime;

use crate::{measure, shop};

/// What a product takes in the memory store, with all its indexes and the events that told of it.
pub fn memory(runtime: &Runtime) {
    const PRODUCTS: usize = 200_000;
    let shop = runtime.block_on(shop::open(Arc::new(MemoryStorage::new()), 1));
    let at = &shop.locations[0];
    runtime.block_on(shop::fill(&shop.connect, at, 1000));
    let before = measure::resident();
    runtime.block_on(shop::fill(&shop.connect, at, PRODUCTS));
    let taken = (measure::resident() - before) as f64 / (PRODUCTS - 1000) as f64;
    let query = ProductQuery::default();
    let page = shop.connect.location(at).json::<Product>().list(&query);
    let json = runtime.block_on(page).unwrap().into_bytes().len() as f64 / 50.0;
    let name = format!("memory per product, resident ({json:.0} bytes of JSON)");
    let figure = format!("{taken:.0} bytes: {:.2} times", taken / json);
    measure::bounded(&name, &figure, "2.5 times", taken <= 2.5 * json);
}

const PRODUCTS: usize = 1_000_000;

/// The variable that makes this program fill a store instead of measuring: engine and path.
const FILL: &str = "CONNECT_BENCH_FILL";

/// What [`FILL`] asks for.
pub fn asked_to_fill() -> Option<(String, PathBuf)> {
    let asked = std::env::var(FILL).ok()?;
    let (engine, path) = asked.split_once(':')?;
    Some((engine.to_owned(), path.into()))
}

/// Fills a store with a million products, says so, and goes on writing.
pub fn fill_until_killed(runtime: &Runtime, engine: &str, path: &Path) {
    let shop = runtime.block_on(shop::open(shop::storage(engine, path), 1));
    let at = &shop.locations[0];
    runtime.block_on(shop::fill(&shop.connect, at, PRODUCTS));
    println!("filled");
    loop {
        let body = shop::batch(PRODUCTS..PRODUCTS + 500, 100);
        runtime.block_on(shop::write(&shop.connect, at, body, "{"));
    }
}

/// The time to open a store of a million products: after its process was killed, and again.
pub fn reopen(runtime: &Runtime, engine: &str) {
    const MOST: f64 = 3.0;
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("store");
    let mut child = Command::new(std::env::current_exe().unwrap())
        .env(FILL, format!("{engine}:{}", path.display()))
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut line = String::new();
    let stdout = child.stdout.take().unwrap();
    BufReader::new(stdout).read_line(&mut line).unwrap();
    assert_eq!(line, "filled\n");
    child.kill().unwrap();
    child.wait().unwrap();
    for after in ["SIGKILL", "it was closed", "it was closed again"] {
        let start = Instant::now();
        let storage = shop::storage(engine, &path);
        let connect = shop::connect(storage);
        let accounts = runtime.block_on(connect.account_ids()).unwrap();
        let seconds = start.elapsed().as_secs_f64();
        assert_eq!(accounts.len(), 1);
        let name = format!("opening 1 000 000 products in {engine}, after {after}");
        let figure = format!("{seconds:.2} s");
        measure::bounded(&name, &figure, &format!("{MOST} s"), seconds <= MOST);
    }
}
