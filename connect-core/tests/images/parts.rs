//! Jobs that fail together are begun and ended one by one.

use super::Scene;
use crate::faulty::Fate::{self, Acknowledged, Lost, Refused};

/// The first commits of a worker that finds two jobs fail in some way; then all goes well.
#[tokio::test]
async fn what_fails_together_is_tried_one_by_one() {
    for (fates, done, events) in [
        (&[] as &[Fate], 2, 1),
        // The lease, and what has become of the jobs.
        (&[Refused], 2, 1),
        (&[Acknowledged, Refused], 2, 2),
        // One of them fails alone, too: the lease is tried again, its end waits for that of the lease.
        (&[Refused, Refused], 2, 2),
        (&[Acknowledged, Refused, Refused], 1, 1),
        // What may have been written is not written again.
        (&[Lost], 0, 0),
        (&[Acknowledged, Lost], 0, 0),
    ] {
        let scene = Scene::open().await;
        let storage = &scene.shop.storage;
        for image in ["rye", "bun"] {
            scene.make(image).await;
        }
        storage.decide(fates.iter().copied());
        assert_eq!(scene.tick().await.done, done, "{fates:?}");
        assert_eq!(scene.events().await.len(), events, "{fates:?}");
        scene.shop.clock.advance(120);
        assert_eq!(scene.tick().await.done, 2 - done, "{fates:?}");
        scene.check().await;
    }
}
