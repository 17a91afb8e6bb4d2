//! The core beside its floors: `cargo bench -p connect-core --features sled --bench core`.

#![allow(
    missing_docs,
    clippy::unwrap_used,
    clippy::print_stdout,
    unreachable_pub
)]

mod measure;
mod raw_sled;
mod shop;

use std::{
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
    time::Instant,
};

use connect_core::{
    Request,
    storage::{
        memory::MemoryStorage,
        sled::{SledOptions, SledStorage},
    },
};
use serde::{Deserialize, Serialize};
use tokio::runtime::Runtime;

/// The allocator of the server.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

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
    measure::head("The core");
    if wanted("batch") {
        batch_of_updates(&runtime, 100_000);
    }
    if wanted("creates") {
        batch_of_creates(&runtime);
    }
    if wanted("singles") {
        single_creates(&runtime);
    }
    if wanted("memory") {
        memory(&runtime);
    }
    if wanted("reopen") {
        reopen(&runtime);
    }
}

/// A batch as plain serde reads and prints it.
#[derive(Serialize, Deserialize)]
struct PlainBatch {
    items: Vec<PlainProduct>,
}

#[derive(Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
struct PlainProduct {
    external_id: String,
    name: String,
    description: String,
    price_cents: i64,
    vat_rate: f64,
    barcode: String,
    category_name: String,
    is_active: bool,
}

