//! The trips of operations to the database.

use std::{sync::Arc, time::Duration};

use connect_core::{
    Request,
    storage::{
        conformance::Distant,
        postgres::testing::{Cluster, TestDatabase},
    },
    wire::Product,
};
use tokio::runtime::Runtime;

use crate::{journal::Counter, reads, shop, world};

/// Prints the trips of each operation.
pub fn of_operations(runtime: &Runtime, cluster: &Cluster) {
    println!("\n| operation | trips |\n|---|---|");
    let database = TestDatabase::on(cluster.config());
    runtime.block_on(async {
        let storage = Arc::new(world::storage(&database.address()).await);
        let distant = Arc::new(Distant::new(storage, Duration::ZERO));
        let shop = shop::open(distant.clone(), 1).await;
        let counter = Counter::open(shop, 1000).await;
        let (connect, account) = (&counter.shop.connect, counter.shop.account);
        // Entered once the registers are there: an access shows the account as it was.
        let location = counter.shop.locations[0].location().id;
        let at = connect.authorize_owner(account, location, account).await;
        let at = &at.unwrap();
        let products = || connect.location(at).json::<Product>();
        let page = connect.location(at).products();
        let page = page.list(&Default::default()).await.unwrap();
        let id = page.data[0].id.uuid();
        let mut before = distant.trips();
        let mut line = |name: &str| {
            let now = distant.trips();
            println!("| {name} | {} |", now - before);
            before = now;
        };
        products().get(id).await.unwrap();
        line("GET one product");
        products().list(&reads::page_of_200()).await.unwrap();
        line("page of 200");
        let json = |text: String| Request::json(text.into_bytes());
        products()
            .create(json(shop::product(70_000, 100)))
            .await
            .unwrap();
        line("create a product");
        products()
            .update(id, json(r#"{"priceCents":7}"#.into()))
            .await
            .unwrap();
        line("update a product");
        let body = shop::batch(0..500, 777);
        products().batch(Request::json(body)).await.unwrap();
        line("batch of 500 updates");
        let rows = connect.location(counter.register(0)).transactions();
        for _ in 0..3 {
            rows.write_json(Request::json(counter.sale(0, None)))
                .await
                .unwrap();
            line("sale");
        }
    });
}
