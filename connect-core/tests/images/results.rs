//! What a worker writes down.

use std::{sync::Arc, time::Duration};

use connect_core::{
    ImageWork,
    storage::{conformance::Distant, memory::MemoryStorage},
    wire::{Field, ImageErrorCode, ImageStatus, Product, ProductInput},
};

use super::{
    Scene,
    port::{copy, link},
};
use crate::shop;

#[tokio::test]
async fn images_that_end_together_are_one_commit_with_one_event() {
    let scene = Scene::open().await;
    let good = scene.make("rye").await;
    let bad = scene.make("lasting").await;
    let work = scene.tick().await;
    assert_eq!((work.done, work.failed), (1, 1));

    let done = (Some(copy("rye")), Some(ImageStatus::Done), None);
    assert_eq!(scene.image(good).await, done);
    let failed = Some(ImageStatus::Failed);
    let failed = (Some(link("lasting")), failed, Some("Damaged.".to_owned()));
    assert_eq!(scene.image(bad).await, failed);
    assert_eq!(scene.events().await, [[good.uuid(), bad.uuid()]]);

    let jobs = scene.jobs().await;
    assert_eq!(jobs[0].status, ImageStatus::Done);
    assert_eq!((jobs[0].attempts, &jobs[0].error), (1, &None));
    assert_eq!(jobs[0].source_url, link("rye"));
    let error = jobs[1].error.clone().unwrap();
    assert_eq!(error.code, ImageErrorCode::Corrupt);
    assert_eq!(error.message, "Damaged.");
    assert_eq!(jobs[1].status, ImageStatus::Failed);
    assert_eq!(jobs[0].updated_at, jobs[1].updated_at);
    let (good_at, bad_at) = (scene.product(good).await, scene.product(bad).await);
    assert_eq!(good_at.updated_at, bad_at.updated_at);
    scene.check().await;

    // What has ended is left alone; the link as sent and that of the copy change nothing.
    let before = scene.product(good).await;
    for link in [link("rye"), copy("rye")] {
        let input = ProductInput {
            image_url: Field::Value(link),
            ..Default::default()
        };
        scene.shop.products().update(good, input).await.unwrap();
    }
    scene.shop.clock.advance(3600);
    assert_eq!(scene.tick().await, ImageWork::default());
    assert_eq!(scene.product(good).await, before);
}

#[tokio::test]
async fn a_fault_that_may_pass_is_tried_three_times() {
    for (name, code) in [
        ("passing", ImageErrorCode::Timeout),
        ("panic", ImageErrorCode::ServerError),
    ] {
        let scene = Scene::open().await;
        let product = scene.make(name).await;
        for (attempt, wait) in [(1, 10), (2, 60)] {
            assert_eq!(scene.tick().await.postponed, 1, "{attempt}");
            let job = scene.job(product).await.unwrap();
            assert_eq!((job.attempts, job.status), (attempt, ImageStatus::Pending));
            assert_eq!(job.error.unwrap().code, code);
            let pending = (Some(link(name)), Some(ImageStatus::Pending), None);
            assert_eq!(scene.image(product).await, pending);
            scene.check().await;
            scene.shop.clock.advance(wait - 1);
            assert_eq!(scene.tick().await, ImageWork::default(), "{attempt}");
            scene.shop.clock.advance(1);
        }
        assert!(scene.events().await.is_empty());
        assert_eq!(scene.tick().await.failed, 1);
        let job = scene.job(product).await.unwrap();
        assert_eq!((job.attempts, job.status), (3, ImageStatus::Failed));
        assert_eq!(scene.image(product).await.1, Some(ImageStatus::Failed));
        assert_eq!(scene.port.calls(name), 3);
        assert_eq!(scene.events().await, [[product.uuid()]]);
        scene.check().await;
    }
}

/// The work of each location is its own.
#[tokio::test]
async fn each_location_has_its_commit() {
    let scene = Scene::open().await;
    let here = scene.make("rye").await;
    let there = shop::location(&scene.shop.connect, scene.shop.account, "There").await;
    let products = scene.shop.connect.location(&there).products();
    let input = ProductInput {
        image_url: Field::Value(link("bun")),
        ..ProductInput::named("Bun")
    };
    let other: Product = products.create(input).await.unwrap();
    assert_eq!(scene.tick().await.done, 2);
    assert_eq!(scene.events().await, [[here.uuid()]]);
    let other = products.get(other.id).await.unwrap();
    assert_eq!(other.image_url, Some(copy("bun")));
}

#[tokio::test]
async fn trips() {
    let store = Arc::new(Distant::new(Arc::new(MemoryStorage::new()), Duration::ZERO));
    let scene = Scene::on(store.clone()).await;
    for number in 0..10 {
        scene.make(&format!("image-{number}")).await;
    }
    let before = store.trips();
    assert_eq!(scene.tick().await.done, 10);
    // Two looks at the queue, and one for the account of the location, which a worker remembers; the lease
    // and the end, a read and a commit each.
    assert_eq!(store.trips() - before, 7);
    assert_eq!(scene.events().await.len(), 1);
}

#[tokio::test]
async fn a_job_ends_when_its_download_does() {
    let scene = Scene::open().await;
    let product = scene.make("held").await;
    let worker = scene.worker();
    let download = async {
        scene.port.begun().await;
        scene.shop.clock.advance(50);
        scene.port.let_go();
    };
    let (work, ()) = tokio::join!(worker.tick(), download);
    assert_eq!(work.unwrap().done, 1);
    let ended_at = scene.job(product).await.unwrap().updated_at;
    assert_eq!(ended_at, shop::START.plus_seconds(50));
}

#[tokio::test]
async fn an_attempt_has_no_fault_of_the_one_before() {
    let scene = Scene::open().await;
    let product = scene.make("held-passing").await;
    let worker = scene.worker();
    for attempt in [1, 2] {
        let download = async {
            scene.port.begun().await;
            let job = scene.job(product).await.unwrap();
            assert_eq!((job.attempts, job.error), (attempt, None));
            scene.port.let_go();
        };
        let (work, ()) = tokio::join!(worker.tick(), download);
        assert_eq!(work.unwrap().postponed, 1);
        scene.shop.clock.advance(10);
    }
}
