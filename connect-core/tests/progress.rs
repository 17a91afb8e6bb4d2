//! Two processes at one location of a store that is far away: both get on.

use std::{
    sync::{
        Arc,
        atomic::{AtomicBool, AtomicU64, Ordering},
    },
    time::Duration,
};

use connect_core::{
    Access, Connect,
    storage::conformance::Distant,
    wire::{
        Field, ProductBatch, ProductInput,
        query::{ProductQuery, SyncQuery},
    },
};

use crate::shop::{self, Shop};

const BATCHES: usize = 12;

fn distant(shop: &Shop) -> Arc<Distant> {
    Arc::new(Distant::new(shop.storage.clone(), Duration::from_millis(1)))
}

/// Sends some batches of 500, each of which is done. Returns the most trips to the store that one
/// of them took.
async fn batches(connect: &Connect, storage: &Distant, at: &Access, first: i64) -> u64 {
    let mut most = 0;
    for round in 0..BATCHES {
        let items = (0..500).map(|number| ProductInput {
            external_id: Field::Value(format!("B-{number}")),
            price_cents: Field::Value(first + round as i64),
            ..ProductInput::named(format!("Bread {number}"))
        });
        let batch = ProductBatch::new(items.collect());
        let before = storage.trips();
        let done = connect.location(at).products().batch(batch).await.unwrap();
        most = most.max(storage.trips() - before);
        assert_eq!((done.failed, done.unchanged), (0, 0));
    }
    most
}

/// One process patches one product without pause, the other sends batches of 500, and a reader
/// polls. A writer that was overtaken takes the lock, so it is overtaken once.
#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn a_batch_gets_on_beside_a_restless_writer_in_another_process() {
    let shop = Shop::open().await;
    let one = shop::connect(distant(&shop), &shop.clock);
    let way = distant(&shop);
    let other = shop::connect(way.clone(), &shop.clock);
    let id = one
        .location(&shop.at)
        .products()
        .create(ProductInput::named("Tea"))
        .await
        .unwrap()
        .id;
    let alone = batches(&other, &way, &shop.at, 1000).await;

    let (is_over, patched) = (
        Arc::new(AtomicBool::new(false)),
        Arc::new(AtomicU64::new(0)),
    );
    let patching = tokio::spawn({
        let (is_over, patched, at) = (is_over.clone(), patched.clone(), shop.at.clone());
        async move {
            while !is_over.load(Ordering::SeqCst) {
                let price = 1 + patched.fetch_add(1, Ordering::SeqCst) as i64;
                let input = ProductInput {
                    price_cents: Field::Value(price),
                    ..ProductInput::default()
                };
                one.location(&at)
                    .products()
                    .update(id, input)
                    .await
                    .unwrap();
            }
        }
    });
    let reading = tokio::spawn({
        let (is_over, at) = (is_over.clone(), shop.at.clone());
        let reader = shop::connect(distant(&shop), &shop.clock);
        async move {
            let query = ProductQuery {
                sync: SyncQuery {
                    include_deleted: true,
                    ..SyncQuery::default()
                },
                ..ProductQuery::default()
            };
            while !is_over.load(Ordering::SeqCst) {
                reader.location(&at).products().list(&query).await.unwrap();
            }
        }
    });
    let beside = batches(&other, &way, &shop.at, 2000).await;
    let patched_meanwhile = patched.load(Ordering::SeqCst);
    is_over.store(true, Ordering::SeqCst);
    patching.await.unwrap();
    reading.await.unwrap();
    assert!(patched_meanwhile > 0, "the other process was starved");
    // Once in vain, once for the lock, and once under it.
    let most = 2 * alone + 1;
    assert!(beside <= most, "{beside} trips beside, {alone} alone");
}
