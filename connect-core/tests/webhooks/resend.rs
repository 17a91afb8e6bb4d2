//! Sending again what was given up.

use std::{sync::Arc, time::Duration};

use connect_core::{
    Delivery, DeliveryStatus, Error, Resent, WaitingEvents, Webhook,
    storage::{conformance::Distant, memory::MemoryStorage},
    wire::{EventType, Field, Id, ProductInput, Timestamp},
};

use super::{Scene, URL, endpoints::Answers, stock::count};
use crate::{
    properties::shop::Shop,
    shop::{self, START},
};

on_each_store!(what_was_given_up_is_sent_again_once);
on_each_store!(two_who_ask_at_once_send_nothing_twice);
on_each_store!(what_was_given_up_earlier_stays);
on_each_store!(counts_that_are_out_of_date_are_passed_over);
on_each_store!(one_whose_event_was_removed_holds_up_no_other);

const DAY: i64 = 24 * 3600;

/// A scene on the store of this shop.
async fn on(shop: &Shop) -> Scene {
    Scene::over(shop::open_on(shop.storage.clone()).await)
}

impl Scene {
    /// Switches a webhook off, and on again without what is on its way, which is given up.
    async fn give_up(&self, webhook: &Webhook) -> usize {
        let (connect, account) = (self.connect(), self.shop.account);
        connect.disable_webhook(account, webhook.id).await.unwrap();
        self.worker.tick().await.unwrap();
        self.switch_on(webhook, WaitingEvents::Drop).await;
        self.worker.tick().await.unwrap().given_up
    }

    async fn resend_given_up(
        &self,
        webhook: &Webhook,
        since: Timestamp,
        before: Option<Id<Delivery>>,
    ) -> Result<Resent, Error> {
        let account = self.shop.account;
        let resent = self.connect();
        resent
            .resend_given_up(account, webhook.id, since, before)
            .await
    }

    /// The names of the products whose events arrive with the next round.
    async fn arriving(&self) -> Vec<String> {
        self.endpoints.take();
        self.worker.tick().await.unwrap();
        let events = self.endpoints.events();
        let name =
            |event: &connect_core::wire::AnyEvent| event.data["name"].as_str().map(str::to_owned);
        let mut names: Vec<_> = events.iter().filter_map(name).collect();
        names.sort();
        names
    }
}

fn sent(count: usize) -> Resent {
    Resent {
        sent: count,
        ..Resent::default()
    }
}

async fn what_was_given_up_is_sent_again_once(shop: Shop) {
    let scene = on(&shop).await;
    let webhook = scene.webhook(&[EventType::ProductChanged]).await.webhook;
    scene.product("Delivered").await;
    scene.worker.tick().await.unwrap();
    for name in ["A", "B", "C"] {
        scene.product(name).await;
    }
    assert_eq!(scene.give_up(&webhook).await, 3);
    // One by itself is not sent with the others.
    let log = scene.log(&webhook).await;
    let first = scene
        .connect()
        .resend(scene.shop.account, webhook.id, log[1].id);
    let first = first.await.unwrap();
    assert_eq!(scene.log(&webhook).await[1].replaced_by, Some(first.id));
    let resent = scene.resend_given_up(&webhook, START, None).await;
    assert_eq!(resent.unwrap(), sent(2));
    for _ in 0..2 {
        let resent = scene.resend_given_up(&webhook, START, None).await;
        assert_eq!(resent.unwrap(), sent(0));
    }
    assert_eq!(scene.arriving().await, ["A", "B", "C"]);
    let again = scene.resend_given_up(&webhook, START, None).await;
    assert_eq!(again.unwrap(), sent(0), "what has arrived");

    // Each points to what took its place.
    let log = scene.log(&webhook).await;
    let given_up: Vec<_> = log
        .iter()
        .filter(|one| one.status == DeliveryStatus::GivenUp)
        .collect();
    assert_eq!(given_up.len(), 3);
    for one in given_up {
        let by = log
            .iter()
            .find(|other| one.replaced_by == Some(other.id))
            .unwrap();
        assert_eq!(
            (by.event_id, by.status),
            (one.event_id, DeliveryStatus::Delivered)
        );
    }

    // What is given up a second time is sent a third.
    scene.endpoints.answer(URL, Answers::Fails);
    scene.product("D").await;
    scene.worker.tick().await.unwrap();
    assert_eq!(scene.give_up(&webhook).await, 1);
    assert_eq!(
        scene.resend_given_up(&webhook, START, None).await.unwrap(),
        sent(1)
    );
    assert_eq!(scene.give_up(&webhook).await, 1);
    assert_eq!(
        scene.resend_given_up(&webhook, START, None).await.unwrap(),
        sent(1)
    );
    scene.endpoints.answer(URL, Answers::Status(200));
    assert_eq!(scene.arriving().await, ["D"]);
    scene.check().await;
}

