//! The memory of a process that delivers to the worst endpoints, beside a hundred healthy ones.

use std::{sync::Arc, time::Duration};

use super::{
    bad::{PATHS, healthy_host},
    endpoints::Zoo,
    shops::{healthy_shops, open, shop},
};
use crate::measured;

/// The most by which the memory may grow, in kB.
const MOST: u64 = 20_000;

/// The shops whose webhooks lead to all of the bad endpoints.
const BAD_SHOPS: usize = 3;

#[test]
fn bad_endpoints_cost_at_most_20_mb() {
    if let Some(grown) = measured::run("webhooks::memory::child") {
        assert!(grown <= MOST, "{grown} kB");
    }
}

#[test]
fn child() {
    measured::child(growth());
}

/// The growth between rounds to the healthy endpoints alone and rounds to all.
async fn growth() -> Option<u64> {
    let good = healthy_host().await;
    let zoo = Zoo::open().await;
    let connect = open(zoo.links());
    let healthy = healthy_shops(&connect, &good).await;
    let mut bad = Vec::new();
    for _ in 0..BAD_SHOPS {
        bad.push(shop(&connect, &zoo.urls()).await);
    }
    let worker = connect.webhook_worker(Arc::new(zoo.client(Duration::from_secs(1))), None);
    let mut before = None;
    for round in 0..6 {
        let all = healthy.iter().chain(&bad);
        let shops = all.take(if round < 3 { healthy.len() } else { usize::MAX });
        for shop in shops {
            shop.change(&format!("Tea {round}")).await;
        }
        worker.tick().await.unwrap();
        if round == 2 {
            before = measured::peak();
            assert_eq!(zoo.requests(), 0);
        }
    }
    // Some were made a second time.
    assert!(zoo.requests() >= BAD_SHOPS * 3 * PATHS.len());
    Some(measured::peak()? - before?)
}
