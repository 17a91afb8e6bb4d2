//! What a worker writes down.

use std::time::Duration;

use connect_core::{
    ImageWork,
    wire::{Field, ImageErrorCode, ImageStatus, ProductInput},
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
    assert_eq!(
        (error.code, &*error.message),
        (ImageErrorCode::Corrupt, "Damaged.")
    );
    assert_eq!(jobs[1].status, ImageStatus::Failed);
    assert_eq!(jobs[0].updated_at, jobs[1].updated_at);
    let before = scene.product(good).await;
    assert_eq!(before.updated_at, scene.product(bad).await.updated_at);
    scene.check().await;

    // What has ended is left alone; the link as sent and that of the copy change nothing.
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

/// The work of each location is its own.
#[tokio::test]
async fn each_location_has_its_commit() {
    let scene = Scene::open().await;
    let here = scene.make("rye").await;
    let there = shop::location(&scene.shop.connect, scene.shop.account, "There").await;
    let other = scene.make_at(&there, "bun").await;
    assert_eq!(scene.tick().await.done, 2);
    assert_eq!(scene.events().await, [[here.uuid()]]);
    let products = scene.shop.connect.location(&there).products();
    let other = products.get(other).await.unwrap();
    assert_eq!(other.image_url, Some(copy("bun")));
}

#[tokio::test]
async fn trips() {
    let scene = Scene::open().await;
    let store = &scene.shop.storage;
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

/// A job ends when its download does, and an attempt has no fault of the one before.
#[tokio::test]
async fn a_job_shows_its_attempt() {
    let scene = Scene::open().await;
    let product = scene.make("held").await;
    let work = scene
        .tick_while(async { scene.shop.clock.advance(50) })
        .await;
    assert_eq!(work.done, 1);
    let ended_at = scene.job(product).await.unwrap().updated_at;
    assert_eq!(ended_at, shop::START.plus_seconds(50));

    let product = scene.make("held-passing").await;
    for attempt in [1, 2] {
        let shown = async {
            let job = scene.job(product).await.unwrap();
            assert_eq!((job.attempts, job.error), (attempt, None));
        };
        assert_eq!(scene.tick_while(shown).await.postponed, 1);
        scene.shop.clock.advance(10);
    }
}

#[tokio::test]
async fn images_are_counted_by_what_has_become_of_them() {
    let scene = Scene::open().await;
    let connect = scene.shop.connect.clone();
    for image in ["one", "two", "lasting", "passing"] {
        scene.make(image).await;
    }
    scene.shop.clock.advance(30);
    let waiting = connect.backlog().await.unwrap().images;
    assert_eq!(
        (waiting.count, waiting.overdue),
        (4, Duration::from_secs(30))
    );
    scene.tick().await;
    let images = &connect.metrics().images;
    let counted = [&images.done, &images.failed, &images.postponed];
    assert_eq!(counted.map(|count| count.get()), [2, 1, 1]);
    // One is tried again later, and is not due.
    let waiting = connect.backlog().await.unwrap().images;
    assert_eq!((waiting.count, waiting.overdue), (1, Duration::ZERO));
}
