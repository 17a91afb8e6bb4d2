//! Two processes on one store, with different clocks.

use std::{collections::HashSet, time::Duration};

use connect_core::{Connect, DeliveryStatus, HostLimits};
use tokio::time::sleep;

use super::{
    PRODUCTS, Scene, URL,
    endpoints::{Answers, event},
};

/// A shop, and two more processes on its store with their clocks ahead.
async fn open(ahead: [i64; 2]) -> (Scene, [Connect; 2]) {
    let scene = Scene::open().await;
    let processes = ahead.map(|by| scene.shop.ahead(by));
    (scene, processes)
}

/// Attempts wait for their place, and for their answer, about as long as they may.
#[tokio::test(start_paused = true)]
async fn no_attempt_is_made_twice_while_clocks_agree_well_enough() {
    const WEBHOOKS: usize = 60;
    for ahead in [[0, 14], [14, 0]] {
        let (scene, processes) = open(ahead).await;
        for number in 0..WEBHOOKS {
            let url = format!("{URL}/{number}");
            scene.endpoints.answer(&url, Answers::Slowly);
            scene.webhook_at(&url, &PRODUCTS, &[]).await;
        }
        scene.product("Bread").await;
        let [one, two] = processes.map(|process| {
            let worker = scene.worker_of(&process);
            worker.with_host_limits(HostLimits {
                at_a_time: 100,
                a_second: 1,
            })
        });
        let second = Duration::from_secs(1);
        let passing = async {
            scene.pass(WEBHOOKS).await;
            // The host had a request in each of them: nothing waits for a lease.
            assert!(scene.endpoints.requests() >= WEBHOOKS, "{ahead:?}");
            scene.pass(30).await;
        };
        let other = async {
            // The first one has all leases.
            sleep(second).await;
            two.run(second, sleep(89 * second)).await;
        };
        tokio::join!(one.run(second, passing), other);
        let requests = scene.endpoints.take();
        let urls: HashSet<_> = requests.iter().map(|request| &request.url).collect();
        let counts = (requests.len(), urls.len());
        assert_eq!(counts, (WEBHOOKS, WEBHOOKS), "{ahead:?}");
        scene.shop.check().await;
    }
}

/// Leases are taken over at once, and attempts are made twice.
#[tokio::test(start_paused = true)]
async fn beyond_that_every_event_arrives_and_each_failure_counts_once() {
    const MINUTES: usize = 40;
    let (scene, processes) = open([0, 120]).await;
    let webhook = scene.webhook().await;
    scene.endpoints.answer(URL, Answers::Hangs);
    let [one, two] = processes.map(|process| {
        let worker = scene.worker_of(&process);
        worker.run(
            Duration::from_secs(1),
            sleep(Duration::from_secs(60 * MINUTES as u64)),
        )
    });
    let passing = async {
        for minute in 0..MINUTES {
            scene.product(&format!("Product {minute}")).await;
            scene.pass(60).await;
        }
    };
    tokio::join!(one, two, passing);
    let log = scene.log(&webhook).await;
    let written: usize = log.iter().map(|delivery| delivery.attempts.len()).sum();
    let made = scene.endpoints.take().len();
    assert!(made > written, "{made} attempts, {written} written down");
    let (now, failures) = scene.health().await;
    assert!((5..=5 + MINUTES as u32).contains(&failures), "{failures}");
    assert!(now.is_enabled());
    scene.endpoints.answer(URL, Answers::Status(200));
    for _ in 0..2 {
        scene.shop.clock.advance(86_400);
        scene.worker.tick().await.unwrap();
    }
    let arrived: HashSet<_> = scene
        .endpoints
        .take()
        .iter()
        .map(|it| event(it).id)
        .collect();
    assert_eq!(arrived.len(), MINUTES);
    let log = scene.log(&webhook).await;
    let is_done = |status| status == DeliveryStatus::Delivered;
    assert!(log.iter().all(|delivery| is_done(delivery.status)));
    scene.shop.check().await;
}
