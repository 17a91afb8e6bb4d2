//! Rows that are damaged harm what needs them, and nothing else.

use connect_core::storage::{Key, Value, Write};

use super::{PRODUCTS, Scene};
use crate::{
    faulty::rows,
    stored::{
        self,
        family::{
            DELIVERY, DELIVERY_BY_DUE, WEBHOOK_BY_DUE, WEBHOOK_STATE, WEBHOOKS, WEBHOOKS_LINK,
        },
    },
};

impl Scene {
    /// The keys of a family, in order.
    async fn keys(&self, family: u8) -> Vec<Key> {
        let rows = stored::of_family(&*self.shop.storage, family).await;
        rows.into_iter().map(|(key, _)| key).collect()
    }

    /// Writes garbage over a row, and returns what it was.
    async fn scribble(&self, key: &Key) -> Value {
        let all = rows(&*self.shop.storage).await;
        let row = all.into_iter().find(|(other, _)| other == key).unwrap().1;
        self.write(key, stored::garbage()).await;
        row
    }

    async fn write(&self, key: &Key, write: Write) {
        stored::write(&*self.shop.storage, key, write).await;
    }
}

/// Its webhook is looked at again after longer and longer pauses, and no more often.
#[tokio::test]
async fn a_delivery_that_stays_unreadable_costs_a_look_now_and_then() {
    let scene = Scene::open().await;
    scene.webhook().await;
    scene.product("A").await;
    scene.product("B").await;
    let key = scene.keys(DELIVERY_BY_DUE).await[0].clone();
    scene.shop.storage.damage(&key);
    assert_eq!(scene.arrive().await, ["B"]);
    let mut looks = Vec::new();
    scene.shop.storage.heal();
    let mut before = scene.keys(WEBHOOK_BY_DUE).await;
    scene.shop.storage.damage(&key);
    for minute in 1..=24 * 60 {
        scene.shop.clock.advance(60);
        scene.worker.tick().await.unwrap();
        scene.shop.storage.heal();
        let after = scene.keys(WEBHOOK_BY_DUE).await;
        scene.shop.storage.damage(&key);
        if after != before {
            looks.push(minute);
        }
        before = after;
    }
    assert_eq!(looks, [5, 10, 20, 40, 80, 160, 320, 640, 1280]);
    // Others are delivered all the same, and it is too once it can be read.
    scene.product("C").await;
    assert_eq!(scene.arrive().await, ["C"]);
    scene.shop.storage.heal();
    scene.shop.clock.advance(24 * 3600);
    assert_eq!(scene.arrive().await, ["A"]);
    scene.shop.check().await;
}

/// A webhook is deleted when its account says so. One that leads to no account keeps its deliveries.
#[tokio::test]
async fn a_webhook_that_leads_to_no_account_is_left_alone() {
    for (family, damage) in [
        (WEBHOOKS_LINK, None),
        (WEBHOOKS_LINK, Some(&b"garbage"[..])),
        (WEBHOOKS, None),
        (WEBHOOKS, Some(b"garbage")),
    ] {
        let scene = Scene::open().await;
        let webhook = scene.webhook().await;
        scene.product("A").await;
        let of_webhook =
            |key: &Key| family == WEBHOOKS || key.starts_with(webhook.id.uuid().as_bytes());
        let mut keys = scene.keys(family).await;
        keys.retain(of_webhook);
        let row = scene.scribble(&keys[0]).await;
        let damage = damage.map_or(Write::Remove, |row| Write::Put(row.into()));
        scene.write(&keys[0], damage).await;

        assert_eq!(scene.arrive().await, [""; 0]);
        assert_eq!(scene.keys(DELIVERY_BY_DUE).await.len(), 1);
        // It is looked at again after five minutes, not before.
        let left = rows(&*scene.shop.storage).await;
        scene.shop.clock.advance(299);
        assert_eq!(scene.arrive().await, [""; 0]);
        assert_eq!(rows(&*scene.shop.storage).await, left);
        scene.shop.clock.advance(1);
        assert_eq!(scene.arrive().await, [""; 0]);
        assert_eq!(scene.keys(WEBHOOK_BY_DUE).await.len(), 1);

        scene.write(&keys[0], Write::Put(row)).await;
        scene.shop.clock.advance(300);
        assert_eq!(scene.arrive().await, ["A"]);
        scene.shop.check().await;
    }
}

/// The logs of other webhooks are purged all the same.
#[tokio::test]
async fn maintenance_goes_on_past_damaged_webhooks() {
    let scene = Scene::open().await;
    let other = Scene::on(scene.shop.storage.clone()).await;
    for scene in [&scene, &other] {
        scene.webhook().await;
        scene.products(2).await;
    }
    scene.worker.tick().await.unwrap();
    assert_eq!(scene.keys(DELIVERY).await.len(), 4);
    let connect = scene.connect();
    connect.maintain().await.unwrap();
    let webhooks = scene.keys(WEBHOOKS).await;
    let is_theirs = |key: &&Key| key.starts_with(other.shop.account.uuid().as_bytes());
    let theirs = webhooks.iter().find(is_theirs).unwrap();
    // The first of each log, and all states and links.
    for family in [DELIVERY, WEBHOOK_STATE, WEBHOOKS_LINK] {
        scene.scribble(&scene.keys(family).await[0]).await;
    }
    let row = scene.scribble(theirs).await;
    scene.shop.clock.advance(31 * 24 * 3600);
    for (purged, failed) in [(2, 1), (0, 1)] {
        let round = connect.maintain().await.unwrap();
        assert_eq!(
            (round.deliveries, round.failed),
            (purged, failed),
            "{round:?}"
        );
    }
    scene.write(theirs, Write::Put(row)).await;
    let round = connect.maintain().await.unwrap();
    assert_eq!((round.deliveries, round.failed), (2, 0), "{round:?}");
}

/// A shop whose webhooks cannot be read is open all the same, and those of others get their events.
#[tokio::test]
async fn damaged_webhooks_do_not_close_the_shop() {
    let scene = Scene::open().await;
    scene.webhook().await;
    let key = scene.keys(WEBHOOKS).await[0].clone();
    let other = Scene::on(scene.shop.storage.clone()).await;
    other
        .webhook_at("https://theirs.example/", &PRODUCTS, &[])
        .await;
    scene.product("Before").await;
    let row = scene.scribble(&key).await;
    scene.product("Meanwhile").await;
    other.product("Theirs").await;
    assert_eq!(scene.arrive().await, ["Theirs"]);
    assert_eq!(scene.feed().await.len(), 2);

    scene.write(&key, Write::Put(row)).await;
    scene.product("After").await;
    let mut arrived = scene.arrive().await;
    arrived.sort();
    assert_eq!(arrived, ["After", "Before"]);
    scene.shop.check().await;
}
