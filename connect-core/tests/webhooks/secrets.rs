//! Signatures of a core with another time, and hidden secrets.

use connect_core::environment::ManualClock;
use connect_webhook_verify::{Secret, Verifier};

use super::{PRODUCTS, Scene, URL, endpoints::header};
use crate::shop::START;

/// Receivers hold a signature against their own clocks, and know nothing of a sandbox's.
#[tokio::test]
async fn a_core_whose_time_is_another_signs_by_that_of_the_day() {
    let scene = Scene::open().await;
    let issued = scene.webhook_at(URL, &PRODUCTS, &[]).await;
    scene.shop.clock.advance(40 * 86_400);
    let outside = ManualClock::at(START);
    let connect = scene.shop.process().signing_clock(outside.clone()).build();
    assert_eq!(connect.now(), START.plus_seconds(40 * 86_400));
    let worker = scene.worker_of(&connect);
    let verifier = Verifier::new(Secret::new(issued.secret.expose()).unwrap());
    for passed in [0, 3600] {
        outside.advance(passed);
        scene.product(&format!("Bread {passed}")).await;
        worker.tick().await.unwrap();
        let request = scene.endpoints.take().remove(0);
        let signature = header(&request, "service-signature");
        let is_good = |now: i64| {
            verifier
                .verify(signature, &request.body, now as u64)
                .is_ok()
        };
        let now = START.seconds() + passed;
        assert!(is_good(now) && !is_good(now + 40 * 86_400));
    }
}

#[tokio::test]
async fn no_secret_is_shown_by_debug() {
    let scene = Scene::open().await;
    let issued = scene.webhook_at(URL, &PRODUCTS, &[]).await;
    let text = format!("{issued:?} {:?}", scene.worker);
    assert!(!text.contains("whsec_"), "{text}");
}
