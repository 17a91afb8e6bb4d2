//! What waits beside a webhook that is switched off: it is sent in order, or given up.

use std::sync::Arc;

use connect_core::{
    DeliveryStatus, Error, WaitingEvents, Webhook,
    storage::{conformance::Distant, memory::MemoryStorage},
    wire::{EventType, Id},
};

use super::{Scene, URL, endpoints::Answers, stock::count};
use crate::{faulty::Faulty, shop};

/// A scene with a webhook that has 3 deliveries which have failed, is off, and has missed 3 more.
async fn off() -> (Scene, Webhook) {
    let scene = Scene::open().await;
    let webhook = scene.webhook(&[EventType::ProductChanged]).await.webhook;
    scene.endpoints.answer(URL, Answers::Status(503));
    for name in ["A", "B", "C"] {
        scene.product(name).await;
    }
    scene.worker.tick().await.unwrap();
    let account = scene.shop.account;
    let off = scene.connect().disable_webhook(account, webhook.id).await;
    off.unwrap();
    scene.worker.tick().await.unwrap();
    scene.endpoints.answer(URL, Answers::Status(200));
    for name in ["D", "E", "F"] {
        scene.shop.clock.advance(3600);
        scene.product(name).await;
        assert_eq!(scene.worker.tick().await.unwrap(), Default::default());
    }
    assert_eq!(scene.endpoints.take().len(), 3);
    (scene, webhook)
}

impl Scene {
    /// The names of the products whose events arrive with the next round, in order.
    async fn arrive(&self) -> Vec<String> {
        self.worker.tick().await.unwrap();
        let events = self.endpoints.events().into_iter();
        let name =
            |event: connect_core::wire::AnyEvent| event.data["name"].as_str().map(str::to_owned);
        events.filter_map(name).collect()
    }

    async fn waiting(&self, webhook: &Webhook) -> usize {
        let account = self.shop.account;
        let waiting = self.connect().waiting_events(account, webhook.id).await;
        waiting.unwrap()
    }
}

#[tokio::test]
async fn what_waited_is_sent_in_order() {
    let (scene, webhook) = off().await;
    assert_eq!(scene.waiting(&webhook).await, 6);
    scene.check().await;
    scene.switch_on(&webhook, WaitingEvents::Send).await;
    scene.product("G").await;
    assert_eq!(scene.arrive().await, ["A", "B", "C", "D", "E", "F", "G"]);
    assert_eq!(scene.waiting(&webhook).await, 0);
    assert_eq!(scene.arrive().await, [""; 0]);
    let log = scene.log(&webhook).await;
    let attempts: Vec<_> = log.iter().map(|one| one.attempts.len()).collect();
    assert_eq!(attempts, [2, 2, 2, 1, 1, 1, 1]);
    scene.check().await;
}

#[tokio::test]
async fn what_waited_is_dropped_and_nothing_else() {
    let (scene, webhook) = off().await;
    // An earlier choice is not made again, and the clock may stand still.
    scene.switch_on(&webhook, WaitingEvents::Drop).await;
    scene.product("G").await;
    assert_eq!(scene.arrive().await, ["G"]);
    let account = scene.shop.account;
    for name in ["H", "I"] {
        let off = scene.connect().disable_webhook(account, webhook.id).await;
        off.unwrap();
        scene.product(name).await;
        scene.switch_on(&webhook, WaitingEvents::Send).await;
    }
    assert_eq!(scene.arrive().await, ["H", "I"]);
    let log = scene.log(&webhook).await;
    let with = |status| log.iter().filter(|one| one.status == status).count();
    assert_eq!(with(DeliveryStatus::GivenUp), 6);
    assert_eq!(with(DeliveryStatus::Delivered), 3);
    scene.check().await;
}

/// The owner drops what waits, and sends what waits later, before a worker has looked at either.
#[tokio::test]
async fn each_choice_is_about_what_waited_then() {
    let (scene, webhook) = off().await;
    scene.switch_on(&webhook, WaitingEvents::Drop).await;
    let account = scene.shop.account;
    let off = scene.connect().disable_webhook(account, webhook.id).await;
    off.unwrap();
    scene.product("G").await;
    scene.switch_on(&webhook, WaitingEvents::Send).await;
    assert_eq!(scene.arrive().await, ["G"]);
    scene.check().await;
}

