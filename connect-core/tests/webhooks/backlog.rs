//! More deliveries than one turn of a session makes.

use std::time::Duration;

use connect_core::wire::EventType;
use tokio::time::sleep;

use super::{Scene, URL, endpoints::Answers};

/// A shop with 300 events for an endpoint that takes nine seconds.
async fn slow() -> Scene {
    let scene = Scene::open().await;
    scene.webhook(&[EventType::ProductChanged]).await;
    for number in 0..300 {
        scene.product(&format!("Product {number}")).await;
    }
    scene.endpoints.answer(URL, Answers::Slowly);
    scene
}

/// Lets so many seconds pass.
async fn pass(scene: &Scene, seconds: usize) {
    for _ in 0..seconds {
        sleep(Duration::from_secs(1)).await;
        scene.shop.clock.advance(1);
    }
}

/// An endpoint that takes nine seconds gets some 130 deliveries in a turn of a minute. The next turn
/// follows at once, and not with the next interval.
#[tokio::test(start_paused = true)]
async fn a_backlog_is_delivered_without_a_pause() {
    let scene = slow().await;
    let (connect, endpoints) = (scene.shop.connect.clone(), scene.endpoints.clone());
    let worker = connect.webhook_worker(endpoints, None);
    let passing = pass(&scene, 115);
    worker.run(Duration::from_secs(60), passing).await;
    let delivered = scene.endpoints.take().len();
    assert!(delivered > 200, "{delivered}");
}

/// A turn is a minute long, and what is left is due again.
#[tokio::test(start_paused = true)]
async fn a_turn_comes_to_an_end() {
    let scene = slow().await;
    let (work, ()) = tokio::join!(scene.worker.tick(), pass(&scene, 75));
    let delivered = work.unwrap().delivered;
    assert!((100..200).contains(&delivered), "{delivered}");
}
