//! Rows that are damaged harm what needs them, and nothing else.

use std::sync::Arc;

use connect_core::{
    storage::{Commit, Key, Storage as _, Value, Write, memory::MemoryStorage},
    wire::{EventType, StockCount},
};

use super::{Scene, URL, endpoints::Answers};
use crate::{
    faulty::{Faulty, rows},
    shop,
};

const EVENT: u8 = 0x50;
const WEBHOOKS: u8 = 0xB0;
const STATE: u8 = 0xB2;
const QUEUE: u8 = 0xB3;
const WAITING: u8 = 0xB4;

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
        let rows = rows(&*self.storage).await.into_iter();
        let keys: Vec<_> = rows.map(|(key, _)| key).collect();
        let of_family = |key: &Key| key[16] == family;
        keys.into_iter().filter(of_family).collect()
    }

    /// Writes garbage over a row, and returns what it was.
    async fn scribble(&self, key: &Key) -> Value {
        let all = rows(&*self.storage).await;
        let row = all.into_iter().find(|(other, _)| other == key).unwrap().1;
        self.put(key, Value::from(&b"garbage"[..])).await;
        row
    }

    async fn put(&self, key: &Key, row: Value) {
        let commit = Commit {
            writes: vec![(key.clone(), Write::Put(row))],
            ..Commit::default()
        };
        self.storage.commit(commit).await.unwrap();
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
    tried.scribble(&tried.keys(QUEUE).await[1]).await;
    assert_eq!(tried.arrive().await, ["A", "C"]);
    tried.scene.product("D").await;
    assert_eq!(tried.arrive().await, ["D"]);
    assert_eq!(tried.keys(QUEUE).await, [] as [Key; 0]);
}

/// One that the storage cannot return stays, and comes when it can.
#[tokio::test]
async fn a_delivery_that_cannot_be_read_is_passed_over() {
    for family in [QUEUE, EVENT] {
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
        let key = tried.keys(WAITING).await[0].clone();
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
async fn damaged_deliveries_are_given_up_with_the_rest() {
    let tried = Tried::open().await;
    let scene = &tried.scene;
    let webhook = scene.webhook(&[EventType::ProductChanged]).await.webhook;
    for name in ["A", "B", "C"] {
        scene.product(name).await;
    }
    tried.scribble(&tried.keys(QUEUE).await[1]).await;
    let disabled = scene
        .connect()
        .disable_webhook(scene.shop.account, webhook.id);
    disabled.await.unwrap();
    scene.worker.tick().await.unwrap();
    assert_eq!(scene.log(&webhook).await.len(), 2);
    assert_eq!(tried.keys(QUEUE).await, [] as [Key; 0]);
}

#[tokio::test]
async fn the_state_of_a_webhook_begins_anew() {
    let tried = Tried::open().await;
    let scene = &tried.scene;
    scene.webhook(&[EventType::ProductChanged]).await;
    scene.endpoints.answer(URL, Answers::Fails);
    scene.product("A").await;
    assert_eq!(tried.arrive().await, ["A"]);
    tried.scribble(&tried.keys(STATE).await[0]).await;
    scene.endpoints.answer(URL, Answers::Status(200));
    scene.shop.clock.advance(60);
    assert_eq!(tried.arrive().await, ["A"]);
    scene.product("B").await;
    assert_eq!(tried.arrive().await, ["B"]);
    let all = scene.connect().webhooks(scene.shop.account).await.unwrap();
    assert_eq!(all[0].1.failures_in_a_row, 0);
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
