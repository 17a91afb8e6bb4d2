//! The counts of images, and of those that wait.

use std::time::Duration;

use super::Scene;

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
