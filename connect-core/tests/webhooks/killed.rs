//! SIGKILL at any moment of a process that writes and delivers, on a store on the disk. In the end
//! all that was committed has arrived, as it was committed, and nothing else has.

use std::{
    collections::{HashMap, HashSet},
    fs,
    future::pending,
    io::Write as _,
    path::{Path, PathBuf},
    sync::{Arc, Mutex},
    thread,
    time::Duration,
};

use async_trait::async_trait;
use connect_core::{
    DeliveryFilter, DeliveryStatus, NewWebhook,
    environment::{SendFailure, WebhookAnswer, WebhookRequest, WebhookSender},
    wire::{
        AnyEvent, EventType, ProductInput, Timestamp,
        query::{EventQuery, Paging},
    },
};

use super::URL;
use crate::{
    kills::{Task, kill, open, random, start, wait_until},
    shop::{self, Shop},
};

/// The processes that are killed.
const KILLS: u32 = 6;

/// A file of lines, which outlives the process.
struct Book(Mutex<fs::File>);

impl Book {
    fn open(directory: &Path, name: &str) -> Self {
        let path = directory.join(name);
        let file = fs::File::options().append(true).create(true).open(path);
        Self(Mutex::new(file.unwrap()))
    }

    fn note(&self, line: &[u8]) {
        let line = [line, b"\n"].concat();
        self.0.lock().unwrap().write_all(&line).unwrap();
    }
}

/// The lines of a book.
fn lines(directory: &Path, name: &str) -> Vec<String> {
    let text = fs::read_to_string(directory.join(name)).unwrap();
    text.lines().map(str::to_owned).collect()
}

const ARRIVED: &str = "arrived";
const MADE: &str = "made";

/// An endpoint that notes what arrives, and then takes most of it.
struct Endpoint(Book);

#[async_trait]
impl WebhookSender for Endpoint {
    async fn send(&self, request: &WebhookRequest) -> Result<WebhookAnswer, SendFailure> {
        self.0.note(&request.body);
        tokio::time::sleep(Duration::from_micros(random(2000))).await;
        Ok(WebhookAnswer::of(if random(20) == 0 { 500 } else { 200 }))
    }
}

/// Not a test by itself: what runs in the process that is killed.
#[test]
fn child() {
    let Some(task) = Task::given() else {
        return;
    };
    let (directory, run) = (&*task.directory, task.run);
    let runtime = tokio::runtime::Runtime::new().unwrap();
    runtime.block_on(async {
        let shop = open(&task.backend, directory, time_of(run)).await;
        fs::write(opened(directory, run), "").unwrap();
        let worker = worker(&shop, directory);
        let worker = worker.run(Duration::from_millis(5), pending());
        let made = Arc::new(Book::open(directory, MADE));
        let writers = [0, 1].map(|writer| {
            let products = shop.connect.location(&shop.at).products();
            let made = made.clone();
            async move {
                for number in 0.. {
                    let name = format!("{run}-{writer}-{number}");
                    products.create(ProductInput::named(&*name)).await.unwrap();
                    made.note(name.as_bytes());
                }
            }
        });
        futures_util::future::join(worker, futures_util::future::join_all(writers)).await;
    });
}

#[test]
fn sled() {
    kill_again_and_again("sled");
}

#[test]
fn redb() {
    kill_again_and_again("redb");
}

fn worker(shop: &Shop, directory: &Path) -> connect_core::WebhookWorker {
    let endpoint = Endpoint(Book::open(directory, ARRIVED));
    shop.connect.webhook_worker(Arc::new(endpoint), None)
}

/// The time that a process lives in: the leases of the one before it are over.
fn time_of(run: u32) -> Timestamp {
    shop::START.plus_seconds(i64::from(run) * 61)
}

/// The file by which a process says that its store is open.
fn opened(directory: &Path, run: u32) -> PathBuf {
    directory.join(format!("opened-{run}"))
}

fn kill_again_and_again(backend: &str) {
    let runtime = tokio::runtime::Runtime::new().unwrap();
    let directory = tempfile::tempdir().unwrap();
    let directory = directory.path();
    runtime.block_on(async {
        let shop = open(backend, directory, time_of(0)).await;
        let account = shop.connect.account_ids().await.unwrap()[0];
        let new = NewWebhook {
            url: URL.to_owned(),
            events: vec![EventType::ProductChanged],
            location_ids: Vec::new(),
        };
        shop.connect.create_webhook(account, new).await.unwrap();
        shop.close().await;
    });
    for run in 1..=KILLS {
        run_and_kill(backend, directory, run);
    }
    runtime.block_on(async {
        // What failed is tried again meanwhile.
        for later in [1, 10, 100, 1000] {
            let shop = open(backend, directory, time_of(KILLS + later)).await;
            let worker = worker(&shop, directory);
            worker.tick().await.unwrap();
            drop(worker);
            shop.close().await;
        }
        let shop = open(backend, directory, time_of(KILLS + 1000)).await;
        check(&shop, directory).await;
        shop.close().await;
    });
}

fn run_and_kill(backend: &str, directory: &Path, run: u32) {
    let child = start("webhooks::killed::child", backend, directory, run);
    wait_until(|| opened(directory, run).exists());
    thread::sleep(Duration::from_micros(100_000 + random(150_000)));
    kill(child, run);
}

async fn check(shop: &Shop, directory: &Path) {
    let mut feed: HashMap<String, String> = HashMap::new();
    let mut names = HashSet::new();
    let mut query = EventQuery::default();
    loop {
        let page = shop.connect.location(&shop.at).events().list(&query).await;
        let page = page.unwrap();
        for event in page.data {
            names.insert(event.data["name"].as_str().unwrap().to_owned());
            feed.insert(event.id.to_string(), serde_json::to_string(&event).unwrap());
        }
        query.paging = Paging {
            limit: Some(200),
            cursor: page.next_cursor,
        };
        if query.paging.cursor.is_none() {
            break;
        }
    }
    let made = lines(directory, MADE);
    assert!(made.len() > 20, "{}", made.len());
    assert!(
        made.iter().all(|name| names.contains(name)),
        "a write is lost"
    );
    let mut arrived = HashSet::new();
    for line in lines(directory, ARRIVED) {
        let event: AnyEvent = serde_json::from_str(&line).unwrap();
        let event_as_json = serde_json::to_string(&event).unwrap();
        let id = event.id.to_string();
        assert_eq!(feed.get(&id), Some(&event_as_json), "never committed");
        arrived.insert(id);
    }
    let lost = feed.keys().filter(|id| !arrived.contains(*id)).count();
    assert_eq!(lost, 0, "of {}", feed.len());

    let account = shop.connect.account_ids().await.unwrap()[0];
    let (webhook, _) = shop.connect.webhooks(account).await.unwrap().remove(0);
    let all = DeliveryFilter::default();
    let log = shop
        .connect
        .deliveries(account, webhook.id, &all, None, 200);
    for delivery in log.await.unwrap().deliveries {
        assert_eq!(delivery.status, DeliveryStatus::Delivered, "{delivery:?}");
    }
    let report = shop.connect.check(&mut |_| {}).await.unwrap();
    assert_eq!(report.problems, []);
    for family in ["DeliveryByDue", "WebhookWoken", "WebhookByDue"] {
        assert_eq!(report.families.get(family), None, "{family}");
    }
}
