//! Several workers, and workers that die.

use std::sync::Arc;

use connect_core::{
    Connect, NewAccount, NewWebhook, WebhookWorker, environment::Clock as _,
    storage::memory::MemoryStorage, wire::EventType,
};
use tokio::time::{Duration, timeout};

use super::{Scene, URL, endpoints::Answers};
use crate::{faulty::Faulty, shop};

#[tokio::test]
async fn two_workers_deliver_each_event_once() {
    let scene = Scene::open().await;
    for url in [
        "https://a.example/",
        "https://b.example/",
        "https://c.example/",
    ] {
        scene
            .webhook_at(url, &[EventType::ProductChanged], &[])
            .await;
    }
    for number in 0..50 {
        scene.product(&format!("Product {number}")).await;
    }
    let other = scene
        .connect()
        .webhook_worker(scene.endpoints.clone(), None);
    let (one, two) = tokio::join!(scene.worker.tick(), other.tick());
    assert_eq!(one.unwrap().delivered + two.unwrap().delivered, 150);
    assert_eq!(scene.endpoints.take().len(), 150);
}

/// The attempt of a worker that dies is made again when its lease is over, not before.
#[tokio::test(start_paused = true)]
async fn a_lease_outlives_its_worker_by_a_minute() {
    let scene = Scene::open().await;
    scene.webhook(&[EventType::ProductChanged]).await;
    scene.product("Bread").await;
    scene.endpoints.answer(URL, Answers::Hangs);
    // Dropped in the middle of the attempt.
    let dead = timeout(Duration::from_secs(1), scene.worker.tick()).await;
    assert!(dead.is_err());
    assert_eq!(scene.endpoints.take().len(), 1);
    scene.endpoints.answer(URL, Answers::Status(200));
    let other = scene
        .connect()
        .webhook_worker(scene.endpoints.clone(), None);
    scene.shop.clock.advance(59);
    assert_eq!(other.tick().await.unwrap(), Default::default());
    // Not for another event either.
    scene.product("Cake").await;
    assert_eq!(other.tick().await.unwrap(), Default::default());
    scene.shop.clock.advance(2);
    assert_eq!(other.tick().await.unwrap().delivered, 2);
}

/// The core of a process that begins with the clock set back, and its worker.
fn after_a_step_back(
    scene: &Scene,
    storage: &Arc<MemoryStorage>,
    seconds: i64,
) -> (Connect, WebhookWorker) {
    let clock = &scene.shop.clock;
    clock.set(clock.now().plus_seconds(-seconds));
    let connect = shop::connect(storage.clone(), clock);
    let worker = connect.webhook_worker(scene.endpoints.clone(), None);
    (connect, worker)
}

/// A clock that was set back keeps nothing waiting for as long as it went back.
#[tokio::test(start_paused = true)]
async fn the_lease_of_a_dead_worker_is_over_when_the_clock_was_set_back() {
    for (seconds, is_over) in [(60, false), (299, false), (3_600, true), (90_000, true)] {
        let storage = Arc::new(MemoryStorage::new());
        let scene = Scene::over(shop::open_on(storage.clone()).await);
        scene.webhook(&[EventType::ProductChanged]).await;
        scene.product("Bread").await;
        scene.endpoints.answer(URL, Answers::Hangs);
        let dead = timeout(Duration::from_secs(1), scene.worker.tick()).await;
        assert!(dead.is_err());
        scene.endpoints.answer(URL, Answers::Status(200));
        let (_connect, worker) = after_a_step_back(&scene, &storage, seconds);
        let mut delivered = 0;
        for _ in 0..2 {
            delivered += worker.tick().await.unwrap().delivered;
        }
        // A clock that is behind by less may be that of a process beside others.
        assert_eq!(delivered, usize::from(is_over), "{seconds}");
        scene.shop.clock.advance(seconds + 61);
        delivered += worker.tick().await.unwrap().delivered;
        assert_eq!(delivered, 1);
        scene.check().await;
    }
}

