//! The times at which a failed delivery is tried again.

use connect_core::{DeliveryStatus, Error, wire::EventType};

use super::{
    Scene, URL,
    endpoints::{Answers, header},
};

#[tokio::test]
async fn a_failed_delivery_is_tried_again_six_times() {
    let scene = Scene::open().await;
    let webhook = scene.webhook(&[EventType::ProductChanged]).await.webhook;
    scene.endpoints.answer(URL, Answers::Status(503));
    scene.product("Bread").await;
    scene.worker.tick().await.unwrap();
    let first = scene.endpoints.take();
    let event = header(&first[0], "service-event-id").to_owned();
    let delivery = header(&first[0], "service-delivery-id").to_owned();
    for seconds in [60, 300, 1_800, 7_200, 21_600, 86_400] {
        scene.shop.clock.advance(seconds - 1);
        let work = scene.worker.tick().await.unwrap();
        assert_eq!(work, Default::default(), "a second before {seconds}");
        scene.shop.clock.advance(1);
        let work = scene.worker.tick().await.unwrap();
        let is_last = seconds == 86_400;
        let counted = (work.postponed, work.given_up);
        assert_eq!(counted, (usize::from(!is_last), usize::from(is_last)));
        let again = scene.endpoints.take();
        assert_eq!(again.len(), 1, "after {seconds}");
        assert_eq!(header(&again[0], "service-event-id"), event);
        assert_eq!(header(&again[0], "service-delivery-id"), delivery);
        assert_eq!(again[0].body, first[0].body);
        let signed = |request| header(request, "service-signature").to_owned();
        assert_ne!(signed(&again[0]), signed(&first[0]), "signed afresh");
    }
    let log = scene.log(&webhook).await;
    let [last] = &log[..] else { panic!("{log:?}") };
    assert_eq!(last.status, DeliveryStatus::GivenUp);
    assert_eq!(last.attempts.len(), 7);
    let reason = last.attempts[6].reason.as_deref().unwrap();
    assert_eq!(
        reason,
        "The endpoint answered 503. It must answer 200 to 299."
    );
    scene.shop.clock.advance(30 * 86_400);
    assert_eq!(scene.worker.tick().await.unwrap(), Default::default());
    scene.check().await;
}

#[tokio::test]
async fn a_success_ends_the_retries() {
    let scene = Scene::open().await;
    let webhook = scene.webhook(&[EventType::ProductChanged]).await.webhook;
    scene.endpoints.answer(URL, Answers::Fails);
    scene.product("Bread").await;
    scene.worker.tick().await.unwrap();
    scene.endpoints.answer(URL, Answers::Status(204));
    scene.shop.clock.advance(60);
    assert_eq!(scene.worker.tick().await.unwrap().delivered, 1);
    let log = scene.log(&webhook).await;
    let codes: Vec<_> = log[0].attempts.iter().map(|a| a.status_code).collect();
    assert_eq!(codes, [None, Some(204)]);
    scene.shop.clock.advance(86_400);
    assert_eq!(scene.worker.tick().await.unwrap(), Default::default());
}

/// Redirects say what to do; an endpoint that hangs is left after ten seconds.
#[tokio::test(start_paused = true)]
async fn failures_have_a_reason() {
    let scene = Scene::open().await;
    let webhook = scene.webhook(&[EventType::ProductChanged]).await.webhook;
    for (answers, expected) in [
        (Answers::Status(302), "Redirects are not followed"),
        (Answers::Status(410), "answered 410"),
        (Answers::Hangs, "did not answer within 10 seconds"),
        (Answers::Fails, "The connection was refused."),
    ] {
        scene.endpoints.answer(URL, answers);
        scene.product("Bread").await;
        scene.worker.tick().await.unwrap();
        let log = scene.log(&webhook).await;
        let last = log.last().unwrap().attempts.last().unwrap();
        let reason = last.reason.as_deref().unwrap();
        assert!(reason.contains(expected), "{reason}");
        let is_slow = last.duration_ms >= 10_000;
        assert_eq!(is_slow, expected.contains("10 seconds"), "{last:?}");
    }
}

/// The log is kept for 30 days.
#[tokio::test]
async fn old_deliveries_are_purged() {
    let scene = Scene::open().await;
    let webhook = scene.webhook(&[EventType::ProductChanged]).await.webhook;
    scene.product("Bread").await;
    scene.worker.tick().await.unwrap();
    scene.shop.clock.advance(86_400);
    scene.product("Cake").await;
    scene.worker.tick().await.unwrap();
    let account = scene.shop.account;
    let first = scene.log(&webhook).await[0].id;
    for (seconds, left) in [(29 * 86_400, 2), (1, 1), (86_399, 1), (1, 0)] {
        scene.shop.clock.advance(seconds);
        let purged = scene.connect().maintain().await.unwrap();
        assert_eq!(scene.log(&webhook).await.len(), left, "{purged:?}");
    }
    let gone = scene.connect().resend(account, webhook.id, first).await;
    assert!(matches!(gone, Err(Error::NotFound(_))), "{gone:?}");
    scene.check().await;
}

#[tokio::test]
async fn the_body_of_a_delivery_can_be_looked_at() {
    let scene = Scene::open().await;
    let webhook = scene.webhook(&[EventType::ProductChanged]).await.webhook;
    let (connect, account) = (scene.connect(), scene.shop.account);
    scene.product("Bread").await;
    scene.worker.tick().await.unwrap();
    let sent = scene.endpoints.take().remove(0).body;
    let delivery = scene.log(&webhook).await[0].id;
    let found = connect.delivery_with_body(account, webhook.id, delivery);
    let (found, body) = found.await.unwrap();
    assert_eq!((found.id, body.as_deref()), (delivery, Some(&sent[..])));
    // A ping is no event.
    connect.test_webhook(account, webhook.id).await.unwrap();
    scene.worker.tick().await.unwrap();
    let ping = scene.log(&webhook).await[1].id;
    let found = connect.delivery_with_body(account, webhook.id, ping).await;
    assert_eq!(found.unwrap().1, None);
}
