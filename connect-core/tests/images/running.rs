//! The loop of a worker: it is woken by what is queued, and gives back what it is at.

use std::time::Duration;

use tokio::time::timeout;

use super::{PATIENCE, Scene, port::copy};

#[tokio::test]
async fn a_queued_job_wakes_the_worker() {
    let scene = Scene::open().await;
    let running = scene.run();
    // It has looked at the empty queue before.
    tokio::time::sleep(Duration::from_millis(20)).await;
    let product = scene.make("held").await;
    // Well before it would look again by itself.
    let begun = timeout(Duration::from_millis(700), scene.port.begun());
    begun.await.unwrap();
    scene.port.let_go();
    let done = scene.done(&scene.shop.at, product);
    timeout(PATIENCE, done).await.unwrap();
    assert_eq!(scene.image(product).await.0, Some(copy("held")));
    running.stop().await;
}

#[tokio::test]
async fn a_worker_that_stops_gives_its_jobs_back() {
    let scene = Scene::open().await;
    let product = scene.make("held").await;
    let queued = scene.job(product).await.unwrap();
    let running = scene.run();
    timeout(PATIENCE, scene.port.begun()).await.unwrap();
    assert_eq!(scene.job(product).await.unwrap().attempts, 1);
    running.stop().await;
    assert_eq!(scene.job(product).await.unwrap(), queued);
    scene.check().await;
    // Nobody has to wait for the lease.
    scene.port.let_go();
    assert_eq!(scene.tick().await.done, 1);
}