#[tokio::test]
async fn deliveries_do_not_wait_for_a_clock_that_was_set_back() {
    let storage = Arc::new(MemoryStorage::new());
    let scene = Scene::over(shop::open_on(storage.clone()).await);
    let webhook = scene.webhook(&[EventType::ProductChanged]).await.webhook;
    scene.product("Tried").await;
    scene.endpoints.answer(URL, Answers::Fails);
    scene.worker.tick().await.unwrap();
    scene.product("New").await;
    scene.endpoints.answer(URL, Answers::Status(200));
    scene.endpoints.take();
    let (_connect, worker) = after_a_step_back(&scene, &storage, 3_600);
    for _ in 0..2 {
        worker.tick().await.unwrap();
    }
    let mut names: Vec<_> = scene
        .endpoints
        .events()
        .into_iter()
        .map(|event| event.data["name"].clone())
        .collect();
    names.sort_by_key(|name| name.to_string());
    assert_eq!(names, ["New", "Tried"]);
    let log = scene.log(&webhook).await;
    assert_eq!(log[0].attempts.len(), 2);
    scene.check().await;
}

/// Nor do those behind others, which are due before what that clock has made of them.
#[tokio::test]
async fn deliveries_behind_others_do_not_wait_for_it_either() {
    let storage = Arc::new(MemoryStorage::new());
    let scene = Scene::over(shop::open_on(storage.clone()).await);
    scene.webhook(&[EventType::ProductChanged]).await;
    scene.product("Tried").await;
    scene.endpoints.answer(URL, Answers::Fails);
    scene.worker.tick().await.unwrap();
    let (connect, worker) = after_a_step_back(&scene, &storage, 30 * 86_400);
    let products = connect.location(&scene.shop.at).products();
    let new = connect_core::wire::ProductInput::named("New");
    products.create(new).await.unwrap();
    worker.tick().await.unwrap();
    scene.endpoints.take();
    scene.endpoints.answer(URL, Answers::Status(200));
    assert_eq!(worker.tick().await.unwrap().delivered, 1);
    assert_eq!(scene.endpoints.events()[0].data["name"], "Tried");
}

/// What the clock that was set back is behind by is no reason to try again sooner.
#[tokio::test]
async fn a_retry_keeps_its_time_when_clocks_differ_a_little() {
    let storage = Arc::new(MemoryStorage::new());
    let scene = Scene::over(shop::open_on(storage.clone()).await);
    scene.webhook(&[EventType::ProductChanged]).await;
    scene.product("Tried").await;
    scene.endpoints.answer(URL, Answers::Fails);
    scene.worker.tick().await.unwrap();
    let (_connect, worker) = after_a_step_back(&scene, &storage, 120);
    for _ in 0..2 {
        assert_eq!(worker.tick().await.unwrap(), Default::default());
    }
    scene.shop.clock.advance(180);
    assert_eq!(worker.tick().await.unwrap().postponed, 1);
}

/// Events are read when their attempts begin, so that a long queue takes little memory.
#[tokio::test]
async fn a_long_queue_is_not_read_at_once() {
    let storage = Faulty::new(Arc::new(MemoryStorage::new()));
    let scene = Scene::over(shop::open_on(storage.clone()).await);
    scene.webhook(&[EventType::ProductChanged]).await;
    for number in 0..300 {
        scene.product(&format!("Product {number}")).await;
    }
    storage.take_most_gets();
    assert_eq!(scene.worker.tick().await.unwrap().delivered, 300);
    let most = storage.take_most_gets();
    assert!(most <= 32, "{most}");
}

#[tokio::test]
async fn a_panic_of_the_sender_harms_no_other_webhook() {
    let scene = Scene::open().await;
    let bad = "https://bad.example/";
    scene
        .webhook_at(bad, &[EventType::ProductChanged], &[])
        .await;
    scene.webhook(&[EventType::ProductChanged]).await;
    scene.endpoints.answer(bad, Answers::Panics);
    scene.product("Bread").await;
    assert_eq!(scene.worker.tick().await.unwrap().delivered, 1);
    scene.endpoints.answer(bad, Answers::Status(200));
    scene.shop.clock.advance(61);
    assert_eq!(scene.worker.tick().await.unwrap().delivered, 1);
}

/// Another process on the same store, with a write in between.
#[tokio::test]
async fn another_process_goes_on() {
    let storage = Arc::new(MemoryStorage::new());
    let scene = Scene::over(shop::open_on(storage.clone()).await);
    scene.webhook(&[EventType::ProductChanged]).await;
    scene.product("Bread").await;
    let other = shop::connect(storage, &scene.shop.clock);
    let other = other.webhook_worker(scene.endpoints.clone(), None);
    assert_eq!(other.tick().await.unwrap().delivered, 1);
    scene.product("Cake").await;
    assert_eq!(scene.worker.tick().await.unwrap().delivered, 1);
}

