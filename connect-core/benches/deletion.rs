//! What one large change costs others: a category of 50 000 products is deleted while another
//! location reads and writes.

use std::{
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    time::{Duration, Instant},
};

use connect_core::{
    Access, Connect, Request,
    storage::{Storage, memory::MemoryStorage},
    wire::{Category, Id, Page, Product, query::ProductQuery},
};
use tokio::runtime::Runtime;

use crate::{measure, shop};

const MEMBERS: usize = 50_000;

pub fn in_memory(runtime: &Runtime) {
    measure_on(runtime, "memory", Arc::new(MemoryStorage::new()), 0.05);
}

pub fn on_disk(runtime: &Runtime, engine: &str) {
    let directory = tempfile::tempdir().unwrap();
    let storage = shop::storage(engine, &directory.path().join("store"));
    let most = if engine == "sled" { 0.5 } else { 0.05 };
    measure_on(runtime, engine, storage, most);
}

/// The slowest requests at the other location: undisturbed, and while the category is deleted,
/// three times.
fn measure_on(runtime: &Runtime, engine: &str, storage: Arc<dyn Storage>, most: f64) {
    let shop = runtime.block_on(shop::open(storage, 2));
    let (here, there) = (&shop.locations[0], &shop.locations[1]);
    runtime.block_on(shop::fill(&shop.connect, there, 1000));
    let product = runtime.block_on(first_product(&shop.connect, there));
    for run in 0..3 {
        let category = runtime.block_on(fill_category(&shop.connect, here, run));
        let calm = runtime.block_on(beside(&shop.connect, there, product, async {
            tokio::time::sleep(Duration::from_secs(2)).await;
        }));
        let loud = runtime.block_on(beside(&shop.connect, there, product, async {
            let deletion = shop
                .connect
                .location(here)
                .json::<Category>()
                .delete(category.uuid(), ().into());
            deletion.await.unwrap();
        }));
        let is_reached = loud.slowest().as_secs_f64() <= most;
        let name = format!("deleting a category of 50 000, {engine}: slowest request elsewhere");
        let figure = format!("{loud}; undisturbed {calm}");
        measure::bounded(&name, &figure, &format!("{most} s"), is_reached);
    }
}

/// The slowest requests of some time.
struct Slowest {
    read: Duration,
    write: Duration,
    took: Duration,
}

impl Slowest {
    fn slowest(&self) -> Duration {
        self.read.max(self.write)
    }
}

impl std::fmt::Display for Slowest {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let [read, write, took] = [self.read, self.write, self.took].map(|time| time.as_millis());
        write!(f, "read {read} ms, write {write} ms in {took} ms")
    }
}

/// Reads and writes at `at` for as long as `change` takes.
async fn beside(
    connect: &Connect,
    at: &Access,
    product: Id<Product>,
    change: impl Future<Output = ()>,
) -> Slowest {
    let over = Arc::new(AtomicBool::new(false));
    let (reader, writer) = {
        let spawn = |is_write: bool| {
            let (connect, at, over) = (connect.clone(), at.clone(), over.clone());
            tokio::spawn(async move {
                let (mut slowest, mut price) = (Duration::ZERO, 0);
                while !over.load(Ordering::Relaxed) {
                    let start = Instant::now();
                    if is_write {
                        price += 1;
                        let body = format!(r#"{{"priceCents":{price}}}"#).into_bytes();
                        let request = Request::json(body);
                        connect
                            .location(&at)
                            .json::<Product>()
                            .update(product.uuid(), request)
                            .await
                            .unwrap();
                    } else {
                        connect
                            .location(&at)
                            .json::<Product>()
                            .get(product.uuid())
                            .await
                            .unwrap();
                    }
                    slowest = slowest.max(start.elapsed());
                    tokio::time::sleep(Duration::from_millis(1)).await;
                }
                slowest
            })
        };
        (spawn(false), spawn(true))
    };
    let start = Instant::now();
    change.await;
    let took = start.elapsed();
    over.store(true, Ordering::Relaxed);
    Slowest {
        read: reader.await.unwrap(),
        write: writer.await.unwrap(),
        took,
    }
}

async fn first_product(connect: &Connect, at: &Access) -> Id<Product> {
    let page = connect
        .location(at)
        .json::<Product>()
        .list(&ProductQuery::default())
        .await;
    let page: Page<Product> = page.unwrap().decode().unwrap();
    page.data[0].id
}

/// Puts 50 000 products into a new category.
async fn fill_category(connect: &Connect, at: &Access, run: usize) -> Id<Category> {
    let name = format!(r#"{{"name":"Everything {run}"}}"#).into_bytes();
    let made = connect
        .location(at)
        .json::<Category>()
        .create(Request::json(name))
        .await;
    let category: Category = made.unwrap().decode().unwrap();
    for start in (0..MEMBERS).step_by(500) {
        let item = |number| {
            format!(
                r#"{{"externalId":"ALL-{number}","name":"Product number {number}","description":"Baked fresh","barcode":"29{number:011}","categoryId":"{}"}}"#,
                category.id
            )
        };
        let items: Vec<String> = (start..start + 500).map(item).collect();
        let body = format!(r#"{{"items":[{}]}}"#, items.join(","));
        shop::write(connect, at, body.into_bytes(), r#"{"data":{"created":"#).await;
    }
    category.id
}
