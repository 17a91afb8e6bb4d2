//! Sales at one register while a catalog is imported at the same location, batch after batch.

use std::{
    cell::Cell,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    time::{Duration, Instant},
};

use connect_core::{Request, storage::memory::MemoryStorage};
use tokio::runtime::Runtime;

use crate::{
    journal::Counter,
    measure,
    shop::{self, BATCH, Shop},
};

const SALES: usize = 1000;
const LEAST_SALES: usize = 100;
const BATCHES: usize = 100;
const PRODUCTS: usize = 5000;

/// In the memory store.
pub fn in_memory(runtime: &Runtime) {
    let shop = runtime.block_on(shop::open(Arc::new(MemoryStorage::new()), 1));
    compare(runtime, shop, "memory");
}

/// On the disk.
pub fn on_disk(runtime: &Runtime, engine: &str) {
    let folder = tempfile::tempdir().unwrap();
    let storage = shop::storage(engine, &folder.path().join("store"));
    let shop = runtime.block_on(shop::open(storage, 1));
    compare(runtime, shop, engine);
}

/// The slowest sale beside an import may take as long as the slowest one without it and the slowest
/// batch of the import.
fn compare(runtime: &Runtime, shop: Shop, place: &str) {
    let counter = Arc::new(runtime.block_on(Counter::open(shop, PRODUCTS)));
    let price = Cell::new(1000);
    let bodies = || -> Vec<Vec<u8>> {
        let body = |_| {
            price.set(price.get() + 1);
            shop::batch((0..BATCH).map(|at| at * 10), price.get())
        };
        (0..BATCHES).map(body).collect()
    };
    runtime.block_on(import(&counter, bodies()));
    // The first ones warm up.
    let mut alone = Duration::ZERO;
    for count in [LEAST_SALES, SALES] {
        let has_ended = |done| done >= count;
        alone = runtime.block_on(sales(&counter, has_ended)).0;
    }
    let ends = Arc::new(AtomicBool::new(false));
    let importing = runtime.spawn({
        let (counter, ends, bodies) = (counter.clone(), ends.clone(), bodies());
        async move {
            let slowest = import(&counter, bodies).await;
            ends.store(true, Ordering::Relaxed);
            slowest
        }
    });
    let has_ended = |done| done >= LEAST_SALES && ends.load(Ordering::Relaxed);
    let (beside, count) = runtime.block_on(sales(&counter, has_ended));
    let batch = runtime.block_on(importing).unwrap();

    measure::bounded(
        &format!("slowest of {count} sales beside an import of {BATCHES} batches, {place}"),
        &format!("{} (alone {})", millis(beside), millis(alone)),
        &format!("{} (alone and one batch)", millis(alone + batch)),
        beside <= alone + batch,
    );
}

/// Writes batches one after another, and returns the time that the slowest took.
async fn import(counter: &Counter, bodies: Vec<Vec<u8>>) -> Duration {
    let mut slowest = Duration::ZERO;
    for body in bodies {
        let (at, start) = (&counter.shop.locations[0], Instant::now());
        shop::write(&counter.shop.connect, at, body, "").await;
        slowest = slowest.max(start.elapsed());
    }
    slowest
}

/// Writes sales one after another. Returns the time that the slowest took, and their number.
pub async fn sales(counter: &Counter, has_ended: impl Fn(usize) -> bool) -> (Duration, usize) {
    let rows = counter
        .shop
        .connect
        .location(counter.register(0))
        .transactions();
    let (mut slowest, mut done) = (Duration::ZERO, 0);
    while !has_ended(done) {
        let (body, start) = (counter.sale(done, None), Instant::now());
        rows.write_json(Request::json(body)).await.unwrap();
        slowest = slowest.max(start.elapsed());
        done += 1;
    }
    (slowest, done)
}

/// A time in milliseconds.
pub fn millis(time: Duration) -> String {
    format!("{:.1} ms", time.as_secs_f64() * 1e3)
}
