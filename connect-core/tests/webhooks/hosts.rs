//! Hosts that many webhooks lead to: limits on their requests, and no harm to other hosts.

use std::{
    sync::{Arc, Mutex},
    time::Duration,
};

use async_trait::async_trait;
use connect_core::{
    Account, Connect, HostLimits, NewWebhook, Webhook,
    environment::{SendFailure, WebhookAnswer, WebhookRequest, WebhookSender},
    wire::Id,
};
use tokio::time::{Instant, sleep};

use super::{PRODUCTS, Scene, URL, endpoints::Answers};
use crate::shop;

const LIMITS: HostLimits = HostLimits {
    at_a_time: 20,
    a_second: 100,
};

/// A host that many webhooks lead to, and one of a webhook that works.
struct TwoHosts {
    start: Instant,
    takes: Duration,
    crowd: Mutex<Crowd>,
    others: Mutex<Vec<Duration>>,
}

#[derive(Default)]
struct Crowd {
    under_way: usize,
    most: usize,
    begun: Vec<Duration>,
}

#[async_trait]
impl WebhookSender for TwoHosts {
    async fn send(&self, request: &WebhookRequest) -> Result<WebhookAnswer, SendFailure> {
        let now = self.start.elapsed();
        if request.url == URL {
            self.others.lock().unwrap().push(now);
            return Ok(WebhookAnswer::of(200));
        }
        {
            let mut crowd = self.crowd.lock().unwrap();
            crowd.begun.push(now);
            crowd.under_way += 1;
            crowd.most = crowd.most.max(crowd.under_way);
        }
        sleep(self.takes).await;
        self.crowd.lock().unwrap().under_way -= 1;
        Ok(WebhookAnswer::of(200))
    }
}

/// Makes a webhook of an account.
async fn webhook(connect: &Connect, owner: Id<Account>, url: String) -> Id<Webhook> {
    let new = NewWebhook {
        url,
        events: PRODUCTS.to_vec(),
        location_ids: Vec::new(),
    };
    let made = connect.create_webhook(owner, new).await.unwrap();
    made.webhook.id
}

/// Webhooks of several accounts at one host, however it is spelt, with pings to send.
async fn crowd(scene: &Scene, webhooks: usize, pings: usize) {
    let connect = scene.connect();
    for account in 0..webhooks.div_ceil(100) {
        let owner = shop::account(connect, &format!("Shop{account}")).await;
        for number in 0..100 {
            let host = ["crowd.example", "Crowd.Example.", "crowd.example:8443"][number % 3];
            let url = format!("https://{host}/{account}/{number}");
            let made = webhook(connect, owner, url).await;
            for _ in 0..pings {
                connect.test_webhook(owner, made).await.unwrap();
            }
        }
    }
}

/// Delivers for so many seconds, and pings the other host each second.
async fn deliver(scene: &Scene, takes: Duration, seconds: usize) -> Arc<TwoHosts> {
    let other: Id<Webhook> = scene.webhook().await.id;
    let hosts = Arc::new(TwoHosts {
        start: Instant::now(),
        takes,
        crowd: Mutex::default(),
        others: Mutex::default(),
    });
    let worker = scene.connect().webhook_worker(hosts.clone(), None);
    let worker = worker.with_host_limits(LIMITS);
    let passing = async {
        for _ in 0..seconds {
            let tested = scene.connect().test_webhook(scene.shop.account, other);
            tested.await.unwrap();
            scene.pass(1).await;
        }
    };
    worker.run(Duration::from_secs(1), passing).await;
    hosts
}

#[tokio::test(start_paused = true)]
async fn a_host_gets_so_many_requests_at_a_time_and_in_a_second() {
    // A place is free again after so many milliseconds; so many requests begin in ten seconds.
    for (millis, most_at_a_time, expected) in [(10, 1..=20, 700..=1000), (2_000, 20..=20, 90..=100)]
    {
        let scene = Scene::open().await;
        crowd(&scene, 100, 12).await;
        let hosts = deliver(&scene, Duration::from_millis(millis), 10).await;
        let crowd = hosts.crowd.lock().unwrap();
        assert!(most_at_a_time.contains(&crowd.most), "{}", crowd.most);
        assert!(
            expected.contains(&crowd.begun.len()),
            "{}",
            crowd.begun.len()
        );
        for within in crowd.begun.windows(LIMITS.a_second as usize + 1) {
            let took = within[within.len() - 1] - within[0];
            assert!(took >= Duration::from_secs(1), "{took:?}");
        }
    }
}

