//! Single creates by 32 writers over 8 locations, beside durable inserts of a row each.

use std::{cell::Cell, sync::Arc};

use connect_core::{
    Connect, Request,
    storage::postgres::{
        PostgresOptions,
        testing::{Cluster, TestDatabase},
    },
    wire::Product,
};
use tokio::{runtime::Runtime, sync::Mutex};
use tokio_postgres::{Client, Statement};
use uuid::Uuid;

use crate::{
    floor,
    measure::{self, Cost, Reach},
    scale::Scale,
    shop, world,
};

const WRITERS: usize = 32;
const LOCATIONS: usize = 8;

/// The core, and one insert for each create: on as many connections as the store commits on, and on one
/// for each writer.
pub fn beside_inserts(runtime: &Runtime, cluster: &Cluster, scale: Scale) {
    let each = scale.singles / WRITERS;
    let database = TestDatabase::on(cluster.config());
    let address = database.address();
    let storage = runtime.block_on(world::storage(&address));
    let shop = runtime.block_on(shop::open(Arc::new(storage), LOCATIONS));
    let made = Cell::new(0);
    for connections in [PostgresOptions::default().writers, WRITERS] {
        let inserts = runtime.block_on(Inserts::on(&address, connections));
        measure::compare(
            &format!(
                "single creates by 32 writers over 8 locations; inserts on {connections} connections"
            ),
            Reach::Wall(0.6),
            scale.rounds,
            || inserts.run(runtime, each),
            || {
                let start = made.replace(made.get() + WRITERS * each);
                measure::timed(WRITERS * each, || {
                    let write = |writer: usize| {
                        let at = shop.locations[writer % LOCATIONS].clone();
                        let connect = shop.connect.clone();
                        let first = start + writer * each;
                        runtime.spawn(async move {
                            for number in first..first + each {
                                create(&connect, &at, number).await;
                            }
                        })
                    };
                    shop::finish(runtime, (0..WRITERS).map(write).collect());
                })
            },
        );
    }
}

/// Creates a product.
pub async fn create(connect: &Connect, at: &connect_core::Access, number: usize) {
    let request = Request::json(shop::product(number, 100).into_bytes());
    let here = connect.location(at);
    here.json::<Product>().create(request).await.unwrap();
}

const TABLE: &str = "CREATE TABLE IF NOT EXISTS floor_inserts (key bytea PRIMARY KEY, value bytea)";

const INSERT: &str = "INSERT INTO floor_inserts (key, value) VALUES ($1, $2)";

/// Connections that insert rows.
pub struct Inserts(Vec<Arc<Mutex<(Client, Statement)>>>);

impl Inserts {
    pub async fn on(address: &str, connections: usize) -> Self {
        let mut clients = Vec::new();
        for _ in 0..connections {
            let client = floor::connect(address).await;
            client.batch_execute(TABLE).await.unwrap();
            let insert = client.prepare(INSERT).await.unwrap();
            clients.push(Arc::new(Mutex::new((client, insert))));
        }
        Self(clients)
    }

    /// Has each of 32 writers insert so many rows of the size of a product, one after another. Writers
    /// share connections as the core's do: they wait for their turn.
    pub fn run(&self, runtime: &Runtime, each: usize) -> Cost {
        measure::timed(WRITERS * each, || {
            let write = |writer: usize| {
                let client = self.0[writer % self.0.len()].clone();
                runtime.spawn(async move {
                    for _ in 0..each {
                        insert(&*client.lock().await).await;
                    }
                })
            };
            shop::finish(runtime, (0..WRITERS).map(write).collect());
        })
    }

    /// Inserts rows one after another on one connection.
    pub fn run_alone(&self, runtime: &Runtime, count: usize) -> Cost {
        measure::timed(count, || {
            runtime.block_on(async {
                let client = self.0[0].lock().await;
                for _ in 0..count {
                    insert(&client).await;
                }
            });
        })
    }
}

async fn insert((client, insert): &(Client, Statement)) {
    let key = [&[7; 17][..], Uuid::now_v7().as_bytes()].concat();
    let value = vec![b'x'; 475];
    client.execute(insert, &[&key, &value]).await.unwrap();
}
