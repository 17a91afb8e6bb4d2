//! A location with many jobs, and others beside it.

use std::time::Duration;

use connect_core::wire::{Field, ImageStatus, ProductBatch, ProductInput};
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