/// Of a product the latest count waits, as it would while the webhook is on.
#[tokio::test]
async fn the_latest_count_of_a_product_waits() {
    for waiting in [WaitingEvents::Send, WaitingEvents::Drop] {
        let scene = Scene::open().await;
        let webhook = scene.webhook(&[EventType::StockChanged]).await.webhook;
        let bread = scene.product("Bread").await.id;
        let account = scene.shop.account;
        let off = scene.connect().disable_webhook(account, webhook.id).await;
        off.unwrap();
        for quantity in [1.0, 2.0, 3.0] {
            count(&scene, bread, quantity).await;
            scene.shop.clock.advance(120);
            scene.worker.tick().await.unwrap();
        }
        assert_eq!(scene.waiting(&webhook).await, 1);
        scene.switch_on(&webhook, waiting).await;
        let work = scene.worker.tick().await.unwrap();
        let quantities: Vec<_> = scene
            .endpoints
            .events()
            .iter()
            .map(|event| event.data["quantity"].as_f64())
            .collect();
        if waiting == WaitingEvents::Send {
            assert_eq!(quantities, [Some(3.0)]);
        } else {
            assert_eq!((quantities.len(), work.given_up), (0, 1));
        }
        scene.check().await;
    }
}

#[tokio::test]
async fn what_waits_is_purged_after_30_days() {
    let (scene, webhook) = off().await;
    let day = 24 * 3600;
    scene.connect().maintain().await.unwrap();
    scene.shop.clock.advance(29 * day);
    scene.product("G").await;
    scene.connect().maintain().await.unwrap();
    assert_eq!(scene.waiting(&webhook).await, 7);
    scene.shop.clock.advance(2 * day);
    let done = scene.connect().maintain().await.unwrap();
    assert_eq!(
        (done.deliveries, done.failed),
        (6 + 3, 0),
        "the queue, and the log"
    );
    assert_eq!(scene.waiting(&webhook).await, 1);
    scene.check().await;
    scene.switch_on(&webhook, WaitingEvents::Send).await;
    assert_eq!(scene.arrive().await, ["G"]);
    // Of a deleted webhook nothing waits.
    let account = scene.shop.account;
    let off = scene.connect().disable_webhook(account, webhook.id).await;
    off.unwrap();
    scene.product("H").await;
    scene
        .connect()
        .delete_webhook(account, webhook.id)
        .await
        .unwrap();
    scene.worker.tick().await.unwrap();
    let counted = scene.connect().waiting_events(account, webhook.id).await;
    assert!(matches!(counted, Err(Error::NotFound(_))), "{counted:?}");
    scene.check().await;
}

#[tokio::test]
async fn counts_of_stock_that_wait_are_purged_after_30_days_too() {
    let scene = Scene::open().await;
    let webhook = scene.webhook(&[EventType::StockChanged]).await.webhook;
    let bread = scene.product("Bread").await.id;
    let cake = scene.product("Cake").await.id;
    let account = scene.shop.account;
    let off = scene.connect().disable_webhook(account, webhook.id).await;
    off.unwrap();
    count(&scene, bread, 1.0).await;
    count(&scene, cake, 2.0).await;
    // Days to pass, deliveries that are purged then, and those that wait.
    for (days, purged, waiting) in [(20, 0, 2), (11, 1, 1), (18, 0, 1), (2, 1, 0)] {
        scene.shop.clock.advance(days * 24 * 3600);
        let done = scene.connect().maintain().await.unwrap();
        assert_eq!((done.deliveries, done.failed), (purged, 0), "{days}");
        assert_eq!(scene.waiting(&webhook).await, waiting, "{days}");
        scene.check().await;
        if days == 20 {
            count(&scene, cake, 3.0).await;
        }
    }
    count(&scene, bread, 4.0).await;
    scene.switch_on(&webhook, WaitingEvents::Send).await;
    scene.worker.tick().await.unwrap();
    let events = scene.endpoints.events();
    assert_eq!(events.len(), 1);
    assert_eq!(events[0].data["quantity"].as_f64(), Some(4.0));
    scene.check().await;
}

