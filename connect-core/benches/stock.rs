//! Counts of 1000 products at once.

use std::{
    cell::{Cell, RefCell},
    collections::HashMap,
    sync::Arc,
};

use connect_core::{
    Request,
    storage::memory::MemoryStorage,
    wire::{
        Id, MovementType, Page, Product, Quantity, QuantityChange, StockLevel, Timestamp,
        query::ProductQuery,
    },
};
use serde::{Deserialize, Serialize};
use serde_json::json;
use tokio::runtime::Runtime;
use uuid::Uuid;

use crate::{
    measure::{self, Reach},
    raw::{Raw, Writes, key},
    shop::{self, Shop},
};

const PRODUCTS: usize = 100_000;
/// The products of a request.
const COUNTED: usize = 1000;
/// The requests of a round.
const REQUESTS: usize = 20;

/// Counts in the memory store.
pub fn in_memory(runtime: &Runtime) {
    let shop = runtime.block_on(shop::open(Arc::new(MemoryStorage::new()), 1));
    runtime.block_on(shop::fill(&shop.connect, &shop.locations[0], PRODUCTS));
    let bodies = Bodies::default();
    count(runtime, &shop, bodies.all());
    let floor = RefCell::new(Floor::of(products(runtime, &shop)));
    measure::compare(
        "counts of 1000 products, memory",
        Reach::Wall(0.4),
        15,
        || {
            let bodies = bodies.next();
            measure::timed(REQUESTS, || {
                let mut floor = floor.borrow_mut();
                bodies.iter().for_each(|body| floor.count(body));
            })
        },
        || {
            let bodies = bodies.next();
            measure::timed(REQUESTS, || count(runtime, &shop, bodies))
        },
    );
}

/// Counts on the disk.
pub fn on_disk(runtime: &Runtime, engine: &str) {
    let (ours, floor) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let storage = shop::storage(engine, &ours.path().join("store"));
    let shop = runtime.block_on(shop::open(storage, 1));
    runtime.block_on(shop::fill(&shop.connect, &shop.locations[0], PRODUCTS));
    let bodies = Bodies::default();
    count(runtime, &shop, bodies.all());
    let (raw, mut rows) = (Raw::open(engine, floor.path()), Rows::new());
    for start in (0..PRODUCTS).step_by(COUNTED) {
        raw.commit(rows.count(start));
    }
    let round = Cell::new(0);
    measure::compare(
        &format!("counts of 1000 products, {engine}"),
        Reach::Wall(0.5),
        9,
        || {
            round.set(round.get() + 1);
            let starts = (0..REQUESTS).map(|request| start(round.get(), request));
            let batches: Vec<_> = starts.map(|start| rows.count(start)).collect();
            measure::timed(REQUESTS, || {
                batches.into_iter().for_each(|batch| raw.commit(batch));
            })
        },
        || {
            let bodies = bodies.next();
            measure::timed(REQUESTS, || count(runtime, &shop, bodies))
        },
    );
}

/// The first product of a request.
fn start(round: usize, request: usize) -> usize {
    (round * REQUESTS + request) * COUNTED % PRODUCTS
}

/// Bodies of counts. Every round counts other quantities, so that nothing is unchanged.
#[derive(Default)]
struct Bodies {
    round: Cell<usize>,
}

impl Bodies {
    fn next(&self) -> Vec<Vec<u8>> {
        let round = self.round.replace(self.round.get() + 1);
        let body = |request| body(start(round, request), 10 + round);
        (0..REQUESTS).map(body).collect()
    }

    /// Counts of all products.
    fn all(&self) -> Vec<Vec<u8>> {
        let starts = (0..PRODUCTS).step_by(COUNTED);
        starts.map(|start| body(start, 1)).collect()
    }
}

