//! The bytes that records take in the database, with their index rows and events.

use std::sync::Arc;

use connect_core::{
    storage::postgres::testing::{Cluster, TestDatabase},
    wire::{Product, query::ProductQuery},
};
use tokio::runtime::Runtime;

use crate::{floor, journal::Counter, scale::Scale, shop, world};

/// Prints the bytes of a product and of a sale of three lines.
pub fn of_records(runtime: &Runtime, cluster: &Cluster, scale: Scale) {
    println!(
        "\n| record | its JSON | rows | bytes in the table | in its index | in all |\n|---|---|---|---|---|---|"
    );
    let database = TestDatabase::on(cluster.config());
    let address = database.address();
    let storage = Arc::new(runtime.block_on(world::storage(&address)));
    let shop = runtime.block_on(shop::open(storage, 1));
    let counter = runtime.block_on(Counter::open(shop, 1000));
    let (connect, at) = (&counter.shop.connect, &counter.shop.locations[0]);
    let before = runtime.block_on(Size::of(&address));
    runtime.block_on(shop::fill(connect, at, 1000 + scale.records));
    let after = runtime.block_on(Size::of(&address));
    let page = runtime.block_on(
        connect
            .location(at)
            .json::<Product>()
            .list(&ProductQuery::default()),
    );
    line(
        "product",
        page.unwrap().into_bytes().len() / 50,
        before,
        after,
        scale.records,
    );
    let sales = (0..scale.records).map(|number| counter.sale(number, None));
    counter.write(runtime, sales.collect());
    let sold = runtime.block_on(Size::of(&address));
    let page = runtime.block_on(
        connect
            .location(at)
            .transactions()
            .list(&Default::default()),
    );
    let page = page.unwrap().data;
    let json = serde_json::to_vec(&page).unwrap().len() / page.len();
    line("sale of three lines", json, after, sold, scale.records);
}

fn line(name: &str, json: usize, before: Size, after: Size, count: usize) {
    let each = |size: fn(&Size) -> i64| (size(&after) - size(&before)) as f64 / count as f64;
    println!(
        "| {name} | {json} bytes | {:.1} | {:.0} | {:.0} | {:.0} |",
        each(|size| size.rows),
        each(|size| size.table),
        each(|size| size.index),
        each(|size| size.table + size.index),
    );
}

#[derive(Clone, Copy)]
/// The bytes of the store's table once it holds nothing that is over.
struct Size {
    rows: i64,
    table: i64,
    index: i64,
}

impl Size {
    async fn of(address: &str) -> Self {
        const FIND: &str = "SELECT (SELECT count(*) FROM connect_rows), \
            pg_table_size('connect_rows'), pg_indexes_size('connect_rows')";
        let client = floor::connect(address).await;
        client
            .batch_execute("VACUUM FULL connect_rows")
            .await
            .unwrap();
        let row = client.query_one(FIND, &[]).await.unwrap();
        Self {
            rows: row.get(0),
            table: row.get(1),
            index: row.get(2),
        }
    }
}