async fn two_who_ask_at_once_send_nothing_twice(shop: Shop) {
    let scene = on(&shop).await;
    let webhook = scene.webhook(&[EventType::ProductChanged]).await.webhook;
    let names: Vec<String> = (10..40).map(|number| number.to_string()).collect();
    for name in &names {
        scene.product(name).await;
    }
    scene.give_up(&webhook).await;
    let (one, other) = tokio::join!(
        scene.resend_given_up(&webhook, START, None),
        scene.resend_given_up(&webhook, START, None),
    );
    assert_eq!(one.unwrap().sent + other.unwrap().sent, names.len());
    assert_eq!(scene.arriving().await, names);
    scene.check().await;
}

async fn what_was_given_up_earlier_stays(shop: Shop) {
    let scene = on(&shop).await;
    let webhook = scene.webhook(&[EventType::ProductChanged]).await.webhook;
    for name in ["A", "B", "C"] {
        scene.product(name).await;
        scene.shop.clock.advance(60);
    }
    scene.give_up(&webhook).await;
    let since = |seconds| START.plus_seconds(seconds);
    let later = scene.resend_given_up(&webhook, since(121), None).await;
    assert_eq!(later.unwrap(), sent(0));
    let last = scene.resend_given_up(&webhook, since(120), None).await;
    assert_eq!(last.unwrap(), sent(1));
    assert_eq!(scene.arriving().await, ["C"]);
    let rest = scene.resend_given_up(&webhook, since(0), None).await;
    assert_eq!(rest.unwrap(), sent(2));
    assert_eq!(scene.arriving().await, ["A", "B"]);
}

async fn counts_that_are_out_of_date_are_passed_over(shop: Shop) {
    let scene = on(&shop).await;
    let webhook = scene.webhook(&[EventType::StockChanged]).await.webhook;
    let mut products = Vec::new();
    for name in ["counted again", "deleted", "renumbered", "latest"] {
        let product = scene.product(name).await.id;
        count(&scene, product, 1.0).await;
        products.push(product);
    }
    assert_eq!(scene.give_up(&webhook).await, 4);
    // As it was, after it was something else.
    count(&scene, products[0], 2.0).await;
    count(&scene, products[0], 1.0).await;
    scene.shop.products().delete(products[1]).await.unwrap();
    let renumbered = ProductInput {
        external_id: Field::Value("R-1".into()),
        ..ProductInput::default()
    };
    let renumbered = scene.shop.products().update(products[2], renumbered);
    renumbered.await.unwrap();
    let expected = Resent {
        sent: 2,
        passed_over: 2,
        ..Resent::default()
    };
    let resent = scene.resend_given_up(&webhook, START, None).await;
    assert_eq!(resent.unwrap(), expected);
    scene.endpoints.take();
    scene.worker.tick().await.unwrap();
    let events = scene.endpoints.events();
    let product = |event: &connect_core::wire::AnyEvent| event.data["productId"].clone();
    let mut told: Vec<_> = events.iter().map(product).collect();
    told.sort_by_key(ToString::to_string);
    let mut wanted = [products[0], products[2], products[3]].map(|id| id.to_string());
    wanted.sort();
    assert_eq!(told, wanted);
    // That of the first product was its own, newer event.
    let of_first =
        |event: &&connect_core::wire::AnyEvent| product(event) == products[0].to_string();
    assert_eq!(events.iter().filter(of_first).count(), 1);
    scene.check().await;
}

/// A count is out of date also when a later one that has arrived was the same.
#[tokio::test]
async fn a_count_that_was_made_again_and_has_arrived_is_passed_over() {
    let scene = Scene::open().await;
    let webhook = scene.webhook(&[EventType::StockChanged]).await.webhook;
    let bread = scene.product("Bread").await.id;
    count(&scene, bread, 1.0).await;
    assert_eq!(scene.give_up(&webhook).await, 1);
    for quantity in [2.0, 1.0] {
        scene.shop.clock.advance(60);
        count(&scene, bread, quantity).await;
        scene.worker.tick().await.unwrap();
    }
    assert_eq!(scene.endpoints.events().len(), 2);
    let resent = scene.resend_given_up(&webhook, START, None).await.unwrap();
    assert_eq!((resent.sent, resent.passed_over), (0, 1));
}

