//! Deliveries of a webhook that was for other locations before.

use connect_core::{
    Author, DeliveryFilter, Error, Language, NewLocation, NewUser, Origin, Role, UserRole,
    WebhookChange,
    wire::{Timestamp, VatRate},
};

use super::{PRODUCTS, Scene, URL, endpoints::Answers};

/// Of a webhook moved to a location, its users see the deliveries of this location alone.
#[tokio::test]
async fn deliveries_of_former_locations_are_out_of_reach() {
    let scene = Scene::open().await;
    let (connect, account) = (scene.connect(), scene.shop.account);
    let webhook = scene.webhook_at(URL, &PRODUCTS, &[]).await.webhook.id;
    scene.endpoints.answer(URL, Answers::Status(404));
    let new = NewLocation {
        name: "There".into(),
        currency: "EUR".into(),
        default_vat_rate: VatRate::percent(9),
    };
    let there = connect.create_location(account, new).await.unwrap().id;
    let access = connect.authorize_owner(account, there, account).await;
    // Given up after seven attempts each, with deliveries of both locations in turns.
    for number in 0..3 {
        let name = format!("Product {number}");
        scene.product(&name).await;
        let products = connect.location(access.as_ref().unwrap()).products();
        let new = connect_core::wire::ProductInput::named(&name);
        products.create(new).await.unwrap();
    }
    for _ in 0..200 {
        scene.worker.tick().await.unwrap();
        scene.shop.clock.advance(900);
    }
    let change = WebhookChange {
        location_ids: Some(vec![there]),
        ..WebhookChange::default()
    };
    connect
        .change_webhook(account, webhook, change)
        .await
        .unwrap();
    let new = NewUser {
        name: "Kim".into(),
        email: "kim@rye.example".into(),
        language: Language::En,
        roles: vec![UserRole {
            location_id: Some(there),
            role: Role::Manager,
        }],
    };
    let kim = connect.create_user(account, new).await.unwrap().id;
    let by = connect.by(Author::User { id: kim }, Origin::default());

    let filter = DeliveryFilter::default();
    let all = connect.deliveries(account, webhook, &filter, None, 200);
    let all = all.await.unwrap().deliveries;
    assert_eq!(all.len(), 6);
    let (own, other): (Vec<_>, Vec<_>) =
        (all.into_iter()).partition(|of| of.location_id == Some(there));
    // In pages smaller than what lies between.
    let (mut seen, mut before) = (Vec::new(), None);
    loop {
        let page = by.deliveries(account, webhook, &filter, before, 2);
        let page = page.await.unwrap();
        seen.extend(page.deliveries);
        before = page.next;
        if before.is_none() {
            break;
        }
    }
    assert_eq!(seen, own);
    let found = by.find_delivery(account, own[0].id).await.unwrap();
    assert_eq!(found.as_ref(), own.first());
    let stats = by.delivery_stats(account, webhook, 100).await.unwrap();
    assert_eq!(stats.deliveries, own.len());
    for delivery in &other {
        let hidden = by.find_delivery(account, delivery.id).await.unwrap();
        assert_eq!(hidden, None);
        let found = connect.find_delivery(account, delivery.id).await.unwrap();
        assert_eq!(found.as_ref(), Some(delivery));
        let refused = by.delivery(account, webhook, delivery.id).await;
        assert!(matches!(refused, Err(Error::NotFound(_))), "{refused:?}");
        let refused = by.resend(account, webhook, delivery.id).await;
        assert!(matches!(refused, Err(Error::NotFound(_))), "{refused:?}");
    }
    by.resend(account, webhook, own[0].id).await.unwrap();
    let since = Timestamp::EPOCH;
    let ids: Vec<_> = other.iter().map(|delivery| delivery.id).collect();
    let chosen = by.resend_many(account, webhook, &ids).await.unwrap();
    assert_eq!((chosen.sent, chosen.passed_over), (0, other.len()));
    let sent = by.resend_given_up(account, webhook, since, None, None);
    let sent = sent.await.unwrap();
    assert_eq!((sent.sent, sent.passed_over), (own.len() - 1, 0));
}
