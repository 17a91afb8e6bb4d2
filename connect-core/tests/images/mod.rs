//! The worker that takes images over.

mod death;
mod fairness;
#[cfg(all(feature = "redb", feature = "sled"))]
mod killed;
mod parts;
mod port;
mod random;
mod results;
mod running;
mod several;

use std::{sync::Arc, time::Duration};

use connect_core::{
    Access, ImageWork, ImageWorker,
    storage::{Storage, memory::MemoryStorage},
    wire::{
        Field, Id, ImageJob, ImageStatus, Product, ProductInput,
        query::{EventQuery, ImageJobQuery},
    },
};
use serde_json::Value;
use tokio::{sync::oneshot, task::JoinHandle, time::timeout};
use uuid::Uuid;

use crate::shop::Shop;
use port::{Port, link};

/// Longer than anything takes here.
const PATIENCE: Duration = Duration::from_secs(30);

/// A shop, and what its workers download with.
struct Scene {
    shop: Shop,
    port: Arc<Port>,
}

/// A product with an image of this name.
fn with_image(image: &str) -> ProductInput {
    ProductInput {
        image_url: Field::Value(link(image)),
        ..ProductInput::named(image)
    }
}

impl Scene {
    async fn open() -> Self {
        Self::on(Arc::new(MemoryStorage::new())).await
    }

    async fn on(storage: Arc<dyn Storage>) -> Self {
        Self {
            shop: Shop::on(storage).await,
            port: Port::new(),
        }
    }

    fn worker(&self) -> ImageWorker {
        self.shop.connect.image_worker(self.port.clone())
    }

    async fn tick(&self) -> ImageWork {
        self.worker().tick().await.unwrap()
    }

    /// Has a worker take over the image that is held, which begins before `meanwhile`, and is let go after it.
    async fn tick_while(&self, meanwhile: impl Future<Output = ()>) -> ImageWork {
        let worker = self.worker();
        let download = async {
            self.port.begun().await;
            meanwhile.await;
            self.port.let_go();
        };
        tokio::join!(worker.tick(), download).0.unwrap()
    }

    /// Runs a worker until it is stopped.
    fn run(&self) -> Running {
        let (stop, stopped) = oneshot::channel::<()>();
        let worker = self.worker();
        let running = tokio::spawn(worker.run(async {
            let _ = stopped.await;
        }));
        Running(stop, running)
    }

    /// A product with an image of this name.
    async fn make(&self, image: &str) -> Id<Product> {
        self.make_at(&self.shop.at, image).await
    }

    async fn make_at(&self, at: &Access, image: &str) -> Id<Product> {
        let products = self.shop.connect.location(at).products();
        products.create(with_image(image)).await.unwrap().id
    }

    /// Gives a product another image, or none.
    async fn give(&self, product: Id<Product>, image: Option<&str>) {
        let input = ProductInput {
            image_url: image.map_or(Field::Null, |image| Field::Value(link(image))),
            ..ProductInput::default()
        };
        self.shop.products().update(product, input).await.unwrap();
    }

    async fn product(&self, id: Id<Product>) -> Product {
        self.shop.products().get(id).await.unwrap()
    }

    /// The link, the state and the error of a product's image.
    async fn image(
        &self,
        id: Id<Product>,
    ) -> (Option<String>, Option<ImageStatus>, Option<String>) {
        let product = self.product(id).await;
        (product.image_url, product.image_status, product.image_error)
    }

    /// Waits until the image of a product is taken over.
    async fn done(&self, at: &Access, id: Id<Product>) {
        let products = self.shop.connect.location(at).products();
        while products.get(id).await.unwrap().image_status != Some(ImageStatus::Done) {
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
    }

    async fn jobs(&self) -> Vec<ImageJob> {
        let jobs = self.shop.here().image_jobs();
        jobs.list(&ImageJobQuery::default()).await.unwrap().data
    }

    async fn job(&self, product: Id<Product>) -> Option<ImageJob> {
        let jobs = self.jobs().await;
        jobs.into_iter().find(|job| job.product_id == product)
    }

    /// The products of each event about images.
    async fn events(&self) -> Vec<Vec<Uuid>> {
        let events = self.shop.here().events();
        let page = events.list(&EventQuery::default()).await.unwrap();
        let json = serde_json::to_value(page).unwrap();
        let events = json["data"].as_array().unwrap();
        let of_images = events.iter().filter(|e| e["data"]["reason"] == "images");
        let ids = |e: &Value| serde_json::from_value(e["data"]["ids"].clone()).unwrap();
        of_images.map(ids).collect()
    }

    /// Checks every row of the store.
    async fn check(&self) {
        self.shop.check().await;
    }
}

/// A running worker.
struct Running(oneshot::Sender<()>, JoinHandle<()>);

impl Running {
    async fn stop(self) {
        let Self(stop, running) = self;
        stop.send(()).unwrap();
        timeout(PATIENCE, running).await.unwrap().unwrap();
    }
}