/// The trips do not grow with the deliveries that are sent.
#[tokio::test]
async fn trips() {
    let store = Arc::new(Distant::new(Arc::new(MemoryStorage::new()), Duration::ZERO));
    let scene = Scene::over(shop::open_on(store.clone()).await);
    let webhook = scene.webhook(&[EventType::StockChanged]).await.webhook;
    for number in 0..50 {
        let product = scene.product(&format!("Product {number}")).await.id;
        count(&scene, product, 1.0).await;
    }
    assert_eq!(scene.give_up(&webhook).await, 50);
    let before = store.trips();
    let resent = scene.resend_given_up(&webhook, START, None).await.unwrap();
    assert_eq!(resent, sent(50));
    assert_eq!(store.trips() - before, 9);
}

/// The events of an outage that newer ones have replaced are not sent again after it.
#[tokio::test]
async fn replaced_counts_are_not_given_up_for_good() {
    let scene = Scene::open().await;
    let webhook = scene.webhook(&[EventType::StockChanged]).await.webhook;
    let bread = scene.product("Bread").await.id;
    scene.endpoints.answer(URL, Answers::Fails);
    for minute in 0..3 {
        count(&scene, bread, f64::from(minute)).await;
        scene.worker.tick().await.unwrap();
        scene.shop.clock.advance(60);
    }
    let log = scene.log(&webhook).await;
    let replaced: Vec<_> = log.iter().map(|one| one.replaced_by).collect();
    assert_eq!(replaced, [Some(log[1].id), Some(log[2].id), None]);
    let resent = scene.resend_given_up(&webhook, START, None).await;
    assert_eq!(resent.unwrap(), sent(0));
}

async fn one_whose_event_was_removed_holds_up_no_other(shop: Shop) {
    let scene = on(&shop).await;
    let webhook = scene.webhook(&[EventType::ProductChanged]).await.webhook;
    scene.product("Old").await;
    scene.give_up(&webhook).await;
    scene.shop.clock.advance(29 * DAY);
    let resent = scene.resend_given_up(&webhook, START, None).await;
    assert_eq!(resent.unwrap(), sent(1));
    for name in ["A", "B"] {
        scene.product(name).await;
    }
    assert_eq!(scene.give_up(&webhook).await, 3);
    scene.shop.clock.advance(2 * DAY);
    scene.connect().maintain().await.unwrap();
    let expected = Resent {
        sent: 2,
        passed_over: 1,
        ..Resent::default()
    };
    let resent = scene.resend_given_up(&webhook, START, None).await;
    assert_eq!(resent.unwrap(), expected);
    assert_eq!(scene.arriving().await, ["A", "B"]);
}

#[tokio::test]
async fn one_call_sends_five_hundred_and_tells_where_to_go_on() {
    let scene = Scene::open().await;
    let webhook = scene.webhook(&[EventType::ProductChanged]).await.webhook;
    for number in 0..1020 {
        scene.product(&format!("{number:04}")).await;
    }
    assert_eq!(scene.give_up(&webhook).await, 1020);
    let mut before = None;
    let mut calls = Vec::new();
    loop {
        let resent = scene
            .resend_given_up(&webhook, START, before)
            .await
            .unwrap();
        calls.push((resent.sent, resent.left));
        before = resent.next;
        if before.is_none() {
            break;
        }
    }
    assert_eq!(calls, [(500, 520), (500, 20), (20, 0)]);
    let names = scene.arriving().await;
    let expected: Vec<_> = (0..1020).map(|number| format!("{number:04}")).collect();
    assert_eq!(names, expected);
}

#[tokio::test]
async fn nothing_is_sent_again_to_a_webhook_that_is_off_or_of_others() {
    let scene = Scene::open().await;
    let webhook = scene.webhook(&[EventType::ProductChanged]).await.webhook;
    scene.product("A").await;
    scene.give_up(&webhook).await;
    let (connect, account) = (scene.connect(), scene.shop.account);
    connect.disable_webhook(account, webhook.id).await.unwrap();
    let refused = scene.resend_given_up(&webhook, START, None).await;
    assert!(matches!(refused, Err(Error::Conflict(_))), "{refused:?}");
    scene.switch_on(&webhook, WaitingEvents::Send).await;
    let other = connect_core::NewAccount {
        name: "Other".into(),
        owner_email: "other@shop.example".into(),
        sandbox: true,
    };
    let other = connect.create_account(other).await.unwrap().id;
    let theirs = connect
        .resend_given_up(other, webhook.id, START, None)
        .await;
    assert!(matches!(theirs, Err(Error::NotFound(_))), "{theirs:?}");
    assert_eq!(
        scene.resend_given_up(&webhook, START, None).await.unwrap(),
        sent(1)
    );
}
