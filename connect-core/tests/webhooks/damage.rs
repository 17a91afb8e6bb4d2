//! Rows that are damaged harm what needs them, and nothing else.

use std::sync::Arc;

use connect_core::{
    WaitingEvents,
    storage::{Key, Value, Write, memory::MemoryStorage},
    wire::{EventType, StockCount},
};

use super::{Scene, URL, endpoints::Answers};
use crate::{
    faulty::{Faulty, rows},
    shop,
    stored::{
        self,
        family::{
            DELIVERY, DELIVERY_BY_DUE, EVENT, WAITING_STOCK, WEBHOOK_BY_DUE, WEBHOOK_STATE,
            WEBHOOKS, WEBHOOKS_LINK,
        },
    },
};

/// A scene whose rows can be damaged.
struct Tried {
    scene: Scene,
    storage: Arc<Faulty>,
}

impl Tried {
    async fn open() -> Self {
        let storage = Faulty::new(Arc::new(MemoryStorage::new()));
        let scene = Scene::over(shop::open_on(storage.clone()).await);
        Self { scene, storage }
    }

    /// The keys of a family, in order.
    async fn keys(&self, family: u8) -> Vec<Key> {
        let rows = stored::of_family(&*self.storage, family).await;
        rows.into_iter().map(|(key, _)| key).collect()
    }

    /// Writes garbage over a row, and returns what it was.
    async fn scribble(&self, key: &Key) -> Value {
        let all = rows(&*self.storage).await;
        let row = all.into_iter().find(|(other, _)| other == key).unwrap().1;
        self.write(key, stored::garbage()).await;
        row
    }

    async fn put(&self, key: &Key, row: Value) {
        self.write(key, Write::Put(row)).await;
    }

    async fn write(&self, key: &Key, write: Write) {
        stored::write(&*self.storage, key, write).await;
    }

    /// The names of the products that arrive with the next round.
    async fn arrive(&self) -> Vec<String> {
        self.scene.worker.tick().await.unwrap();
        let events = self.scene.endpoints.events().into_iter();
        let name = |data: &serde_json::Value| data["name"].as_str().unwrap().to_owned();
        let mut names: Vec<_> = events.map(|event| name(&event.data)).collect();
        names.sort();
        names
    }
}

#[tokio::test]
async fn a_delivery_that_is_something_else_is_left_out() {
    let tried = Tried::open().await;
    tried.scene.webhook(&[EventType::ProductChanged]).await;
    for name in ["A", "B", "C"] {
        tried.scene.product(name).await;
    }
    tried.scribble(&tried.keys(DELIVERY_BY_DUE).await[1]).await;
    assert_eq!(tried.arrive().await, ["A", "C"]);
    tried.scene.product("D").await;
    assert_eq!(tried.arrive().await, ["D"]);
    assert_eq!(tried.keys(DELIVERY_BY_DUE).await, [] as [Key; 0]);
}

/// One that the storage cannot return stays, and comes when it can.
#[tokio::test]
async fn a_delivery_that_cannot_be_read_is_passed_over() {
    for family in [DELIVERY_BY_DUE, EVENT] {
        let tried = Tried::open().await;
        tried.scene.webhook(&[EventType::ProductChanged]).await;
        for name in ["A", "B", "C"] {
            tried.scene.product(name).await;
        }
        let key = tried.keys(family).await[1].clone();
        tried.storage.damage(&key);
        assert_eq!(tried.arrive().await, ["A", "C"]);
        tried.scene.shop.clock.advance(61);
        tried.scene.product("D").await;
        assert_eq!(tried.arrive().await, ["D"]);
        tried.storage.heal();
        tried.scene.shop.clock.advance(300);
        assert_eq!(tried.arrive().await, ["B"]);
        tried.scene.check().await;
    }
}

