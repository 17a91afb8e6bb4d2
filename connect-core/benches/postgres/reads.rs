//! A page and a single product beside the statements that the store sends for them.

use connect_core::{
    storage::{Read, postgres::testing::Bare},
    wire::{Id, Product, query::ProductQuery},
};
use tokio::runtime::Runtime;
use tokio_postgres::Client;

use crate::{
    floor,
    measure::{self, Cost, Reach},
    recorder::OwnedRead,
    scale::Scale,
    world::World,
};

/// Each read by the core, and its statement by the driver.
pub fn beside_statements(runtime: &Runtime, world: &World, scale: Scale) {
    let client = runtime.block_on(floor::connect(&world.database.address()));
    let query = page_of_200();
    let id = runtime.block_on(a_product(world));
    let one = asked(runtime, world, async || {
        get(world, id).await;
    });
    measure::compare(
        "GET one product",
        Reach::Wall(0.7),
        scale.rounds,
        || bare(runtime, &client, &one, scale.reads),
        || gets(runtime, world, id, scale.reads),
    );
    let page = asked(runtime, world, async || list(world, &query).await);
    measure::compare(
        "page of 200",
        Reach::Wall(0.7),
        scale.rounds,
        || bare(runtime, &client, &page, scale.reads / 10),
        || pages(runtime, world, &query, scale.reads / 10),
    );
}

pub fn page_of_200() -> ProductQuery {
    let mut query = ProductQuery::default();
    query.sync.limit = Some(200);
    query
}

/// A product from the middle of a page.
pub async fn a_product(world: &World) -> Id<Product> {
    let here = world.shop.connect.location(world.at());
    let page = here.products().list(&page_of_200()).await.unwrap();
    page.data[100].id
}

/// Gets a product so many times.
pub fn gets(runtime: &Runtime, world: &World, id: Id<Product>, count: usize) -> Cost {
    measure::timed(count, || {
        runtime.block_on(async {
            for _ in 0..count {
                get(world, id).await;
            }
        });
    })
}

/// Lists a page so many times.
pub fn pages(runtime: &Runtime, world: &World, query: &ProductQuery, count: usize) -> Cost {
    measure::timed(count, || {
        runtime.block_on(async {
            for _ in 0..count {
                list(world, query).await;
            }
        });
    })
}

async fn get(world: &World, id: Id<Product>) {
    let here = world.shop.connect.location(world.at());
    let body = here.json::<Product>().get(id.uuid()).await.unwrap();
    assert!(body.into_bytes().len() > 300);
}

async fn list(world: &World, query: &ProductQuery) {
    let here = world.shop.connect.location(world.at());
    let body = here.json::<Product>().list(query).await.unwrap();
    assert!(body.into_bytes().len() > 200 * 300);
}

/// The one trip that `work` makes.
fn asked(runtime: &Runtime, world: &World, work: impl AsyncFnOnce()) -> Vec<OwnedRead> {
    world.recorder.begin();
    runtime.block_on(work());
    let mut reads = world.recorder.end().reads;
    assert_eq!(reads.len(), 1);
    reads.remove(0)
}

/// The same by the driver alone.
fn bare(runtime: &Runtime, client: &Client, reads: &[OwnedRead], count: usize) -> Cost {
    let reads: Vec<Read<'_>> = reads.iter().map(OwnedRead::as_read).collect();
    let known = runtime.block_on(Bare::of(&reads).prepare(client)).unwrap();
    measure::timed(count, || {
        runtime.block_on(async {
            for _ in 0..count {
                let rows = Bare::of(&reads).send(client, &known).await.unwrap();
                assert!(!rows.is_empty());
            }
        });
    })
}
