//! Images, from the write to the served copy.

use std::sync::{
    Arc,
    atomic::{AtomicUsize, Ordering},
};

use connect_client::wire::{
    EventType, Field, ImageErrorCode, ImageStatus, ProductInput, ProductsChanged,
    query::{EventQuery, ImageJobQuery},
};
use connect_core::{ImageWork, storage::memory::MemoryStorage};
use connect_server::networks::Networks;
use connect_tests::{
    http::{Request, send},
    shop::Setup,
};
use tokio::{
    io::{AsyncReadExt as _, AsyncWriteExt as _},
    net::TcpListener,
    task::JoinHandle,
};

use super::over;

/// A GIF of one red pixel.
const PIXEL: &[u8] =
    b"GIF89a\x01\0\x01\0\x80\0\0\xff\0\0\xff\xff\xff,\0\0\0\0\x01\0\x01\0\0\x02\x02D\x01\0;";

/// A host on loopback that answers every request with the pixel, over plain HTTP. It ends when it
/// is dropped.
struct Host {
    link: String,
    requests: Arc<AtomicUsize>,
    task: JoinHandle<()>,
}

impl Host {
    async fn start() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let link = format!("http://{}/pixel.gif", listener.local_addr().unwrap());
        let requests = Arc::new(AtomicUsize::new(0));
        let counter = requests.clone();
        let task = tokio::spawn(async move {
            loop {
                let (mut stream, _) = listener.accept().await.unwrap();
                counter.fetch_add(1, Ordering::SeqCst);
                let _ = stream.read(&mut [0; 4096]).await.unwrap();
                let head = format!("HTTP/1.1 200 OK\r\nContent-Length: {}\r\n\r\n", PIXEL.len());
                let response = [head.as_bytes(), PIXEL].concat();
                stream.write_all(&response).await.unwrap();
            }
        });
        Self {
            link,
            requests,
            task,
        }
    }

    fn link(&self) -> String {
        self.link.clone()
    }

    /// The number of requests that have arrived.
    fn requests(&self) -> usize {
        self.requests.load(Ordering::SeqCst)
    }
}

impl Drop for Host {
    fn drop(&mut self) {
        self.task.abort();
    }
}

fn with_link(link: String) -> ProductInput {
    ProductInput {
        image_url: Field::Value(link),
        ..ProductInput::named("Rye")
    }
}

fn of_status(status: ImageStatus) -> ImageJobQuery {
    ImageJobQuery {
        status: Some(status),
        ..ImageJobQuery::default()
    }
}

/// From the write to the copy that is served, with the server's own adapter.
#[tokio::test]
async fn an_image_of_an_allowed_network_is_taken_over_and_served() {
    let shop = Setup::default().images_from(Networks::loopback());
    let (shop, _watch, client) = over(shop.open().await).await;
    let (here, host) = (client.location(shop.here), Host::start().await);
    let made = here.products().create(&with_link(host.link())).await;
    let made = made.unwrap();
    assert_eq!(made.image_url, Some(host.link()));
    assert_eq!(made.image_status, Some(ImageStatus::Pending));
    shop.clock.advance(1);
    assert_eq!(shop.image_worker().tick().await.unwrap().done, 1);

    let product = here.products().get(made.id).await.unwrap();
    assert_eq!(product.image_status, Some(ImageStatus::Done));
    let stored = product.image_url.clone().unwrap();
    let path = stored.strip_prefix(&format!("http://{}", shop.address));
    let served = send(shop.address, Request::get(path.unwrap())).await;
    let served = served.unwrap().expect(200);
    assert_eq!(served.header("content-type"), Some("image/png"));
    let forever = Some("public, max-age=31536000, immutable");
    assert_eq!(served.header("cache-control"), forever);
    assert_eq!(served.header("x-content-type-options"), Some("nosniff"));
    assert!(served.body.starts_with(b"\x89PNG\r\n"));

    let events = here
        .events()
        .stream(&EventQuery::default())
        .all()
        .await
        .unwrap();
    let [_, images] = &events[..] else {
        panic!("an event of the write and one of the worker: {events:?}");
    };
    assert_eq!(images.kind, EventType::ProductsChanged);
    let changed: ProductsChanged = images.data_as().unwrap();
    assert_eq!(changed.reason, "images");
    assert_eq!(changed.ids, [made.id.uuid()]);

    // The link as it was sent, that of the copy, and the whole record change nothing.
    for link in [host.link(), stored] {
        let same = here.products().update(made.id, &with_link(link)).await;
        assert_eq!(same.unwrap(), product);
    }
    let record = serde_json::to_value(&product).unwrap();
    let path = format!("products/{}", made.id);
    let sent_back = shop.patch(&path, &record).await.expect(200).data();
    assert_eq!(sent_back, record);
    let batch = serde_json::json!({ "matchBy": "id", "items": [record] });
    let batch = shop.batch(&batch).await;
    assert_eq!(
        (&batch["unchanged"], &batch["imagesQueued"]),
        (&1.into(), &0.into())
    );
    let after = here
        .events()
        .stream(&EventQuery::default())
        .all()
        .await
        .unwrap();
    assert_eq!(after.len(), events.len());
    assert_eq!(
        shop.image_worker().tick().await.unwrap(),
        ImageWork::default()
    );
    assert_eq!(host.requests(), 1);
}

/// A configuration that has become stricter takes back what it once let in, and nothing else of it.
#[tokio::test]
async fn a_link_that_a_product_has_is_not_judged_again() {
    let storage = Arc::new(MemoryStorage::new());
    let open = Setup::default().storage(storage.clone());
    let open = open.images_from(Networks::loopback()).open().await;
    let (open, _watch, client) = over(open).await;
    let link = "http://127.0.0.1:9/rye.png".to_owned();
    let products = client.location(open.here).products();
    let made = products.create(&with_link(link.clone())).await.unwrap();
    let strict = Setup::default().storage(storage).open().await;
    let (strict, _watch, client) = over(strict).await;
    let products = client.location(strict.here).products();
    let same = products.update(made.id, &with_link(link.clone())).await;
    assert_eq!(same.unwrap(), made);
    let refused = products.create(&with_link(link)).await.unwrap_err();
    let refused = refused.to_string();
    assert!(
        refused.contains("imageUrl: must start with https://"),
        "{refused}"
    );
}

/// A name may lead anywhere: that is found when it is looked up.
#[tokio::test]
async fn a_worker_says_why_an_image_was_not_taken_over() {
    let shop = Setup::default().images_from(Networks::default());
    let (shop, _watch, client) = over(shop.open().await).await;
    let here = client.location(shop.here);
    let input = with_link("https://localhost/rye.png".to_owned());
    let made = here.products().create(&input).await.unwrap();
    assert_eq!(shop.image_worker().tick().await.unwrap().failed, 1);

    let product = here.products().get(made.id).await.unwrap();
    assert_eq!(product.image_status, Some(ImageStatus::Failed));
    assert_eq!(product.image_url, made.image_url);
    let failed = here.image_jobs().stream(&of_status(ImageStatus::Failed));
    let [job] = &failed.all().await.unwrap()[..] else {
        unreachable!("one job has failed");
    };
    let error = job.error.clone().unwrap();
    assert_eq!(error.code, ImageErrorCode::ForbiddenAddress);
    assert_eq!(product.image_error, Some(error.message));
    assert_eq!(job.attempts, 1);
}