/// The body that counts 1000 products from `start` on.
fn body(start: usize, quantity: usize) -> Vec<u8> {
    let item = |number| format!(r#"{{"externalId":"ART-{number:08}","quantity":{quantity}.5}}"#);
    let items: Vec<String> = (start..start + COUNTED).map(item).collect();
    format!(r#"{{"items":[{}]}}"#, items.join(",")).into_bytes()
}

fn count(runtime: &Runtime, shop: &Shop, bodies: Vec<Vec<u8>>) {
    let stock = shop.connect.location(&shop.locations[0]).stock();
    runtime.block_on(async {
        for body in bodies {
            let answered = stock.json().count_many(Request::json(body)).await;
            shop::check(&answered.unwrap().body, r#"{"data":{"updated":1000,"#);
        }
    });
}

/// All products of the shop.
fn products(runtime: &Runtime, shop: &Shop) -> Vec<Product> {
    let mut query = ProductQuery::default();
    query.sync.limit = Some(200);
    let list = shop.connect.location(&shop.locations[0]).products();
    let mut products = Vec::new();
    loop {
        let page: Page<Product> = runtime.block_on(list.list(&query)).unwrap();
        products.extend(page.data);
        match page.next_cursor {
            Some(cursor) => query.sync.cursor = Some(cursor),
            None => return products,
        }
    }
}

/// The floor in memory: each item is parsed, its product and its level are looked up, parsed and
/// printed, and its movement is printed.
struct Floor {
    products: HashMap<String, Box<[u8]>>,
    levels: HashMap<Id<Product>, Box<[u8]>>,
    movements: HashMap<u64, Box<[u8]>>,
    time: Timestamp,
}

/// Counts as plain serde reads them.
#[derive(Deserialize)]
struct PlainCounts {
    items: Vec<PlainCount>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct PlainCount {
    external_id: String,
    quantity: Quantity,
}

/// A movement as plain serde prints it.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct PlainMovement {
    id: Uuid,
    product_id: Id<Product>,
    external_id: Option<String>,
    #[serde(rename = "type")]
    kind: MovementType,
    quantity_change: QuantityChange,
    quantity_after: Quantity,
    note: Option<String>,
    source: String,
    transaction_id: Option<Uuid>,
    created_at: Timestamp,
}

impl Floor {
    /// The maps of these products.
    fn of(products: Vec<Product>) -> Self {
        let mut floor = Self {
            products: HashMap::new(),
            levels: HashMap::new(),
            movements: HashMap::new(),
            time: Timestamp::from_micros(1_800_000_000_000_000),
        };
        for product in products {
            let level = json!({
                "productId": product.id,
                "externalId": product.external_id,
                "quantity": product.stock_quantity.unwrap(),
                "updatedAt": product.updated_at,
            });
            let level: StockLevel = serde_json::from_value(level).unwrap();
            floor.levels.insert(product.id, printed(&level));
            let row = printed(&product);
            floor.products.insert(product.external_id.unwrap(), row);
        }
        floor
    }

    fn count(&mut self, body: &[u8]) {
        let counts: PlainCounts = serde_json::from_slice(body).unwrap();
        self.time = self.time.plus_micros(1);
        for item in counts.items {
            let row = self.products.get_mut(&item.external_id).unwrap();
            let mut product: Product = serde_json::from_slice(row).unwrap();
            product.stock_quantity = Some(item.quantity);
            product.updated_at = self.time;
            *row = printed(&product);
            let row = self.levels.get_mut(&product.id).unwrap();
            let mut level: StockLevel = serde_json::from_slice(row).unwrap();
            let change = QuantityChange::between(level.quantity, item.quantity);
            level.quantity = item.quantity;
            level.updated_at = self.time;
            *row = printed(&level);
            let movement = PlainMovement {
                id: Uuid::now_v7(),
                product_id: product.id,
                external_id: Some(item.external_id),
                kind: MovementType::Count,
                quantity_change: change,
                quantity_after: item.quantity,
                note: None,
                source: "Dashboard".to_owned(),
                transaction_id: None,
                created_at: self.time,
            };
            let number = self.movements.len() as u64;
            self.movements.insert(number, printed(&movement));
        }
    }
}

fn printed(row: &impl Serialize) -> Box<[u8]> {
    serde_json::to_vec(row).unwrap().into_boxed_slice()
}

/// The floor on the disk: the rows and index entries of products, levels and movements.
struct Rows {
    ids: Vec<Uuid>,
    changed: Vec<u64>,
    time: u64,
}

impl Rows {
    fn new() -> Self {
        Self {
            ids: (0..PRODUCTS).map(|_| Uuid::now_v7()).collect(),
            changed: vec![0; PRODUCTS],
            time: 1_800_000_000_000_000,
        }
    }

    /// Counts the 1000 products from `start` on: each its row and its level with their entries
    /// moved, and a movement with two entries; one event and the clock.
    fn count(&mut self, start: usize) -> Writes {
        let mut writes = Writes::new();
        self.time += 1;
        let now = self.time.to_be_bytes();
        let filled = |length| Some(vec![b'x'; length]);
        for number in start..start + COUNTED {
            let id = *self.ids[number].as_bytes();
            let category = [(number % 50) as u8; 16];
            let moving = |time: &[u8; 8]| {
                [
                    key(0x31, &[time, &id]),
                    key(0x35, &[&category, time, &id]),
                    key(0x91, &[time, &id]),
                ]
            };
            let before = std::mem::replace(&mut self.changed[number], self.time);
            if before > 0 {
                let old = moving(&before.to_be_bytes());
                writes.extend(old.map(|entry| (entry, None)));
            }
            writes.extend(moving(&now).map(|entry| (entry, filled(0))));
            writes.push((key(0x30, &[&id]), filled(500)));
            writes.push((key(0x90, &[&id]), filled(140)));
            let movement = Uuid::now_v7();
            let movement = movement.as_bytes();
            writes.push((key(0x93, &[movement]), filled(310)));
            writes.push((key(0x94, &[&now, movement]), filled(0)));
            writes.push((key(0x95, &[&id, &now, movement]), filled(0)));
        }
        writes.push((key(0x50, &[&now]), filled(70 * COUNTED + 200)));
        writes.push((key(0x01, &[]), filled(68)));
        writes
    }
}
