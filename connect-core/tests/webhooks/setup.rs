//! Refused webhooks, and deleted ones.

use connect_core::{Error, NewWebhook, WebhookChange, wire::EventType};

use super::{Scene, URL};

#[tokio::test]
async fn bad_webhooks_are_refused_by_field() {
    let scene = Scene::open().await;
    let account = scene.shop.account;
    let here = scene.shop.at.location().id;
    let elsewhere = uuid::Uuid::from_u128(7).into();
    let product = EventType::ProductChanged;
    let long = format!("https://hooks.example/{}", "x".repeat(2000));
    let url = URL;
    let kind = EventType::from;
    for (url, events, locations, field) in [
        (
            "http://hooks.example/",
            vec![product.clone()],
            vec![],
            "url",
        ),
        ("hooks.example", vec![product.clone()], vec![], "url"),
        (
            "https://user@hooks.example/",
            vec![product.clone()],
            vec![],
            "url",
        ),
        (&long, vec![product.clone()], vec![], "url"),
        (url, vec![], vec![], "events"),
        (url, vec![kind("ping")], vec![], "events[0]"),
        (
            url,
            vec![product.clone(), kind("product.changed")],
            vec![],
            "events[1]",
        ),
        (
            url,
            vec![product.clone(), product.clone()],
            vec![],
            "events[1]",
        ),
        (
            url,
            vec![product.clone()],
            vec![elsewhere],
            "locationIds[0]",
        ),
        (
            url,
            vec![product.clone()],
            vec![here, here],
            "locationIds[1]",
        ),
    ] {
        let new = NewWebhook {
            url: url.to_owned(),
            events,
            location_ids: locations,
        };
        let created = scene.connect().create_webhook(account, new.clone()).await;
        let Err(Error::Invalid(invalid)) = created else {
            panic!("{new:?}: {created:?}");
        };
        assert_eq!(invalid.field.as_deref(), Some(field), "{new:?}");
    }
    assert!(scene.connect().webhooks(account).await.unwrap().is_empty());
}

#[tokio::test]
async fn a_deleted_webhook_leaves_nothing() {
    let scene = Scene::open().await;
    // But its entries in the trail.
    let rows = async || {
        let report = scene.connect().check(&mut |_| {}).await.unwrap();
        let entries = report.families.get("Trail").copied().unwrap_or_default();
        report.rows - entries
    };
    let before = rows().await;
    let webhook = scene.webhook().await;
    let (connect, account) = (scene.connect(), scene.shop.account);
    for sent in [1, 0] {
        connect.test_webhook(account, webhook.id).await.unwrap();
        if sent == 0 {
            connect.delete_webhook(account, webhook.id).await.unwrap();
        }
        scene.worker.tick().await.unwrap();
        assert_eq!(scene.endpoints.take().len(), sent);
    }
    assert_eq!(rows().await, before);
    let gone = connect.change_webhook(account, webhook.id, WebhookChange::default());
    assert!(matches!(gone.await, Err(Error::NotFound(_))));
}