/// A session's notes of products with queued events are purged too.
#[tokio::test]
async fn notes_of_stock_go_with_what_waited() {
    let scene = Scene::open().await;
    let webhook = scene.webhook(&[EventType::StockChanged]).await.webhook;
    let bread = scene.product("Bread").await.id;
    scene.endpoints.answer(URL, Answers::Fails);
    count(&scene, bread, 1.0).await;
    scene.worker.tick().await.unwrap();
    let account = scene.shop.account;
    let off = scene.connect().disable_webhook(account, webhook.id).await;
    off.unwrap();
    for (days, left) in [(29, Some(1)), (2, None)] {
        scene.shop.clock.advance(days * 24 * 3600);
        let done = scene.connect().maintain().await.unwrap();
        assert_eq!(done.failed, 0);
        let report = scene.connect().check(&mut |_| {}).await.unwrap();
        assert_eq!(report.families.get("SentStock").copied(), left, "{days}");
        scene.check().await;
    }
    scene.endpoints.answer(URL, Answers::Status(200));
    count(&scene, bread, 2.0).await;
    scene.switch_on(&webhook, WaitingEvents::Send).await;
    scene.endpoints.take();
    scene.worker.tick().await.unwrap();
    assert_eq!(scene.endpoints.take().len(), 1);
}

/// A worker ends while it goes through what waited. The next one finishes that.
#[tokio::test]
async fn what_waited_is_gone_through_again_after_a_worker_died() {
    let storage = Faulty::new(Arc::new(MemoryStorage::new()));
    let scene = Scene::over(shop::open_on(storage.clone()).await);
    let webhook = scene.webhook(&[EventType::ProductChanged]).await.webhook;
    let account = scene.shop.account;
    let off = scene.connect().disable_webhook(account, webhook.id).await;
    off.unwrap();
    for number in 0..1200 {
        scene.product(&format!("Product {number}")).await;
    }
    scene.switch_on(&webhook, WaitingEvents::Drop).await;
    {
        let mut tick = std::pin::pin!(scene.worker.tick());
        loop {
            let (is_reached, release) = storage.hold_next_read();
            tokio::select! {
                _ = &mut tick => panic!("it was done at once"),
                is_reached = is_reached => is_reached.unwrap(),
            }
            if !scene.log(&webhook).await.is_empty() {
                break;
            }
            release.send(()).unwrap();
        }
    }
    let given_up = scene.waiting(&webhook).await;
    assert!((1..1200).contains(&given_up), "{given_up}");
    scene.product("After").await;
    scene.shop.clock.advance(61);
    assert_eq!(scene.arrive().await, ["After"]);
    assert_eq!(scene.waiting(&webhook).await, 0);
    scene.check().await;
}

/// However much waits beside a webhook that is off, or is probed, a round costs the same.
#[tokio::test(start_paused = true)]
async fn a_round_costs_the_same_however_much_waits() {
    let store = Arc::new(Distant::new(
        Arc::new(MemoryStorage::new()),
        std::time::Duration::ZERO,
    ));
    let scene = Scene::over(shop::open_on(store.clone()).await);
    let probed = scene.webhook(&[EventType::ProductChanged]).await.webhook;
    let off = scene
        .webhook_at("https://off.example/", &[EventType::ProductChanged], &[])
        .await;
    let off: Id<Webhook> = off.webhook.id;
    scene.endpoints.answer(URL, Answers::Status(503));
    let account = scene.shop.account;
    scene.connect().disable_webhook(account, off).await.unwrap();
    let mut costs = Vec::new();
    for events in [10, 1000] {
        for number in 0..events {
            scene.product(&number.to_string()).await;
        }
        // The first failures, and then a probe.
        scene.worker.tick().await.unwrap();
        let cost = async |seconds| {
            scene.shop.clock.advance(seconds);
            let before = store.trips();
            scene.worker.tick().await.unwrap();
            store.trips() - before
        };
        costs.push([cost(60).await, cost(1).await]);
    }
    assert_eq!(costs[0], costs[1]);
    assert!(costs[1][0] < 25 && costs[1][1] < 5, "{costs:?}");
    assert!(scene.now(&probed).await.is_enabled());
}
