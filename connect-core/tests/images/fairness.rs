//! A location with many jobs, and others beside it.

use std::time::Duration;

use connect_core::{
    Account, Connect, NewAccount,
    wire::{Field, Id, ImageStatus, ProductBatch, ProductInput},
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

/// Accounts with 200 images each at ten locations, on silent hosts. Two of them once had all places
/// until their downloads ran out of time.
#[tokio::test(start_paused = true)]
async fn accounts_with_many_slow_images_hold_up_no_other() {
    for slow in 1..=3 {
        let scene = Scene::open().await;
        let connect = &scene.shop.connect;
        for account in 0..slow {
            let account = other(connect, &format!("slow{account}")).await;
            for number in 0..10 {
                let there = shop::location(connect, account, &format!("There {number}")).await;
                let slow = |image| ProductInput {
                    image_url: Field::Value(link(&format!("held-{number}-{image}"))),
                    ..ProductInput::named("Slow")
                };
                let batch = ProductBatch::new((0..20).map(slow).collect());
                let products = connect.location(&there).products();
                assert_eq!(products.batch(batch).await.unwrap().created, 20);
            }
            scene.shop.clock.advance(1);
        }
        let (stop, stopped) = oneshot::channel::<()>();
        let running = tokio::spawn(scene.worker().run(async {
            let _ = stopped.await;
        }));
        // All places that they may have are taken before the other comes.
        tokio::time::sleep(Duration::from_secs(5)).await;

        let there = other(connect, "quick").await;
        let there = shop::location(connect, there, "Elsewhere").await;
        let there = connect.location(&there);
        let bun = ProductInput {
            image_url: Field::Value(link("bun")),
            ..ProductInput::named("Bun")
        };
        let bun = there.products().create(bun).await.unwrap();
        let done = async {
            while there.products().get(bun.id).await.unwrap().image_status
                != Some(ImageStatus::Done)
            {
                tokio::time::sleep(Duration::from_millis(5)).await;
            }
        };
        // Time passes by the timers of the worker alone.
        timeout(Duration::from_secs(10), done).await.unwrap();
        assert_eq!(scene.port.held(), [4, 6, 7][slow - 1]);
        stop.send(()).unwrap();
        running.await.unwrap();
        scene.check().await;
    }
}

/// Makes another account of this name.
async fn other(connect: &Connect, name: &str) -> Id<Account> {
    let account = NewAccount {
        name: name.into(),
        owner_email: format!("owner@{name}.example"),
        sandbox: true,
    };
    connect.create_account(account).await.unwrap().id
}
