//! Batches of 500.

use std::{
    cell::{Cell, RefCell},
    sync::Arc,
};

use connect_core::{
    storage::memory::MemoryStorage,
    wire::{Page, Product, query::ProductQuery},
};
use tokio::runtime::Runtime;

use crate::{
    honest::HonestFloor,
    measure::{self, Reach},
    raw::{Raw, Rows},
    shop::{self, BATCH, Pattern, Shop},
};

const PRODUCTS: usize = 100_000;
pub const UPDATED: &str = r#"{"data":{"created":0,"updated":500,"unchanged":0,"failed":0"#;
pub const CREATED: &str = r#"{"data":{"created":500,"#;

/// Batches of updates in the memory store.
pub fn in_memory(runtime: &Runtime) {
    const BATCHES: usize = 40;
    let shop = runtime.block_on(shop::open(Arc::new(MemoryStorage::new()), 1));
    runtime.block_on(shop::fill(&shop.connect, &shop.locations[0], PRODUCTS));
    let floor = RefCell::new(HonestFloor::of(all(runtime, &shop)));
    for pattern in [Pattern::Consecutive, Pattern::Scattered] {
        let bodies = Bodies::new(pattern, BATCHES);
        measure::compare(
            &format!("batch of 500 updates, memory, {}", pattern.name()),
            Reach::Wall(0.45),
            15,
            || {
                let bodies = bodies.next();
                measure::timed(BATCHES, || {
                    let mut floor = floor.borrow_mut();
                    bodies.iter().for_each(|body| floor.update(body));
                })
            },
            || {
                let bodies = bodies.next();
                measure::timed(BATCHES, || write(runtime, &shop, bodies, UPDATED))
            },
        );
    }
}

/// Batches of updates on the disk.
pub fn updates(runtime: &Runtime, engine: &str) {
    const BATCHES: usize = 20;
    let (ours, floor) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let storage = shop::storage(engine, &ours.path().join("store"));
    let shop = runtime.block_on(shop::open(storage, 1));
    runtime.block_on(shop::fill(&shop.connect, &shop.locations[0], PRODUCTS));
    let (raw, mut rows) = (Raw::open(engine, floor.path()), Rows::new());
    for _ in 0..PRODUCTS / BATCH {
        raw.commit(rows.create(BATCH));
    }
    for pattern in [Pattern::Consecutive, Pattern::Scattered] {
        let bodies = Bodies::new(pattern, BATCHES);
        let round = Cell::new(0);
        measure::compare(
            &format!("batch of 500 updates, {engine}, {}", pattern.name()),
            Reach::Wall(0.5),
            9,
            || {
                round.set(round.get() + 1);
                let batches: Vec<_> = (0..BATCHES)
                    .map(|batch| pattern.numbers(round.get() * BATCHES + batch, PRODUCTS))
                    .map(|numbers| rows.update(numbers))
                    .collect();
                measure::timed(BATCHES, || {
                    batches.into_iter().for_each(|batch| raw.commit(batch));
                })
            },
            || {
                let bodies = bodies.next();
                measure::timed(BATCHES, || write(runtime, &shop, bodies, UPDATED))
            },
        );
    }
}

/// Batches of creates on the disk.
pub fn creates(runtime: &Runtime, engine: &str) {
    const BATCHES: usize = 20;
    let (ours, floor) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let storage = shop::storage(engine, &ours.path().join("store"));
    let shop = runtime.block_on(shop::open(storage, 1));
    let (raw, mut rows) = (Raw::open(engine, floor.path()), Rows::new());
    let made = Cell::new(0);
    measure::compare(
        &format!("batch of 500 creates, {engine}"),
        Reach::Wall(0.5),
        9,
        || {
            let batches: Vec<_> = (0..BATCHES).map(|_| rows.create(BATCH)).collect();
            measure::timed(BATCHES, || {
                batches.into_iter().for_each(|batch| raw.commit(batch));
            })
        },
        || {
            let batch = |_| {
                let start = made.replace(made.get() + BATCH);
                shop::batch(start..start + BATCH, 100)
            };
            let bodies = (0..BATCHES).map(batch).collect();
            measure::timed(BATCHES, || write(runtime, &shop, bodies, CREATED))
        },
    );
}

/// Bodies of batches of updates. Every round has other prices, so that nothing is unchanged.
pub struct Bodies {
    pattern: Pattern,
    batches: usize,
    round: Cell<usize>,
}

impl Bodies {
    pub fn new(pattern: Pattern, batches: usize) -> Self {
        let round = Cell::new(1);
        Self {
            pattern,
            batches,
            round,
        }
    }

    pub fn next(&self) -> Vec<Vec<u8>> {
        let round = self.round.replace(self.round.get() + 1);
        let price = match self.pattern {
            Pattern::Consecutive => 1000 + round,
            Pattern::Scattered => 50_000 + round * self.batches,
        };
        // Scattered batches may have products in common, and so differ in their prices too.
        let body = |batch| {
            let numbers = self.pattern.numbers(round * self.batches + batch, PRODUCTS);
            match self.pattern {
                Pattern::Consecutive => shop::batch(numbers, price),
                Pattern::Scattered => shop::batch(numbers, price + batch),
            }
        };
        (0..self.batches).map(body).collect()
    }
}

pub fn write(runtime: &Runtime, shop: &Shop, bodies: Vec<Vec<u8>>, answer: &str) {
    runtime.block_on(async {
        for body in bodies {
            shop::write(&shop.connect, &shop.locations[0], body, answer).await;
        }
    });
}

/// All products of the shop.
fn all(runtime: &Runtime, shop: &Shop) -> Vec<Product> {
    let mut query = ProductQuery::default();
    query.sync.limit = Some(200);
    let mut products = Vec::new();
    loop {
        let page = shop
            .connect
            .location(&shop.locations[0])
            .json::<Product>()
            .list(&query);
        let page: Page<Product> = runtime.block_on(page).unwrap().decode().unwrap();
        products.extend(page.data);
        match page.next_cursor {
            Some(cursor) => query.sync.cursor = Some(cursor),
            None => return products,
        }
    }
}