#[tokio::test]
async fn waiting_stock_that_is_damaged_is_left_out() {
    for is_unreadable in [false, true] {
        let tried = Tried::open().await;
        let scene = &tried.scene;
        scene
            .webhook(&[EventType::StockChanged, EventType::ProductChanged])
            .await;
        let stock = scene.connect().location(&scene.shop.at).stock();
        for name in ["A", "B"] {
            let product = scene.product(name).await.id;
            let count: StockCount = serde_json::from_str(r#"{ "quantity": 3 }"#).unwrap();
            stock.count(product, count).await.unwrap();
        }
        let key = tried.keys(WAITING_STOCK).await[0].clone();
        if is_unreadable {
            tried.storage.damage(&key);
        } else {
            tried.scribble(&key).await;
        }
        scene.worker.tick().await.unwrap();
        let mut arrived = scene.endpoints.events();
        arrived.retain(|event| event.kind == EventType::StockChanged);
        // Those that lie together wait together while one of them cannot be read.
        assert_eq!(arrived.len(), usize::from(!is_unreadable));
        tried.storage.heal();
        scene.shop.clock.advance(300);
        scene.worker.tick().await.unwrap();
        let rest = scene.endpoints.events().len();
        assert_eq!(rest, if is_unreadable { 2 } else { 0 });
        scene.check().await;
    }
}

#[tokio::test]
async fn damaged_deliveries_hold_up_nothing_that_waited() {
    for (waiting, arrived, given_up) in [(WaitingEvents::Send, 2, 0), (WaitingEvents::Drop, 0, 2)] {
        let tried = Tried::open().await;
        let scene = &tried.scene;
        let webhook = scene.webhook(&[EventType::ProductChanged]).await.webhook;
        for name in ["A", "B", "C"] {
            scene.product(name).await;
        }
        tried.scribble(&tried.keys(DELIVERY_BY_DUE).await[1]).await;
        let disabled = scene
            .connect()
            .disable_webhook(scene.shop.account, webhook.id);
        disabled.await.unwrap();
        scene.switch_on(&webhook, waiting).await;
        let work = scene.worker.tick().await.unwrap();
        assert_eq!((work.delivered, work.given_up), (arrived, given_up));
        assert_eq!(tried.keys(DELIVERY_BY_DUE).await, [] as [Key; 0]);
    }
}

/// Its webhook is looked at again after longer and longer pauses, and no more often.
#[tokio::test]
async fn a_delivery_that_stays_unreadable_costs_a_look_now_and_then() {
    let tried = Tried::open().await;
    let scene = &tried.scene;
    scene.webhook(&[EventType::ProductChanged]).await;
    for name in ["A", "B"] {
        scene.product(name).await;
    }
    let key = tried.keys(DELIVERY_BY_DUE).await[0].clone();
    tried.storage.damage(&key);
    assert_eq!(tried.arrive().await, ["B"]);
    let mut looks = Vec::new();
    for minute in 1..=24 * 60 {
        scene.shop.clock.advance(60);
        tried.storage.heal();
        let before = tried.keys(WEBHOOK_BY_DUE).await;
        tried.storage.damage(&key);
        scene.worker.tick().await.unwrap();
        tried.storage.heal();
        if tried.keys(WEBHOOK_BY_DUE).await != before {
            looks.push(minute);
        }
        tried.storage.damage(&key);
    }
    assert_eq!(looks, [5, 10, 20, 40, 80, 160, 320, 640, 1280]);
    // Others are delivered all the same, and it is too once it can be read.
    scene.product("C").await;
    assert_eq!(tried.arrive().await, ["C"]);
    tried.storage.heal();
    scene.shop.clock.advance(24 * 3600);
    assert_eq!(tried.arrive().await, ["A"]);
    scene.check().await;
}

#[tokio::test]
async fn the_state_of_a_webhook_begins_anew() {
    let tried = Tried::open().await;
    let scene = &tried.scene;
    scene.webhook(&[EventType::ProductChanged]).await;
    scene.endpoints.answer(URL, Answers::Fails);
    scene.product("A").await;
    assert_eq!(tried.arrive().await, ["A"]);
    tried.scribble(&tried.keys(WEBHOOK_STATE).await[0]).await;
    scene.endpoints.answer(URL, Answers::Status(200));
    scene.shop.clock.advance(60);
    assert_eq!(tried.arrive().await, ["A"]);
    scene.product("B").await;
    assert_eq!(tried.arrive().await, ["B"]);
    let all = scene.connect().webhooks(scene.shop.account).await.unwrap();
    assert_eq!(all[0].1.failures_in_a_row, 0);
    // The webhook is no longer due at the time that only the damaged row knew.
    assert_eq!(tried.keys(WEBHOOK_BY_DUE).await, [] as [Key; 0]);
    scene.check().await;
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
        let tried = Tried::open().await;
        let scene = &tried.scene;
        let webhook = scene.webhook(&[EventType::ProductChanged]).await.webhook;
        scene.product("A").await;
        let of_webhook =
            |key: &Key| family == WEBHOOKS || key.starts_with(webhook.id.uuid().as_bytes());
        let mut keys = tried.keys(family).await;
        keys.retain(of_webhook);
        let row = tried.scribble(&keys[0]).await;
        let damage = damage.map_or(Write::Remove, |row| Write::Put(row.into()));
        tried.write(&keys[0], damage).await;

        assert_eq!(tried.arrive().await, [] as [String; 0]);
        assert_eq!(tried.keys(DELIVERY_BY_DUE).await.len(), 1);
        // It is looked at again after five minutes, not before.
        let left = rows(&*tried.storage).await;
        scene.shop.clock.advance(299);
        assert_eq!(tried.arrive().await, [] as [String; 0]);
        assert_eq!(rows(&*tried.storage).await, left);
        scene.shop.clock.advance(1);
        assert_eq!(tried.arrive().await, [] as [String; 0]);
        assert_eq!(tried.keys(WEBHOOK_BY_DUE).await.len(), 1);

        tried.put(&keys[0], row).await;
        scene.shop.clock.advance(300);
        assert_eq!(tried.arrive().await, ["A"]);
        scene.check().await;
    }
}

