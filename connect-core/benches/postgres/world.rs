//! A database with a shop in it.

use std::{cell::Cell, sync::Arc};

use connect_core::{
    Access,
    storage::postgres::{
        PostgresOptions, PostgresStorage,
        testing::{Cluster, TestDatabase},
    },
};
use tokio::runtime::Runtime;

use crate::{
    floor,
    recorder::Recorder,
    shop::{self, BATCH, Pattern, Shop},
};

pub const UPDATED: &str = r#"{"data":{"created":0,"updated":500,"unchanged":0,"failed":0"#;

/// A shop with one location and its products.
pub struct World {
    pub products: usize,
    pub shop: Shop,
    pub recorder: Arc<Recorder>,
    pub database: TestDatabase,
    price: Cell<usize>,
}

impl World {
    pub fn open(runtime: &Runtime, cluster: &Cluster, products: usize) -> Self {
        let database = TestDatabase::on(cluster.config());
        runtime.block_on(async {
            let recorder = Arc::new(Recorder::of(storage(&database.address()).await));
            let shop = shop::open(recorder.clone(), 1).await;
            shop::fill(&shop.connect, &shop.locations[0], products).await;
            let client = floor::connect(&database.address()).await;
            client.batch_execute("VACUUM ANALYZE").await.unwrap();
            Self {
                products,
                shop,
                recorder,
                database,
                price: Cell::new(1000),
            }
        })
    }

    pub fn at(&self) -> &Access {
        &self.shop.locations[0]
    }

    /// Bodies of batches of updates, each with another price, so that nothing is unchanged.
    pub fn updates(&self, pattern: Pattern, batches: usize) -> Vec<Vec<u8>> {
        let body = |_| {
            let price = self.price.replace(self.price.get() + 1);
            shop::batch(pattern.numbers(price, self.products), price)
        };
        assert!(self.products >= BATCH);
        (0..batches).map(body).collect()
    }

    /// Writes batches one after another.
    pub fn write(&self, runtime: &Runtime, bodies: Vec<Vec<u8>>) {
        runtime.block_on(async {
            for body in bodies {
                shop::write(&self.shop.connect, self.at(), body, UPDATED).await;
            }
        });
    }
}

/// A store as a server opens it.
pub async fn storage(address: &str) -> PostgresStorage {
    let storage = PostgresStorage::open(address, PostgresOptions::default()).await;
    storage.unwrap()
}
