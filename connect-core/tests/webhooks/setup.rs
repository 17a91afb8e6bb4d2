//! Making, changing, testing and deleting webhooks.

use connect_core::{Error, NewWebhook, WebhookChange, wire::EventType};

use super::{Scene, URL};

#[tokio::test]
async fn bad_webhooks_are_refused_by_field() {
    let scene = Scene::open().await;
    let account = scene.shop.account;
    let good = NewWebhook {
        url: URL.to_owned(),
        events: vec![EventType::ProductChanged],
        location_ids: Vec::new(),
    };
    let url = |url: &str| NewWebhook {
        url: url.to_owned(),
        ..good.clone()
    };
    let events = |events: &[EventType]| NewWebhook {
        events: events.to_vec(),
        ..good.clone()
    };
    let here = scene.shop.at.location().id;
    let locations = |ids: &[_]| NewWebhook {
        location_ids: ids.to_vec(),
        ..good.clone()
    };
    let elsewhere = uuid::Uuid::from_u128(7).into();
    let twice = EventType::ProductChanged;
    for (new, field) in [
        (url("http://hooks.example/"), "url"),
        (url("hooks.example"), "url"),
        (url("https://user@hooks.example/"), "url"),
        (
            url(&format!("https://hooks.example/{}", "x".repeat(2000))),
            "url",
        ),
        (events(&[]), "events"),
        (events(&[EventType::from("ping")]), "events[0]"),
        (
            events(&[twice.clone(), EventType::from("product.changed")]),
            "events[1]",
        ),
        (events(&[twice.clone(), twice]), "events[1]"),
        (locations(&[elsewhere]), "locationIds[0]"),
        (locations(&[here, here]), "locationIds[1]"),
    ] {
        let created = scene.connect().create_webhook(account, new.clone()).await;
        let Err(Error::Invalid(invalid)) = created else {
            panic!("{new:?}: {created:?}");
        };
        assert_eq!(invalid.field.as_deref(), Some(field), "{new:?}");
    }
    assert!(scene.connect().webhooks(account).await.unwrap().is_empty());
}

#[tokio::test]
async fn a_test_sends_a_ping_without_a_location() {
    let scene = Scene::open().await;
    let webhook = scene.webhook(&[EventType::ProductChanged]).await.webhook;
    let account = scene.shop.account;
    let ping = scene
        .connect()
        .test_webhook(account, webhook.id)
        .await
        .unwrap();
    scene.worker.tick().await.unwrap();
    let events = scene.endpoints.events();
    let [event] = &events[..] else {
        panic!("{events:?}");
    };
    assert_eq!(event.id, ping.event_id);
    assert_eq!(event.kind.as_str(), "ping");
    assert_eq!((event.location_id, event.sequence), (None, None));
    assert_eq!(event.data["webhookId"], webhook.id.to_string());
    assert!(event.data["message"].is_string());
    // It can be sent again as any other.
    let again = scene.connect().resend(account, webhook.id, ping.id).await;
    assert_eq!(again.unwrap().event_id, ping.event_id);
    scene.worker.tick().await.unwrap();
    assert_eq!(scene.endpoints.events(), events);
    scene.check().await;
}

#[tokio::test]
async fn nothing_is_sent_to_a_webhook_that_is_off() {
    let scene = Scene::open().await;
    let webhook = scene.webhook(&[EventType::ProductChanged]).await.webhook;
    let account = scene.shop.account;
    scene.product("Bread").await;
    scene.worker.tick().await.unwrap();
    scene.endpoints.take();
    let off = scene.connect().disable_webhook(account, webhook.id).await;
    assert!(!off.unwrap().is_enabled());
    scene.product("Cake").await;
    assert_eq!(scene.worker.tick().await.unwrap(), Default::default());
    let tested = scene.connect().test_webhook(account, webhook.id).await;
    assert!(matches!(tested, Err(Error::Conflict(_))), "{tested:?}");
    let log = scene.log(&webhook).await;
    let resent = scene.connect().resend(account, webhook.id, log[0].id).await;
    assert!(matches!(resent, Err(Error::Conflict(_))), "{resent:?}");
    assert!(scene.endpoints.take().is_empty());
    scene.check().await;
}

#[tokio::test]
async fn a_deleted_webhook_leaves_nothing() {
    let scene = Scene::open().await;
    let before = rows(&scene).await;
    let webhook = scene.webhook(&[EventType::ProductChanged]).await.webhook;
    let account = scene.shop.account;
    scene
        .connect()
        .test_webhook(account, webhook.id)
        .await
        .unwrap();
    scene.worker.tick().await.unwrap();
    scene
        .connect()
        .test_webhook(account, webhook.id)
        .await
        .unwrap();
    let deleted = scene.connect().delete_webhook(account, webhook.id).await;
    deleted.unwrap();
    scene.worker.tick().await.unwrap();
    assert_eq!(scene.endpoints.take().len(), 1);
    assert_eq!(rows(&scene).await, before);
    let change = WebhookChange::default();
    let gone = scene.connect().change_webhook(account, webhook.id, change);
    assert!(matches!(gone.await, Err(Error::NotFound(_))));
    scene.check().await;
}

async fn rows(scene: &Scene) -> u64 {
    scene.connect().check(&mut |_| {}).await.unwrap().rows
}
