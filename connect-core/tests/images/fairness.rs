//! A location with many jobs, and others beside it.

use std::time::Duration;

use connect_core::{Access, Connect, wire::ProductBatch};
use tokio::time::timeout;

use super::{PATIENCE, Scene, with_image};
use crate::shop;

/// Makes so many products with held images at a location.
async fn make_held(connect: &Connect, at: &Access, name: usize, count: usize) {
    let slow = |number| with_image(&format!("held-{name}-{number}"));
    let batch = ProductBatch::new((0..count).map(slow).collect());
    let products = connect.location(at).products();
    assert_eq!(products.batch(batch).await.unwrap().created, count);
}

/// More jobs than a worker reads at a time, of a host that does not answer, are in front.
#[tokio::test]
async fn a_location_with_many_jobs_holds_up_no_other() {
    let scene = Scene::open().await;
    let connect = &scene.shop.connect;
    for batch in 0..5 {
        make_held(connect, &scene.shop.at, batch, 450).await;
    }
    scene.shop.clock.advance(1);
    let there = shop::location(connect, scene.shop.account, "There").await;
    let bun = scene.make_at(&there, "bun").await;
    let running = scene.run();
    let done = timeout(PATIENCE, scene.done(&there, bun)).await;
    done.unwrap();
    running.stop().await;
    scene.check().await;
}

/// A worker is at four locations of an account at a time, also after it is done with one.
#[tokio::test]
async fn a_worker_is_at_few_locations_at_a_time() {
    let scene = Scene::open().await;
    let mut locations = Vec::new();
    for number in 0..12 {
        let name = match number {
            0 => "rye".to_owned(),
            _ => format!("held-{number}"),
        };
        let there = shop::location(&scene.shop.connect, scene.shop.account, &name).await;
        scene.make_at(&there, &name).await;
        scene.shop.clock.advance(1);
        locations.push(there);
    }
    let begun = async || {
        let mut begun = 0;
        for there in &locations {
            let jobs = scene.shop.connect.location(there).image_jobs();
            let page = jobs.list(&Default::default()).await.unwrap();
            begun += page.data.iter().filter(|job| job.attempts > 0).count();
        }
        begun
    };
    let running = scene.run();
    let taken = async {
        while begun().await < 5 {
            tokio::time::sleep(Duration::from_millis(1)).await;
        }
    };
    timeout(PATIENCE, taken).await.unwrap();
    tokio::time::sleep(Duration::from_millis(20)).await;
    // The one that is done, and four that wait for their images.
    assert_eq!(begun().await, 5);
    running.stop().await;
}

/// Accounts with 200 images each at ten locations, on silent hosts. Two of them once had all places
/// until their downloads ran out of time.
#[tokio::test(start_paused = true)]
async fn accounts_with_many_slow_images_hold_up_no_other() {
    for slow in 1..=3 {
        let scene = Scene::open().await;
        let connect = &scene.shop.connect;
        for account in 0..slow {
            let account = shop::account(connect, &format!("slow{account}")).await;
            for number in 0..10 {
                let there = shop::location(connect, account, &format!("There {number}")).await;
                make_held(connect, &there, number, 20).await;
            }
            scene.shop.clock.advance(1);
        }
        let running = scene.run();
        // All places that they may have are taken before the other comes.
        tokio::time::sleep(Duration::from_secs(5)).await;
        let there = shop::account(connect, "quick").await;
        let there = shop::location(connect, there, "Elsewhere").await;
        let bun = scene.make_at(&there, "bun").await;
        // Time passes by the timers of the worker alone.
        let done = timeout(Duration::from_secs(10), scene.done(&there, bun));
        done.await.unwrap();
        assert_eq!(scene.port.held(), [4, 6, 7][slow - 1]);
        running.stop().await;
        scene.check().await;
    }
}
