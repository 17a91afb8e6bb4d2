//! Writes that share commits.

use std::{sync::Arc, time::Duration};

use connect_core::{
    Access, Connect, Request,
    storage::{conformance::Distant, memory::MemoryStorage},
    wire::{Product, ProductInput},
};
use futures_util::future::join_all;

use crate::shop::Shop;

const WRITERS: u64 = 4;
const EACH: u64 = 5;

async fn create(connect: &Connect, at: &Access, name: String) {
    let input = ProductInput::named(name);
    let created = connect
        .location(at)
        .json::<Product>()
        .create(Request::from(input));
    created.await.unwrap();
}

/// The first write goes by itself, as the others come after it. From then on all four writers share each commit,
/// also whoever is answered just before a group of others leaves.
#[tokio::test(start_paused = true)]
async fn writers_that_go_on_at_once_stay_together() {
    let distance = Duration::from_millis(5);
    let store = Arc::new(Distant::new(Arc::new(MemoryStorage::new()), distance));
    let shop = Shop::on(store.clone()).await;
    let before = store.trips();
    let write = |writer| {
        let (connect, at) = (shop.connect.clone(), shop.at.clone());
        tokio::spawn(async move {
            tokio::time::sleep(Duration::from_millis(writer)).await;
            for number in 0..EACH {
                create(&connect, &at, format!("Bread {writer} {number}")).await;
            }
        })
    };
    for done in join_all((0..WRITERS).map(write)).await {
        done.unwrap();
    }
    // Groups of one, four times four, and three.
    let groups = EACH + 1;
    // A read and a commit.
    assert_eq!(store.trips() - before, 2 * groups);
}
