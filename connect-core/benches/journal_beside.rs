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
const BATCHES: usize = 40;
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

/// The slowest sale beside an import may take as long as the slowest one without it and one batch.
fn compare(runtime: &Runtime, shop: Shop, place: &str) {
    let counter = Arc::new(runtime.block_on(Counter::open(shop, PRODUCTS)));
    let price = Cell::new(1000);
    let body = || {
        price.set(price.get() + 1);
        shop::batch((0..BATCH).map(|at| at * 10), price.get())
    };
    runtime.block_on(sales(&counter));
    let alone = runtime.block_on(sales(&counter));
    let batch = (0..BATCHES).map(|_| {
        let (body, start) = (body(), Instant::now());
        let at = &counter.shop.locations[0];
        runtime.block_on(shop::write(&counter.shop.connect, at, body, ""));
        start.elapsed()
    });
    let batch = batch.max().unwrap_or_default();

    let bodies: Vec<_> = (0..2000).map(|_| body()).collect();
    let ends = Arc::new(AtomicBool::new(false));
    let import = runtime.spawn({
        let (counter, ends) = (counter.clone(), ends.clone());
        async move {
            let mut bodies = bodies.into_iter().cycle();
            let mut batches = 0;
            while !ends.load(Ordering::Relaxed) {
                let (at, body) = (&counter.shop.locations[0], bodies.next().unwrap());
                shop::write(&counter.shop.connect, at, body, "").await;
                batches += 1;
            }
            batches
        }
    });
    let beside = runtime.block_on(sales(&counter));
    ends.store(true, Ordering::Relaxed);
    let batches: usize = runtime.block_on(import).unwrap();

    let millis = |time: Duration| format!("{:.1} ms", time.as_secs_f64() * 1e3);
    measure::bounded(
        &format!("slowest of {SALES} sales beside an import of {batches} batches, {place}"),
        &format!("{} (alone {})", millis(beside), millis(alone)),
        &format!("{} (alone and one batch)", millis(alone + batch)),
        beside <= alone + batch,
    );
}

/// Writes sales one after another, and returns the time that the slowest took.
async fn sales(counter: &Counter) -> Duration {
    let rows = counter
        .shop
        .connect
        .location(counter.register(0))
        .transactions();
    let mut slowest = Duration::ZERO;
    for number in 0..SALES {
        let (body, start) = (counter.sale(number, None), Instant::now());
        rows.write_json(Request::json(body)).await.unwrap();
        slowest = slowest.max(start.elapsed());
    }
    slowest
}
