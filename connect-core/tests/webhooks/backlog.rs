//! More deliveries than one turn of a session makes.

use std::time::Duration;

use super::{Scene, URL, endpoints::Answers};

/// A shop with 300 events for an endpoint that takes nine seconds.
async fn slow() -> Scene {
    let scene = Scene::open().await;
    scene.webhook().await;
    scene.products(300).await;
    scene.endpoints.answer(URL, Answers::Slowly);
    scene
}

/// An endpoint that takes nine seconds gets some 130 deliveries in a turn of a minute. The next turn
/// follows at once, and not with the next interval.
#[tokio::test(start_paused = true)]
async fn a_backlog_is_delivered_without_a_pause() {
    let scene = slow().await;
    let worker = scene.worker_of(scene.connect());
    worker.run(Duration::from_secs(60), scene.pass(115)).await;
    let delivered = scene.endpoints.take().len();
    assert!(delivered > 200, "{delivered}");
}

/// A turn is a minute long, and what is left is due again.
#[tokio::test(start_paused = true)]
async fn a_turn_comes_to_an_end() {
    let scene = slow().await;
    let (work, ()) = tokio::join!(scene.worker.tick(), scene.pass(75));
    let delivered = work.unwrap().delivered;
    assert!((100..200).contains(&delivered), "{delivered}");
}
