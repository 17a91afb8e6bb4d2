//! One location's large change leaves the others alone.

use std::{sync::Arc, time::Duration};

use connect_core::{
    Access, Connect,
    storage::{
        Storage,
        memory::MemoryStorage,
        redb::{RedbOptions, RedbStorage},
        sled::{SledOptions, SledStorage},
    },
    wire::{Category, CategoryInput, Field, ProductBatch, ProductInput},
};

use crate::shop::{self, Shop};

const PRODUCTS: usize = 3_000;

/// Makes a category of many products.
async fn large_category(connect: &Connect, at: &Access) -> Category {
    let category = connect
        .location(at)
        .categories()
        .create(CategoryInput::named("Large"))
        .await
        .unwrap();
    let numbers: Vec<usize> = (0..PRODUCTS).collect();
    for numbers in numbers.chunks(500) {
        let items = numbers.iter().map(|number| ProductInput {
            external_id: Field::Value(format!("P-{number}")),
            category_id: Field::Value(category.id),
            ..ProductInput::named(format!("Product {number}"))
        });
        let batch = ProductBatch::new(items.collect());
        connect.location(at).products().batch(batch).await.unwrap();
    }
    category
}

/// While a category of thousands of products is deleted at one location, requests at another are
/// done one after another: none of them waits until the deletion is over.
async fn others_go_on(storage: Arc<dyn Storage>) {
    let shop = Shop::on(storage).await;
    let (connect, at) = (shop.connect.clone(), shop.at.clone());
    let there = shop::location(&connect, shop.account, "There").await;
    let category = large_category(&connect, &at).await;
    let deleting = tokio::spawn({
        let (connect, at) = (connect.clone(), at.clone());
        async move { connect.location(&at).categories().delete(category.id).await }
    });
    let mut done_meanwhile = 0;
    while !deleting.is_finished() {
        let made = connect
            .location(&there)
            .products()
            .create(ProductInput::named("Tea"))
            .await
            .unwrap();
        connect
            .location(&there)
            .products()
            .get(made.id.uuid())
            .await
            .unwrap();
        done_meanwhile += usize::from(!deleting.is_finished());
        tokio::time::sleep(Duration::from_millis(1)).await;
    }
    deleting.await.unwrap().unwrap();
    assert!(done_meanwhile >= 3, "{done_meanwhile} were done meanwhile");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn memory() {
    others_go_on(Arc::new(MemoryStorage::new())).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn sled() {
    let directory = tempfile::tempdir().unwrap();
    let storage = SledStorage::open(directory.path(), SledOptions::default());
    others_go_on(Arc::new(storage.unwrap())).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn redb() {
    let directory = tempfile::tempdir().unwrap();
    let storage = RedbStorage::open(directory.path(), RedbOptions::default());
    others_go_on(Arc::new(storage.unwrap())).await;
}
