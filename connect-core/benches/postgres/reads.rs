//! A page and a single product beside the statements that the store sends for them.

use connect_core::{
    storage::{
        Read,
        postgres::{PostgresOptions, testing::Bare},
    },
    wire::{Id, Product, query::ProductQuery},
};
use futures_util::future;
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
    let client = runtime.block_on(connect(world));
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
    let many = Many::of(runtime, world);
    measure::compare(
        "GET one product, 32 at once",
        Reach::Wall(0.7),
        scale.rounds,
        || many.bare(runtime, scale.reads),
        || many.gets(runtime, scale.reads),
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

/// A connection that plans each statement once, as those of the store.
async fn connect(world: &World) -> Client {
    let client = floor::connect(&world.database.address()).await;
    let plan_once = "SET plan_cache_mode = force_generic_plan";
    client.batch_execute(plan_once).await.unwrap();
    client
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

const AT_ONCE: usize = 32;

/// Reads of different products by many at once, and the statements for them on as many connections as the
/// store has.
struct Many<'w> {
    world: &'w World,
    products: Vec<(Id<Product>, Vec<OwnedRead>)>,
    clients: Vec<Client>,
}

impl<'w> Many<'w> {
    fn of(runtime: &Runtime, world: &'w World) -> Self {
        let here = world.shop.connect.location(world.at());
        let page = runtime.block_on(here.products().list(&page_of_200()));
        let ids = page.unwrap().data.into_iter().map(|product| product.id);
        let connections = 0..PostgresOptions::default().readers;
        Self {
            world,
            products: ids
                .map(|id| (id, asked(runtime, world, async || get(world, id).await)))
                .collect(),
            clients: connections
                .map(|_| runtime.block_on(connect(world)))
                .collect(),
        }
    }

    fn gets(&self, runtime: &Runtime, count: usize) -> Cost {
        self.at_once(runtime, count, async |_, (id, _)| {
            get(self.world, *id).await
        })
    }

    fn bare(&self, runtime: &Runtime, count: usize) -> Cost {
        let reads: Vec<Read<'_>> = self.products[0].1.iter().map(OwnedRead::as_read).collect();
        let bare = Bare::of(&reads);
        let known = self.clients.iter().map(|client| bare.prepare(client));
        let known = runtime.block_on(future::try_join_all(known)).unwrap();
        self.at_once(runtime, count, async |reader, (_, reads)| {
            let connection = reader % self.clients.len();
            let reads: Vec<Read<'_>> = reads.iter().map(OwnedRead::as_read).collect();
            let sent = Bare::of(&reads);
            let rows = sent.send(&self.clients[connection], &known[connection]);
            assert!(!rows.await.unwrap().is_empty());
        })
    }

    fn at_once(
        &self,
        runtime: &Runtime,
        count: usize,
        read: impl AsyncFn(usize, &(Id<Product>, Vec<OwnedRead>)),
    ) -> Cost {
        measure::timed(count, || {
            let read = &read;
            let reader = async |reader: usize| {
                for number in 0..count / AT_ONCE {
                    let product = &self.products[(reader + number * AT_ONCE) % self.products.len()];
                    read(reader, product).await;
                }
            };
            runtime.block_on(future::join_all((0..AT_ONCE).map(reader)));
        })
    }
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