/// It is looked at again as long as there is something to deliver.
#[tokio::test]
async fn a_webhook_without_deliveries_is_looked_at_no_more() {
    for has_deliveries in [false, true] {
        let tried = Tried::open().await;
        let scene = &tried.scene;
        let events = [EventType::ProductChanged, EventType::StockChanged];
        let webhook = scene.webhook(&events).await.webhook;
        if has_deliveries {
            let product = scene.product("A").await.id;
            let count: StockCount = serde_json::from_str(r#"{ "quantity": 3 }"#).unwrap();
            let stock = scene.connect().location(&scene.shop.at).stock();
            stock.count(product, count).await.unwrap();
        } else {
            let account = scene.shop.account;
            let disabled = scene.connect().disable_webhook(account, webhook.id);
            disabled.await.unwrap();
        }
        let mut links = tried.keys(WEBHOOKS_LINK).await;
        links.retain(|key| key.starts_with(webhook.id.uuid().as_bytes()));
        tried.scribble(&links[0]).await;
        scene.worker.tick().await.unwrap();
        let left = tried.keys(WEBHOOK_BY_DUE).await.len();
        assert_eq!(left, usize::from(has_deliveries));
    }
}

/// The logs of other webhooks are purged all the same.
#[tokio::test]
async fn maintenance_goes_on_past_damaged_webhooks() {
    let tried = Tried::open().await;
    let scene = &tried.scene;
    let other = Scene::over(shop::open_on(tried.storage.clone()).await);
    for scene in [scene, &other] {
        scene.webhook(&[EventType::ProductChanged]).await;
        for name in ["A", "B"] {
            scene.product(name).await;
        }
    }
    tried.scene.worker.tick().await.unwrap();
    assert_eq!(tried.keys(DELIVERY).await.len(), 4);
    scene.connect().maintain().await.unwrap();
    let webhooks = tried.keys(WEBHOOKS).await;
    let is_theirs = |key: &&Key| key.starts_with(other.shop.account.uuid().as_bytes());
    let theirs = webhooks.iter().find(is_theirs).unwrap();
    // The first of each log, and all states and links.
    for family in [DELIVERY, WEBHOOK_STATE, WEBHOOKS_LINK] {
        tried.scribble(&tried.keys(family).await[0]).await;
    }
    let row = tried.scribble(theirs).await;
    scene.shop.clock.advance(31 * 24 * 3600);
    for (purged, failed) in [(2, 1), (0, 1)] {
        let round = scene.connect().maintain().await.unwrap();
        assert_eq!(
            (round.deliveries, round.failed),
            (purged, failed),
            "{round:?}"
        );
    }
    tried.put(theirs, row).await;
    let round = scene.connect().maintain().await.unwrap();
    assert_eq!((round.deliveries, round.failed), (2, 0), "{round:?}");
}

/// A shop whose webhooks cannot be read is open all the same, and those of others get their events.
#[tokio::test]
async fn damaged_webhooks_do_not_close_the_shop() {
    let tried = Tried::open().await;
    let scene = &tried.scene;
    scene.webhook(&[EventType::ProductChanged]).await;
    let key = tried.keys(WEBHOOKS).await[0].clone();
    let other = Scene::over(shop::open_on(tried.storage.clone()).await);
    let theirs = "https://theirs.example/";
    let events = [EventType::ProductChanged];
    other.webhook_at(theirs, &events, &[]).await;
    scene.product("Before").await;
    let row = tried.scribble(&key).await;
    scene.product("Meanwhile").await;
    other.product("Theirs").await;
    assert_eq!(tried.arrive().await, ["Theirs"]);
    assert_eq!(scene.feed().await.len(), 2);

    tried.put(&key, row).await;
    scene.product("After").await;
    assert_eq!(tried.arrive().await, ["After", "Before"]);
    scene.check().await;
}