fn batch_of_updates(runtime: &Runtime, products: usize) {
    const BATCHES: usize = 40;
    let shop = runtime.block_on(shop::open(Arc::new(MemoryStorage::new()), 1));
    let at = &shop.locations[0];
    runtime.block_on(shop::fill(&shop.connect, at, products));
    let round = AtomicUsize::new(1);
    // Every round changes the price of 20 000 products, so nothing is left unchanged.
    let bodies = || -> Vec<Vec<u8>> {
        let round = round.fetch_add(1, Ordering::Relaxed);
        let start = (round * 7919) % products;
        let numbers =
            |batch: usize| (0..500).map(move |item| (start + batch * 500 + item) % products);
        (0..BATCHES)
            .map(|batch| shop::batch(numbers(batch), 1000 + round))
            .collect()
    };
    measure::compare(
        &format!("batch of 500 updates, memory store of {products}"),
        0.3,
        15,
        || {
            let bodies = bodies();
            measure::timed(BATCHES, || {
                for body in &bodies {
                    let batch: PlainBatch = serde_json::from_slice(body).unwrap();
                    assert!(!serde_json::to_vec(&batch).unwrap().is_empty());
                }
            })
        },
        || {
            let bodies = bodies();
            measure::timed(BATCHES, || {
                runtime.block_on(async {
                    for body in bodies {
                        let answer = shop.connect.write_products(at, Request::json(body)).await;
                        assert!(
                            answer
                                .unwrap()
                                .body
                                .starts_with(br#"{"data":{"created":0,"updated":500"#)
                        );
                    }
                });
            })
        },
    );
}

fn batch_of_creates(runtime: &Runtime) {
    const BATCHES: usize = 20;
    let (ours, floor) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let storage = SledStorage::open(ours.path(), SledOptions::default()).unwrap();
    let shop = runtime.block_on(shop::open(Arc::new(storage), 1));
    let at = &shop.locations[0];
    let raw = raw_sled::RawSled::open(floor.path());
    let (made, raw_made) = (AtomicUsize::new(0), AtomicUsize::new(0));
    measure::compare(
        "batch of 500 creates, sled, durable",
        0.5,
        9,
        || {
            let start = raw_made.fetch_add(BATCHES * 500, Ordering::Relaxed);
            let batches: Vec<_> = (0..BATCHES)
                .map(|batch| raw_sled::batch(start + batch * 500..start + (batch + 1) * 500))
                .collect();
            measure::timed(BATCHES, || {
                for batch in batches {
                    raw.commit(batch);
                }
            })
        },
        || {
            let start = made.fetch_add(BATCHES * 500, Ordering::Relaxed);
            let bodies: Vec<_> = (0..BATCHES)
                .map(|batch| shop::batch(start + batch * 500..start + (batch + 1) * 500, 100))
                .collect();
            measure::timed(BATCHES, || {
                runtime.block_on(async {
                    for body in bodies {
                        let answer = shop.connect.write_products(at, Request::json(body)).await;
                        assert!(
                            answer
                                .unwrap()
                                .body
                                .starts_with(br#"{"data":{"created":500"#)
                        );
                    }
                });
            })
        },
    );
}

fn single_creates(runtime: &Runtime) {
    const WRITERS: usize = 32;
    const EACH: usize = 100;
    let (ours, floor) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let storage = SledStorage::open(ours.path(), SledOptions::default()).unwrap();
    let shop = runtime.block_on(shop::open(Arc::new(storage), 8));
    let raw = raw_sled::Shared::start(raw_sled::RawSled::open(floor.path()));
    let (made, raw_made) = (AtomicUsize::new(0), AtomicUsize::new(0));
    measure::compare(
        "single creates by 32 writers over 8 locations, sled, durable",
        0.4,
        9,
        || {
            let start = raw_made.fetch_add(WRITERS * EACH, Ordering::Relaxed);
            measure::timed(WRITERS * EACH, || {
                runtime.block_on(async {
                    let writers = (0..WRITERS).map(|writer| {
                        let raw = raw.clone();
                        tokio::spawn(async move {
                            for number in 0..EACH {
                                let number = start + writer * EACH + number;
                                raw.commit(raw_sled::batch(number..number + 1)).await;
                            }
                        })
                    });
                    for writer in writers.collect::<Vec<_>>() {
                        writer.await.unwrap();
                    }
                });
            })
        },
        || {
            let start = made.fetch_add(WRITERS * EACH, Ordering::Relaxed);
            measure::timed(WRITERS * EACH, || {
                runtime.block_on(async {
                    let writers = (0..WRITERS).map(|writer| {
                        let connect = shop.connect.clone();
                        let at = shop.locations[writer % shop.locations.len()].clone();
                        tokio::spawn(async move {
                            for number in 0..EACH {
                                let body = shop::product(start + writer * EACH + number, 100);
                                let request = Request::json(body.into_bytes());
                                connect.create_product(&at, request).await.unwrap();
                            }
                        })
                    });
                    for writer in writers.collect::<Vec<_>>() {
                        writer.await.unwrap();
                    }
                });
            })
        },
    );
}

/// What a product takes in the memory store, with all its indexes and the events that told of it.
fn memory(runtime: &Runtime) {
    const PRODUCTS: usize = 200_000;
    let shop = runtime.block_on(shop::open(Arc::new(MemoryStorage::new()), 1));
    let at = &shop.locations[0];
    runtime.block_on(shop::fill(&shop.connect, at, 1000));
    let before = measure::resident();
    runtime.block_on(shop::fill(&shop.connect, at, PRODUCTS));
    let taken = (measure::resident() - before) as f64 / (PRODUCTS - 1000) as f64;
    let query = connect_core::wire::query::ProductQuery::default();
    let page = runtime
        .block_on(shop.connect.list_products(at, &query))
        .unwrap()
        .into_bytes();
    let json = page.len() as f64 / 50.0;
    println!(
        "| memory per product, resident | {json:.0} bytes of JSON | {taken:.0} bytes | {:.2} times | at most 2.5 | {} |",
        taken / json,
        if taken <= 2.5 * json { "yes" } else { "no" },
    );
}

fn reopen(runtime: &Runtime) {
    const PRODUCTS: usize = 1_000_000;
    let directory = tempfile::tempdir().unwrap();
    let open = || {
        let start = Instant::now();
        let storage = SledStorage::open(directory.path(), SledOptions::default()).unwrap();
        let shop = runtime.block_on(shop::open(Arc::new(storage), 1));
        (start.elapsed(), shop)
    };
    let (empty, shop) = open();
    runtime.block_on(shop::fill(&shop.connect, &shop.locations[0], PRODUCTS));
    drop(shop);
    let (first, shop) = open();
    drop(shop);
    let (again, shop) = open();
    drop(shop);
    for (job, time, most) in [
        ("open an empty sled store and make an account", empty, 0.3),
        (
            "reopen 1 000 000 products in sled, the first time",
            first,
            3.0,
        ),
        ("reopen 1 000 000 products in sled, again", again, 3.0),
    ] {
        let seconds = time.as_secs_f64();
        let reached = if seconds <= most { "yes" } else { "no" };
        println!("| {job} | | {seconds:.2} s | | at most {most} s | {reached} |");
    }
}