/// The endpoints that hang take all places there are. The others wait for one, which is no failure of
/// theirs.
#[tokio::test(start_paused = true)]
async fn waiting_for_a_place_is_no_failure() {
    let scene = Scene::open().await;
    let healthy = scene.webhook(&[EventType::ProductChanged]).await.webhook;
    let account = scene.shop.account;
    // More attempts at a time than a worker makes: four at each of 200 webhooks.
    for number in 0..200 {
        let owner = NewAccount {
            name: "Other".into(),
            owner_email: "other@shop.example".into(),
            sandbox: true,
        };
        let other = scene.connect().create_account(owner).await.unwrap().id;
        let url = format!("https://hangs.example/{number}");
        scene.endpoints.answer(&url, Answers::Hangs);
        let new = NewWebhook {
            url,
            events: vec![EventType::ProductChanged],
            location_ids: Vec::new(),
        };
        let hangs = scene.connect().create_webhook(other, new).await.unwrap();
        for _ in 0..4 {
            let tested = scene.connect().test_webhook(other, hangs.webhook.id);
            tested.await.unwrap();
        }
    }
    for _ in 0..40 {
        let tested = scene.connect().test_webhook(account, healthy.id);
        tested.await.unwrap();
    }
    let work = scene.worker.tick().await.unwrap();
    assert_eq!((work.delivered, work.postponed), (40, 800));
    let log = scene.log(&healthy).await;
    assert!(log.iter().all(|delivery| delivery.attempts.len() == 1));
}

/// The sender has no room: nothing is counted or written down, and the delivery has its turn again
/// after a pause.
#[tokio::test]
async fn a_request_that_was_not_made_is_no_failure() {
    let scene = Scene::open().await;
    let webhook = scene.webhook(&[EventType::ProductChanged]).await.webhook;
    for number in 0..6 {
        scene.product(&format!("Product {number}")).await;
    }
    scene.endpoints.answer(URL, Answers::NotTried);
    for _ in 0..60 {
        assert_eq!(scene.worker.tick().await.unwrap(), Default::default());
        // The session makes way for others once it knows.
        assert_eq!(scene.endpoints.take().len(), 4);
        assert_eq!(scene.worker.tick().await.unwrap(), Default::default());
        assert_eq!(scene.endpoints.take().len(), 0);
        scene.shop.clock.advance(5);
    }
    assert!(scene.log(&webhook).await.is_empty());
    scene.endpoints.answer(URL, Answers::Status(200));
    assert_eq!(scene.worker.tick().await.unwrap().delivered, 6);
    let log = scene.log(&webhook).await;
    assert!(log.iter().all(|delivery| delivery.attempts.len() == 1));
    let account = scene.shop.account;
    let known = scene.connect().webhooks(account).await.unwrap();
    assert_eq!(known[0].1.last_failure_at, None);
    scene.check().await;
}

/// A worker that learns something after its lease is over writes it over nothing of another one.
#[tokio::test(start_paused = true)]
async fn an_attempt_that_outlives_its_lease_changes_nothing() {
    let scene = Scene::open().await;
    let webhook = scene.webhook(&[EventType::ProductChanged]).await.webhook;
    scene.product("Bread").await;
    scene.endpoints.answer(URL, Answers::Hangs);
    let late = async {
        assert_eq!(scene.worker.tick().await.unwrap(), Default::default());
    };
    let other = async {
        tokio::time::sleep(Duration::from_secs(1)).await;
        assert_eq!(scene.endpoints.take().len(), 1);
        scene.endpoints.answer(URL, Answers::Status(200));
        scene.shop.clock.advance(61);
        let other = scene.connect();
        let other = other.webhook_worker(scene.endpoints.clone(), None);
        assert_eq!(other.tick().await.unwrap().delivered, 1);
    };
    tokio::join!(late, other);
    let log = scene.log(&webhook).await;
    assert_eq!(log[0].attempts.len(), 1);
    assert_eq!(log[0].status, connect_core::DeliveryStatus::Delivered);
    scene.shop.clock.advance(3600);
    assert_eq!(scene.worker.tick().await.unwrap(), Default::default());
    scene.check().await;
}
