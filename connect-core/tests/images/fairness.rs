//! A location with many jobs, and others beside it.

use std::time::Duration;

use connect_core::{
    NewAccount,
    wire::{Field, ImageStatus, ProductBatch, ProductInput},
};
use tokio::{sync::oneshot, time::timeout};

use super::{Scene, port::link};
use crate::shop;

/// Longer than anything takes here.
const PATIENCE: Duration = Duration::from_secs(30);

/// More jobs than a worker reads at a time, of a host that does not answer, are in front.
#[tokio::test]
async fn a_location_with_many_jobs_holds_up_no_other() {
    let scene = Scene::open().await;
    for batch in 0..5 {
        let slow = |number| ProductInput {
            image_url: Field::Value(link(&format!("held-{batch}-{number}"))),
            ..ProductInput::named("Slow")
        };
        let batch = ProductBatch::new((0..450).map(slow).collect());
        let written = scene.shop.products().batch(batch).await.unwrap();
        assert_eq!(written.created, 450);
    }
    scene.shop.clock.advance(1);
    let there = shop::location(&scene.shop.connect, scene.shop.account, "There").await;
    let there = scene.shop.connect.location(&there);
    let bun = ProductInput {
        image_url: Field::Value(link("bun")),
        ..ProductInput::named("Bun")
    };
    let bun = there.products().create(bun).await.unwrap();

    let (stop, stopped) = oneshot::channel::<()>();
    let running = tokio::spawn(scene.worker().run(async {
        let _ = stopped.await;
    }));
    let done = async {
        while there.products().get(bun.id).await.unwrap().image_status != Some(ImageStatus::Done) {
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
    };
    timeout(PATIENCE, done).await.unwrap();
    stop.send(()).unwrap();
    timeout(PATIENCE, running).await.unwrap().unwrap();
    scene.check().await;
}

/// A worker is at four locations of an account at a time, also after it is done with one.
#[tokio::test]
async fn a_worker_is_at_few_locations_at_a_time() {
    let scene = Scene::open().await;
    let mut locations = Vec::new();
    for number in 0..12 {
        let name = if number == 0 {
            "rye".to_owned()
        } else {
            format!("held-{number}")
        };
        let there = shop::location(&scene.shop.connect, scene.shop.account, &name).await;
        let input = ProductInput {
            image_url: Field::Value(link(&name)),
            ..ProductInput::named("Bread")
        };
        let products = scene.shop.connect.location(&there).products();
        products.create(input).await.unwrap();
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
    let (stop, stopped) = oneshot::channel::<()>();
    let running = tokio::spawn(scene.worker().run(async {
        let _ = stopped.await;
    }));
    let taken = async {
        while begun().await < 5 {
            tokio::time::sleep(Duration::from_millis(1)).await;
        }
    };
    timeout(PATIENCE, taken).await.unwrap();
    tokio::time::sleep(Duration::from_millis(20)).await;
    // The one that is done, and four that wait for their images.
    assert_eq!(begun().await, 5);
    stop.send(()).unwrap();
    timeout(PATIENCE, running).await.unwrap().unwrap();
}

/// An account with 200 images at ten locations, of hosts that do not answer, keeps half of all places at most.
#[tokio::test]
async fn an_account_with_many_slow_images_holds_up_no_other() {
    let scene = Scene::open().await;
    for number in 0..10 {
        let there = format!("There {number}");
        let there = shop::location(&scene.shop.connect, scene.shop.account, &there).await;
        let slow = |image| ProductInput {
            image_url: Field::Value(link(&format!("held-{number}-{image}"))),
            ..ProductInput::named("Slow")
        };
        let batch = ProductBatch::new((0..20).map(slow).collect());
        let products = scene.shop.connect.location(&there).products();
        assert_eq!(products.batch(batch).await.unwrap().created, 20);
    }
    scene.shop.clock.advance(1);
    let (stop, stopped) = oneshot::channel::<()>();
    let running = tokio::spawn(scene.worker().run(async {
        let _ = stopped.await;
    }));
    // All places that it may have are taken before the other comes.
    for _ in 0..4 {
        timeout(PATIENCE, scene.port.begun()).await.unwrap();
    }

    let other = NewAccount {
        name: "Other".into(),
        owner_email: "owner@other.example".into(),
        sandbox: true,
    };
    let other = scene.shop.connect.create_account(other).await.unwrap();
    let there = shop::location(&scene.shop.connect, other.id, "Elsewhere").await;
    let there = scene.shop.connect.location(&there);
    let bun = ProductInput {
        image_url: Field::Value(link("bun")),
        ..ProductInput::named("Bun")
    };
    let bun = there.products().create(bun).await.unwrap();
    let done = async {
        while there.products().get(bun.id).await.unwrap().image_status != Some(ImageStatus::Done) {
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
    };
    timeout(PATIENCE, done).await.unwrap();
    assert_eq!(scene.port.held(), 4);
    stop.send(()).unwrap();
    timeout(PATIENCE, running).await.unwrap().unwrap();
    scene.check().await;
}