/// More webhooks than get a session at a time lead to a host that takes its time.
#[tokio::test(start_paused = true)]
async fn a_full_host_holds_nothing_that_others_could_use() {
    let scene = Scene::open().await;
    crowd(&scene, 400, 2).await;
    let hosts = deliver(&scene, Duration::from_secs(9), 30).await;
    assert_eq!(hosts.crowd.lock().unwrap().most, 20);
    let others = hosts.others.lock().unwrap();
    assert_eq!(others.len(), 30);
    for (second, at) in others.iter().enumerate() {
        let at = at.as_secs_f32();
        assert!(at <= second as f32 + 2.0, "{second}: {at}");
    }
}

/// Webhooks behind a line that is full come again.
#[tokio::test(start_paused = true)]
async fn all_webhooks_of_a_full_host_have_their_turn() {
    let scene = Scene::open().await;
    crowd(&scene, 100, 12).await;
    let hosts = deliver(&scene, Duration::from_secs(1), 90).await;
    assert_eq!(hosts.crowd.lock().unwrap().begun.len(), 1200);
    let count = scene.connect().backlog().await.unwrap().deliveries.count;
    assert_eq!(count, 0);
    scene.shop.check().await;
}

/// A lease is renewed beside an attempt, and the next one keeps its place.
///
/// It has too little time left when the second place of a webhook is free, and another stands in line behind.
#[tokio::test(start_paused = true)]
async fn a_place_at_a_host_is_kept_while_a_lease_is_renewed() {
    let scene = Scene::open().await;
    let worker = scene.worker_of(scene.connect());
    let worker = worker.with_host_limits(HostLimits {
        at_a_time: 2,
        a_second: 100,
    });
    // Places are free again at 9, 15 and 18 seconds.
    let pings = [
        (0, "a", 1),
        (6, "b", 1),
        (6, "c", 1),
        (7, "x", 2),
        (16, "y", 1),
    ];
    let passing = async {
        for second in 0..40 {
            for (_, name, pings) in pings.iter().filter(|(at, ..)| *at == second) {
                let url = format!("{URL}/{name}");
                scene.endpoints.answer(&url, Answers::Slowly);
                let made = scene.webhook_at(&url, &PRODUCTS, &[]).await.webhook;
                for _ in 0..*pings {
                    let tested = scene.connect().test_webhook(scene.shop.account, made.id);
                    tested.await.unwrap();
                }
            }
            scene.pass(1).await;
        }
    };
    worker.run(Duration::from_secs(1), passing).await;
    let requests = scene.endpoints.take();
    let mut names: Vec<_> = requests.iter().map(|to| &to.url[URL.len() + 1..]).collect();
    names[1..3].sort_unstable();
    assert_eq!(names, ["a", "b", "c", "x", "x", "y"]);
}

/// The endpoints that hang take all places there are. The others wait for one, which is no failure of
/// theirs.
#[tokio::test(start_paused = true)]
async fn waiting_for_a_place_is_no_failure() {
    let scene = Scene::open().await;
    let (connect, account) = (scene.connect(), scene.shop.account);
    let healthy = scene.webhook().await;
    // More attempts at a time than a worker makes: four at each of 200 webhooks.
    for number in 0..200 {
        let owner = shop::account(connect, "Other").await;
        let url = format!("https://{number}.example/");
        scene.endpoints.answer(&url, Answers::Hangs);
        let hangs = webhook(connect, owner, url).await;
        for _ in 0..4 {
            connect.test_webhook(owner, hangs).await.unwrap();
        }
    }
    for _ in 0..40 {
        connect.test_webhook(account, healthy.id).await.unwrap();
    }
    let work = scene.worker.tick().await.unwrap();
    assert_eq!((work.delivered, work.postponed), (40, 800));
    let log = scene.log(&healthy).await;
    assert!(log.iter().all(|delivery| delivery.attempts.len() == 1));
}
