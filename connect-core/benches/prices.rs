//! Changes of prices, single and in batches of 500.
//!
//! There is no floor: two builds of this program run in turns, such as before and after a change of the core.

use std::{cell::Cell, sync::Arc};

use connect_core::{
    storage::{Storage, memory::MemoryStorage},
    wire::{Id, Product, ProductInput, query::ProductQuery},
};
use tokio::runtime::Runtime;

use crate::{
    batches::UPDATED,
    measure,
    shop::{self, BATCH, Pattern, Shop},
};

const LOCATIONS: usize = 8;
const PRODUCTS: usize = 10_000;
const ROUNDS: usize = 11;

/// Measures changes in the memory store.
pub fn in_memory(runtime: &Runtime) {
    changes(runtime, "memory", Arc::new(MemoryStorage::new()), 2000, 20);
}

/// Measures changes on the disk.
pub fn on_disk(runtime: &Runtime, engine: &str) {
    let directory = tempfile::tempdir().unwrap();
    let storage = shop::storage(engine, &directory.path().join("store"));
    changes(runtime, engine, storage, 200, 20);
}

fn changes(
    runtime: &Runtime,
    name: &str,
    storage: Arc<dyn Storage>,
    singles: usize,
    batches: usize,
) {
    let shop = runtime.block_on(shop::open(storage, LOCATIONS));
    for at in &shop.locations {
        runtime.block_on(shop::fill(&shop.connect, at, PRODUCTS / LOCATIONS));
    }
    runtime.block_on(shop::fill(&shop.connect, &shop.locations[0], PRODUCTS));
    let ids: Vec<_> = (0..LOCATIONS)
        .map(|at| runtime.block_on(ids(&shop, at)))
        .collect();
    let price = Cell::new(1000);
    for writers in [1, 32] {
        let each = singles.div_ceil(writers).max(20);
        let costs = (0..=ROUNDS).map(|_| {
            measure::timed(writers * each, || {
                let write = |writer: usize| {
                    let base = price.replace(price.get() + 1);
                    let at = writer % LOCATIONS;
                    let (products, ids) = (
                        shop.connect.location(&shop.locations[at]).products(),
                        ids[at].clone(),
                    );
                    runtime.spawn(async move {
                        for number in 0..each {
                            let id = ids[(writer * 31 + number) % ids.len()];
                            let change = ProductInput::default().price_cents(base);
                            products.update(id, change).await.unwrap();
                        }
                    })
                };
                shop::finish(runtime, (0..writers).map(write).collect());
            })
        });
        measure::line(
            &format!("single changes by {writers} writers, {name}"),
            costs.collect(),
        );
    }
    let mut made = 0;
    let costs = (0..=ROUNDS).map(|_| {
        let bodies = (0..batches).map(|_| {
            made += 1;
            let numbers = Pattern::Consecutive.numbers(made, PRODUCTS);
            shop::batch(numbers, 2000 + made)
        });
        let bodies: Vec<_> = bodies.collect();
        measure::timed(batches, || {
            runtime.block_on(async {
                for body in bodies {
                    shop::write(&shop.connect, &shop.locations[0], body, UPDATED).await;
                }
            });
        })
    });
    measure::line(
        &format!("batch of {BATCH} changes, {name}"),
        costs.collect(),
    );
}

async fn ids(shop: &Shop, at: usize) -> Vec<Id<Product>> {
    let mut query = ProductQuery::default();
    query.sync.limit = Some(200);
    let page = shop
        .connect
        .location(&shop.locations[at])
        .products()
        .list(&query)
        .await
        .unwrap();
    page.data.into_iter().map(|product| product.id).collect()
}
