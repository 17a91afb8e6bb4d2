//! SIGKILL at any moment of a process whose workers take over images, on a store on the disk. In the
//! end every job has ended, and no result was written twice.

use std::{collections::HashMap, fs, future::pending, path::Path, thread, time::Duration};

use connect_core::wire::{
    Field, ImageJob, ImageStatus, ProductBatch, ProductInput, ProductsChanged, Timestamp,
    query::{EventQuery, ImageJobQuery, Paging},
};
use uuid::Uuid;

use super::port::{Port, copy, link};
use crate::{
    kills::{Task, kill, open, random, start, wait_until},
    shop::{self, Shop},
};

/// The processes that are killed.
const KILLS: u32 = 6;

/// The products with an image, more than are done before the last kill.
const PRODUCTS: usize = 800;

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
        let port = Port::new();
        let workers = [(); 2].map(|()| shop.connect.image_worker(port.clone()).run(pending()));
        futures_util::future::join_all(workers).await;
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

/// The time that a process lives in: the leases of the one before it are over.
fn time_of(run: u32) -> Timestamp {
    shop::START.plus_seconds(i64::from(run) * 121)
}

/// The file by which a process says that its store is open.
fn opened(directory: &Path, run: u32) -> std::path::PathBuf {
    directory.join(format!("opened-{run}"))
}

fn kill_again_and_again(backend: &str) {
    let runtime = tokio::runtime::Runtime::new().unwrap();
    let directory = tempfile::tempdir().unwrap();
    let directory = directory.path();
    runtime.block_on(async {
        let shop = open(backend, directory, time_of(0)).await;
        queue(&shop).await;
        shop.close().await;
    });
    for run in 1..=KILLS {
        run_and_kill(backend, directory, run);
    }
    runtime.block_on(async {
        let shop = open(backend, directory, time_of(KILLS + 1)).await;
        let left = jobs(&shop).await;
        let is_left = |job: &&ImageJob| job.status == ImageStatus::Pending;
        let left = left.iter().filter(is_left).count();
        assert!(left > 0, "nothing was left to be killed at");
        let work = shop.connect.image_worker(Port::new()).tick().await.unwrap();
        assert_eq!(work.moot + work.postponed + work.given_back, 0);
        assert_eq!(work.done + work.failed, left);
        check(&shop).await;
        shop.close().await;
    });
}

/// The image of a product: most take a while, some cannot be taken over.
fn image(number: usize) -> String {
    if number.is_multiple_of(10) {
        "lasting".to_owned()
    } else {
        format!("slow-{number}")
    }
}

/// Makes the products, whose images are queued.
async fn queue(shop: &Shop) {
    let product = |number| ProductInput {
        image_url: Field::Value(link(&image(number))),
        ..ProductInput::named(image(number))
    };
    let all: Vec<_> = (0..PRODUCTS).map(product).collect();
    for items in all.chunks(400) {
        let products = shop.connect.location(&shop.at).products();
        let written = products.batch(ProductBatch::new(items.to_vec())).await;
        assert_eq!(written.unwrap().extra.images_queued, items.len());
    }
}

fn run_and_kill(backend: &str, directory: &Path, run: u32) {
    let child = start("images::killed::child", backend, directory, run);
    wait_until(|| opened(directory, run).exists());
    thread::sleep(Duration::from_micros(50_000 + random(120_000)));
    kill(child, run);
}

async fn check(shop: &Shop) {
    let jobs = jobs(shop).await;
    assert_eq!(jobs.len(), PRODUCTS);
    // Workers died at some of them, perhaps as often as a job is tried.
    let died_at = |job: &&ImageJob| job.attempts > 1;
    assert!(
        jobs.iter().any(|job| died_at(&job)),
        "no worker died at a job"
    );
    let mut told: HashMap<Uuid, usize> = HashMap::new();
    for product in told_of(shop).await {
        *told.entry(product).or_default() += 1;
    }
    assert_eq!(told.len(), PRODUCTS);
    assert!(told.values().all(|times| *times == 1), "told of twice");
    let products = shop.connect.location(&shop.at).products();
    for job in jobs {
        let product = products.get(job.product_id).await.unwrap();
        assert_eq!(product.image_status.as_ref(), Some(&job.status));
        match job.status {
            ImageStatus::Done => {
                assert_eq!(product.image_url, Some(copy(&product.name)));
                assert_eq!((product.image_error, job.error), (None, None));
            }
            ImageStatus::Failed => {
                assert_eq!(product.image_url, Some(job.source_url));
                assert_eq!(product.image_error, job.error.map(|error| error.message));
                assert!(product.name == "lasting" || job.attempts == 3);
            }
            status => panic!("a job is {status}"),
        }
    }
    let report = shop.connect.check(&mut |_| {}).await.unwrap();
    assert_eq!(report.problems, []);
}

async fn jobs(shop: &Shop) -> Vec<ImageJob> {
    let mut query = ImageJobQuery::default();
    let mut all = Vec::new();
    loop {
        let jobs = shop.connect.location(&shop.at).image_jobs();
        let page = jobs.list(&query).await.unwrap();
        all.extend(page.data);
        query.paging = next(page.next_cursor.clone());
        if page.next_cursor.is_none() {
            return all;
        }
    }
}

/// The products that the events about images name.
async fn told_of(shop: &Shop) -> Vec<Uuid> {
    let mut query = EventQuery::default();
    let mut all: Vec<Uuid> = Vec::new();
    loop {
        let events = shop.connect.location(&shop.at).events();
        let page = events.list(&query).await.unwrap();
        for event in &page.data {
            let json = serde_json::to_value(event).unwrap();
            if json["data"]["reason"] == "images" {
                let changed: ProductsChanged =
                    serde_json::from_value(json["data"].clone()).unwrap();
                all.extend(changed.ids);
            }
        }
        query.paging = next(page.next_cursor.clone());
        if page.next_cursor.is_none() {
            return all;
        }
    }
}

fn next(cursor: Option<String>) -> Paging {
    Paging {
        limit: Some(200),
        cursor,
    }
}
