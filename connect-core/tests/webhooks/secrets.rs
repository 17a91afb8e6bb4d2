//! Signatures, and secrets that are rolled.

use std::sync::Arc;

use connect_core::{
    Connect, Secret,
    environment::{ManualClock, WebhookRequest},
    storage::memory::MemoryStorage,
    wire::EventType,
};
use connect_webhook_verify::Verifier;

use super::{Scene, endpoints::header};
use crate::shop::{self, START};

fn is_good(request: &WebhookRequest, secret: &Secret, now: i64) -> bool {
    let key = connect_webhook_verify::Secret::new(secret.expose()).unwrap();
    let signature = header(request, "service-signature");
    let verifier = Verifier::new(key);
    verifier
        .verify(signature, &request.body, now as u64)
        .is_ok()
}

#[tokio::test]
async fn for_a_day_after_a_roll_both_secrets_sign() {
    let scene = Scene::open().await;
    let issued = scene.webhook(&[EventType::ProductChanged]).await;
    let (id, account) = (issued.webhook.id, scene.shop.account);
    let old = issued.secret;
    let mut now = START.seconds();
    let mut signed_by = async |seconds: i64, new: Option<&Secret>| {
        scene.shop.clock.advance(seconds);
        now += seconds;
        scene.product("Bread").await;
        scene.worker.tick().await.unwrap();
        let request = scene.endpoints.take().remove(0);
        let by_new = new.map(|new| is_good(&request, new, now));
        (is_good(&request, &old, now), by_new)
    };
    assert_eq!(signed_by(0, None).await, (true, None));
    let new = scene
        .connect()
        .roll_webhook_secret(account, id)
        .await
        .unwrap();
    assert!(new.expose().starts_with("whsec_"));
    assert_eq!(signed_by(0, Some(&new)).await, (true, Some(true)));
    assert_eq!(signed_by(86_399, Some(&new)).await, (true, Some(true)));
    assert_eq!(signed_by(1, Some(&new)).await, (false, Some(true)));
}

/// Receivers hold a signature against their own clocks, and know nothing of a sandbox's.
#[tokio::test]
async fn a_core_whose_time_is_another_signs_by_that_of_the_day() {
    let storage = Arc::new(MemoryStorage::new());
    let scene = Scene::over(shop::open_on(storage.clone()).await);
    let issued = scene.webhook(&[EventType::ProductChanged]).await;
    scene.shop.clock.advance(40 * 86_400);
    let outside = ManualClock::at(START);
    let connect = Connect::builder(storage)
        .clock(scene.shop.clock.clone())
        .signing_clock(outside.clone())
        .build();
    assert_eq!(connect.now(), START.plus_seconds(40 * 86_400));
    let worker = connect.webhook_worker(scene.endpoints.clone(), None);
    for passed in [0, 3600] {
        outside.advance(passed);
        scene.product(&format!("Bread {passed}")).await;
        worker.tick().await.unwrap();
        let request = scene.endpoints.take().remove(0);
        let now = START.seconds() + passed;
        assert!(is_good(&request, &issued.secret, now));
        assert!(!is_good(&request, &issued.secret, now + 40 * 86_400));
    }
}

#[tokio::test]
async fn no_secret_is_shown_by_debug() {
    let scene = Scene::open().await;
    let issued = scene.webhook(&[EventType::ProductChanged]).await;
    let text = format!("{issued:?} {:?}", scene.worker);
    assert!(!text.contains("whsec_"), "{text}");
}
