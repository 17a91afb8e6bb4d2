//! Chosen deliveries, and those of a period, sent again with a count before.

use connect_core::{Error, Resent, TrailFilter, TrailScope, WaitingEvents};

use super::{Scene, URL, endpoints::Answers};
use crate::shop::{self, START};

fn counts(sent: usize, passed_over: usize) -> Resent {
    Resent {
        sent,
        passed_over,
        ..Resent::default()
    }
}

#[tokio::test]
async fn chosen_deliveries_are_sent_again_as_counted_before() {
    let scene = Scene::open().await;
    let webhook = scene.webhook().await;
    let (connect, account) = (scene.connect(), scene.shop.account);
    scene.product("Delivered").await;
    assert_eq!(scene.arrive().await, ["Delivered"]);
    scene.product("A").await;
    scene.product("B").await;
    scene.switch_off(&webhook).await;
    scene.switch_on(&webhook, WaitingEvents::Drop).await;
    assert!(scene.arrive().await.is_empty());
    scene.endpoints.answer(URL, Answers::Fails);
    scene.product("Waiting").await;
    assert_eq!(scene.arrive().await, ["Waiting"]);
    scene.endpoints.answer(URL, Answers::Status(200));

    let log = scene.log(&webhook).await;
    assert_eq!(log.len(), 4);
    let mut ids: Vec<_> = log.iter().map(|delivery| delivery.id).collect();
    // One twice, and one of nobody.
    ids.reverse();
    ids.extend([log[0].id, uuid::Uuid::from_u128(7).into()]);
    for _ in 0..2 {
        let count = connect.count_resend_many(account, webhook.id, &ids);
        assert_eq!(count.await.unwrap(), counts(3, 2));
    }
    assert_eq!(scene.log(&webhook).await, log, "a count changes nothing");
    let sent = connect.resend_many(account, webhook.id, &ids);
    assert_eq!(sent.await.unwrap(), counts(3, 2));
    assert_eq!(scene.arrive().await, ["Delivered", "A", "B"]);
    // Those that were given up have been replaced.
    let again = connect.resend_many(account, webhook.id, &ids);
    assert_eq!(again.await.unwrap(), counts(1, 4));
    assert_eq!(scene.arrive().await, ["Delivered"]);
    let none = connect.resend_many(account, webhook.id, &[]);
    assert_eq!(none.await.unwrap(), counts(0, 0));

    let many: Vec<_> = (0..501_u128)
        .map(|number| uuid::Uuid::from_u128(number).into())
        .collect();
    let refused = connect.resend_many(account, webhook.id, &many).await;
    let Err(Error::Invalid(reason)) = refused else {
        panic!("{refused:?}");
    };
    assert_eq!(reason.field.as_deref(), Some("deliveries"));
    let all = connect.count_resend_many(account, webhook.id, &many[..500]);
    assert_eq!(all.await.unwrap(), counts(0, 500));
    let other = shop::account(connect, "Other").await;
    let refused = connect.resend_many(other, webhook.id, &ids).await;
    assert!(matches!(refused, Err(Error::NotFound(_))), "{refused:?}");
    scene.switch_off(&webhook).await;
    let refused = connect.count_resend_many(account, webhook.id, &ids).await;
    assert!(matches!(refused, Err(Error::Conflict(_))), "{refused:?}");
    scene.shop.check().await;
}

#[tokio::test]
async fn deliveries_given_up_in_a_period_are_sent_again() {
    let scene = Scene::open().await;
    let webhook = scene.webhook().await;
    let (connect, account) = (scene.connect(), scene.shop.account);
    // Made at 0, 600, 1200 and 1800 seconds.
    for name in ["A", "B", "C", "D"] {
        scene.product(name).await;
        scene.shop.clock.advance(600);
    }
    scene.switch_off(&webhook).await;
    scene.switch_on(&webhook, WaitingEvents::Drop).await;
    assert!(scene.arrive().await.is_empty());
    let time = |seconds: i64| START.plus_seconds(seconds);
    for (since, until, expected) in [
        (0, None, 4),
        (0, Some(1), 1),
        (0, Some(0), 0),
        (1, Some(1200), 1),
        (600, Some(1201), 2),
        (1801, None, 0),
        (0, Some(9999), 4),
    ] {
        let until = until.map(time);
        let count = connect.count_resend_given_up(account, webhook.id, time(since), until, None);
        assert_eq!(
            count.await.unwrap(),
            counts(expected, 0),
            "{since} {until:?}"
        );
    }
    let (since, until) = (time(600), Some(time(1201)));
    let sent = connect.resend_given_up(account, webhook.id, since, until, None);
    assert_eq!(sent.await.unwrap(), counts(2, 0));
    assert_eq!(scene.arrive().await, ["B", "C"]);
    let sent = connect.resend_given_up(account, webhook.id, since, until, None);
    assert_eq!(sent.await.unwrap(), counts(0, 0));
    let rest = connect.count_resend_given_up(account, webhook.id, time(0), None, None);
    assert_eq!(rest.await.unwrap(), counts(2, 0));
    scene.shop.check().await;
}

/// What one call leaves is counted, and the next one goes on there.
#[tokio::test]
async fn a_count_of_many_tells_where_to_go_on() {
    let scene = Scene::open().await;
    let webhook = scene.webhook().await;
    let (connect, account) = (scene.connect(), scene.shop.account);
    scene.products(510).await;
    scene.switch_off(&webhook).await;
    scene.switch_on(&webhook, WaitingEvents::Drop).await;
    assert!(scene.arrive().await.is_empty());
    let count = async |before| {
        connect
            .count_resend_given_up(account, webhook.id, START, None, before)
            .await
            .unwrap()
    };
    let first = count(None).await;
    assert_eq!((first.sent, first.left), (500, 10));
    assert_eq!(count(first.next).await, counts(10, 0));
    // All are sent in one commit, so no failure after some of them hides how many they were.
    let sent = connect.resend_given_up(account, webhook.id, START, None, None);
    assert_eq!(sent.await.unwrap(), first);
    let filter = TrailFilter {
        kind: Some("webhook".to_owned()),
        ..TrailFilter::default()
    };
    let page = connect.trail(TrailScope::Account(account), &filter, None, 50);
    let entries = page.await.unwrap().entries;
    let changes = entries.iter().flat_map(|entry| &entry.changes);
    assert_eq!(
        changes.filter(|change| change.action == "resend").count(),
        1
    );
}
