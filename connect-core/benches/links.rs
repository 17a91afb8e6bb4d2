//! Linking 1000 products to two option groups, beside batches that change one field of the same
//! products.

use std::{cell::Cell, sync::Arc};

use connect_core::{
    Request,
    storage::memory::MemoryStorage,
    wire::{OptionGroup, Product},
};
use tokio::runtime::Runtime;

use crate::{
    measure::{self, Reach},
    shop::{self, BATCH, Shop},
};

const PRODUCTS: usize = 100_000;
/// The products of a request.
const LINKED: usize = 1000;
/// The requests of a round.
const REQUESTS: usize = 20;
const UPDATED: &str = r#"{"data":{"created":0,"updated":500,"#;
const AFFECTED: &str = r#"{"data":{"affected":1000,"#;

/// Links in the memory store.
pub fn in_memory(runtime: &Runtime) {
    let shop = runtime.block_on(shop::open(Arc::new(MemoryStorage::new()), 1));
    runtime.block_on(shop::fill(&shop.connect, &shop.locations[0], PRODUCTS));
    let two = r#"{"items":[{"externalId":"A","name":"A","options":[{"name":"1"}]},{"externalId":"B","name":"B","options":[{"name":"1"}]}]}"#;
    let groups = shop
        .connect
        .location(&shop.locations[0])
        .json::<OptionGroup>();
    runtime.block_on(groups.batch(Request::json(two))).unwrap();
    let round = Cell::new(0);
    let start = |request| (round.get() * REQUESTS + request) * LINKED % PRODUCTS;
    measure::compare(
        "linking 1000 products to 2 option groups, memory",
        Reach::Wall(1.5),
        15,
        || {
            round.set(round.get() + 1);
            let starts = (0..REQUESTS).flat_map(|request| [start(request), start(request) + BATCH]);
            let bodies: Vec<_> = starts.map(|start| prices(start, round.get())).collect();
            measure::timed(REQUESTS, || change(runtime, &shop, bodies))
        },
        || {
            let bodies = |list| -> Vec<_> {
                let body = |request| links(start(request), list);
                (0..REQUESTS).map(body).collect()
            };
            let (add, remove) = (bodies("add"), bodies("remove"));
            let cost = measure::timed(REQUESTS, || link(runtime, &shop, add));
            link(runtime, &shop, remove);
            cost
        },
    );
}

/// The body of a batch of 500 products from `start` on that changes their prices, other ones every
/// `round`.
fn prices(start: usize, round: usize) -> Vec<u8> {
    let item = |number| {
        format!(
            r#"{{"externalId":"ART-{number:08}","priceCents":{}}}"#,
            1000 + round
        )
    };
    let items: Vec<String> = (start..start + BATCH).map(item).collect();
    format!(r#"{{"items":[{}]}}"#, items.join(",")).into_bytes()
}

/// The body that puts the two groups into a `list` for 1000 products from `start` on.
fn links(start: usize, list: &str) -> Vec<u8> {
    let products: Vec<String> = (start..start + LINKED)
        .map(|number| format!(r#""ART-{number:08}""#))
        .collect();
    format!(
        r#"{{"productExternalIds":[{}],"{list}":[{{"externalId":"A"}},{{"externalId":"B"}}]}}"#,
        products.join(",")
    )
    .into_bytes()
}

fn change(runtime: &Runtime, shop: &Shop, bodies: Vec<Vec<u8>>) {
    runtime.block_on(async {
        for body in bodies {
            shop::write(&shop.connect, &shop.locations[0], body, UPDATED).await;
        }
    });
}

fn link(runtime: &Runtime, shop: &Shop, bodies: Vec<Vec<u8>>) {
    let products = shop.connect.location(&shop.locations[0]).json::<Product>();
    runtime.block_on(async {
        for body in bodies {
            let answered = products.link_option_groups(Request::json(body)).await;
            shop::check(&answered.unwrap().body, AFFECTED);
        }
    });
}
