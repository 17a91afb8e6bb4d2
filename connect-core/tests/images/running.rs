//! The loop of a worker: it is woken by what is queued, and gives back what it is at.

use std::time::Duration;

use connect_core::wire::ImageStatus;
use tokio::{sync::oneshot, time::timeout};

use super::{Scene, port::copy};

/// Longer than anything takes here.
const PATIENCE: Duration = Duration::from_secs(30);

#[tokio::test]
async fn a_queued_job_wakes_the_worker() {
    let scene = Scene::open().await;
    let (stop, stopped) = oneshot::channel::<()>();
    let running = tokio::spawn(scene.worker().run(async {
        let _ = stopped.await;
    }));
    // It has looked at the empty queue before.
    tokio::time::sleep(Duration::from_millis(20)).await;
    let product = scene.make("held").await;
    // Well before it would look again by itself.
    let begun = timeout(Duration::from_millis(700), scene.port.begun());
    begun.await.unwrap();
    scene.port.let_go();
    let done = async {
        while scene.image(product).await.1 != Some(ImageStatus::Done) {
            tokio::time::sleep(Duration::from_millis(1)).await;
        }
    };
    timeout(PATIENCE, done).await.unwrap();
    assert_eq!(scene.image(product).await.0, Some(copy("held")));
    stop.send(()).unwrap();
    timeout(PATIENCE, running).await.unwrap().unwrap();
}

#[tokio::test]
async fn a_worker_that_stops_gives_its_jobs_back() {
    let scene = Scene::open().await;
    let product = scene.make("held").await;
    let queued = scene.job(product).await.unwrap();
    let (stop, stopped) = oneshot::channel::<()>();
    let running = tokio::spawn(scene.worker().run(async {
        let _ = stopped.await;
    }));
    timeout(PATIENCE, scene.port.begun()).await.unwrap();
    assert_eq!(scene.job(product).await.unwrap().attempts, 1);
    stop.send(()).unwrap();
    timeout(PATIENCE, running).await.unwrap().unwrap();
    assert_eq!(scene.job(product).await.unwrap(), queued);
    scene.check().await;
    // Nobody has to wait for the lease.
    scene.port.let_go();
    assert_eq!(scene.tick().await.done, 1);
}
