//! The zoo of endpoints beside a hundred healthy ones, with the worker of the core.

use std::{future::pending, sync::Arc, time::Duration};

use connect_core::DeliveryStatus;
use connect_server::{networks::Networks, outbound::AddressGuard, webhooks::PublicWebhooks};
use tokio::time::{sleep, timeout};

use super::{
    PATIENCE,
    bad::{PATHS, healthy_host},
    client,
    endpoints::Zoo,
    shops::{HEALTHY, healthy_shops, open, shop},
};
use crate::host::{Host, Script};

/// The most that an attempt may take, in milliseconds.
const LONGEST: u64 = 10_500;

#[tokio::test]
async fn each_endpoint_gets_what_it_deserves_and_the_healthy_ones_everything() {
    let good = healthy_host().await;
    let zoo = Zoo::open().await;
    let connect = open(zoo.links());
    let healthy = healthy_shops(&connect, &good).await;
    let bad = shop(&connect, &zoo.urls()).await;
    for shop in healthy.iter().chain([&bad]) {
        shop.change("Tea").await;
    }
    // Time enough for a machine that does much else, but for those that never end.
    let sender = Arc::new(zoo.client(Duration::from_secs(3)));
    let worker = connect.webhook_worker(sender, None);
    worker.tick().await.unwrap();
    for shop in &healthy {
        for log in shop.logs().await {
            assert_eq!(log.len(), 1);
            assert_eq!(log[0].status, DeliveryStatus::Delivered, "{log:?}");
        }
    }
    assert_eq!(good.requests(), HEALTHY);
    for (log, (url, reason)) in bad.logs().await.iter().zip(zoo.endpoints()) {
        assert_eq!(log.len(), 1, "{url}");
        let last = log[0].attempts.last().unwrap();
        assert_eq!(log[0].attempts.len(), 1, "{url}");
        assert!(last.duration_ms <= LONGEST, "{url}: {last:?}");
        match &last.reason {
            None => assert_eq!(
                (reason, log[0].status),
                ("", DeliveryStatus::Delivered),
                "{url}"
            ),
            Some(said) => assert!(!reason.is_empty() && said.contains(reason), "{url}: {said}"),
        }
    }
    assert_eq!(zoo.requests(), PATHS.len());
    assert_eq!(zoo.forbidden_connections(), 0);
}

/// The changes while the endpoints hang.
const CHANGES: usize = 3;

#[tokio::test]
async fn endpoints_that_hang_hold_nobody_up() {
    let good = healthy_host().await;
    let hangs = Host::start(|_| Script::raw("").then_hang()).await;
    let guard = AddressGuard::allowing(Networks::loopback());
    let connect = open(PublicWebhooks::new(guard));
    let healthy = healthy_shops(&connect, &good).await;
    let urls: Vec<_> = (0..20).map(|n| hangs.link(&format!("/{n}"))).collect();
    let zoo = shop(&connect, &urls).await;
    let worker = connect.webhook_worker(Arc::new(client(PATIENCE)), None);
    let running = tokio::spawn(worker.run(Duration::from_millis(20), pending()));
    // The healthy ones get nothing before the others hang.
    zoo.change("Tea").await;
    let all_hang = async {
        while hangs.requests() < urls.len() {
            sleep(Duration::from_millis(5)).await;
        }
    };
    timeout(PATIENCE, all_hang).await.unwrap();
    for n in 1..=CHANGES {
        for shop in &healthy {
            shop.change(&format!("Tea {n}")).await;
        }
    }
    let all_arrive = async {
        while good.requests() < HEALTHY * CHANGES {
            sleep(Duration::from_millis(5)).await;
        }
    };
    timeout(PATIENCE, all_arrive).await.unwrap();
    // None of the others has come to its end yet.
    assert!(zoo.logs().await.iter().all(Vec::is_empty));
    running.abort();
}
