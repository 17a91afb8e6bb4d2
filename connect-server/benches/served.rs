//! A shop that is served, and the floor: a bare warp handler.

use std::{
    net::SocketAddr,
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
};

use bytes::Bytes;
use connect_core::{
    Connect,
    storage::Storage,
    wire::{Id, Location, Page, Product, query::ProductQuery},
};
use connect_server::{
    app::{ConnectApp, ListenerKind},
    net::{Listen, Server},
};
use warp::Filter as _;

use crate::shop::{self, Pattern};

/// A shop with its server, which runs as long as the runtime.
pub struct Served {
    pub address: SocketAddr,
    connect: Connect,
    products: usize,
    location: Id<Location>,
    /// The ids of some of its products, spread over all of them.
    ids: Vec<Id<Product>>,
    /// The cursors of some pages of a walk, spread over the whole list.
    cursors: Vec<String>,
    /// When some products from the middle third of the list last changed.
    times: Vec<String>,
    token: String,
}

impl Served {
    /// A shop with `products` products.
    pub async fn with(storage: Arc<dyn Storage>, products: usize) -> Self {
        let shop = shop::open(storage, 1).await;
        let at = &shop.locations[0];
        shop::fill(&shop.connect, at, products).await;
        let (mut ids, mut cursors, mut times) = (Vec::new(), Vec::new(), Vec::new());
        let mut query = ProductQuery::default();
        query.sync.limit = Some(200);
        let pages = products / 200;
        for number in 0..pages {
            let page = shop
                .connect
                .location(at)
                .json::<Product>()
                .list(&query)
                .await
                .unwrap();
            let page: Page<Product> = page.decode().unwrap();
            if number % pages.div_ceil(16) == 0 {
                ids.extend(page.data.iter().map(|product| product.id));
                cursors.extend(page.next_cursor.clone());
            }
            // Every so often, so that a delta page is full and there are several of them.
            if (pages / 3..pages * 2 / 3).contains(&number) && number % pages.div_ceil(48) == 0 {
                times.push(page.data[0].updated_at.to_string());
            }
            query.sync.cursor = page.next_cursor;
        }
        let token = shop.connect.create_full_token(shop.account, "Bench").await;
        let token = token.unwrap().secret.expose().to_owned();
        Self {
            address: serve(&shop.connect, |app| app).await,
            products,
            location: at.location().id,
            connect: shop.connect,
            ids,
            cursors,
            times,
            token,
        }
    }

    /// Serves the same shop once more, by an app that `finish` completes.
    pub async fn serve(&self, finish: impl FnOnce(ConnectApp) -> ConnectApp) -> SocketAddr {
        serve(&self.connect, finish).await
    }

    fn request(&self, method: &str, path: &str, headers: &str, body: &[u8]) -> Vec<u8> {
        let Self {
            location, token, ..
        } = self;
        let mut request = format!(
            "{method} /v1/locations/{location}/products{path} HTTP/1.1\r\nhost: localhost\r\n\
             authorization: Bearer {token}\r\n{headers}\r\n"
        )
        .into_bytes();
        request.extend_from_slice(body);
        request
    }

    fn post(&self, path: &str, headers: &str, body: &[u8]) -> Vec<u8> {
        let length = body.len();
        let headers =
            format!("content-type: application/json\r\ncontent-length: {length}\r\n{headers}");
        self.request("POST", path, &headers, body)
    }

    /// Reads of single products.
    pub fn gets(&self) -> Vec<Vec<u8>> {
        let get = |id: &Id<Product>| self.request("GET", &format!("/{id}"), "", b"");
        self.ids.iter().map(get).collect()
    }

    /// Reads of pages of 200, all over the list, as a walk reads them.
    pub fn pages(&self) -> Vec<Vec<u8>> {
        let page =
            |cursor: &String| self.request("GET", &format!("?limit=200&cursor={cursor}"), "", b"");
        self.cursors.iter().map(page).collect()
    }

    /// First pages of 200 of what changed since some time in the middle, deletions included.
    pub fn delta_pages(&self) -> Vec<Vec<u8>> {
        let page = |time: &String| {
            let query = format!("?limit=200&updatedSince={time}&includeDeleted=true");
            self.request("GET", &query, "", b"")
        };
        self.times.iter().map(page).collect()
    }

    /// Creates, each of another product, with an idempotency key.
    pub fn keyed_creates(&self, count: usize) -> Vec<Vec<u8>> {
        let create = |number| {
            let headers = format!("idempotency-key: create-{number}\r\n");
            let body = shop::product(10_000_000 + number, 100);
            self.post("", &headers, body.as_bytes())
        };
        (0..count).map(create).collect()
    }

    /// Creates, each of another product, without a key.
    pub fn creates(&self, count: usize) -> Vec<Vec<u8>> {
        let create = |number| {
            let body = shop::product(20_000_000 + number, 100);
            self.post("", "", body.as_bytes())
        };
        (0..count).map(create).collect()
    }

    /// Batches that change the price of products all over the shop, each to another price.
    pub fn batches(&self, count: usize) -> Vec<Vec<u8>> {
        static PRICE: AtomicUsize = AtomicUsize::new(1000);
        let batch = |batch| {
            let price = PRICE.fetch_add(1, Ordering::Relaxed);
            let numbers = Pattern::Scattered.numbers(batch, self.products);
            self.post("/batch", "", &shop::batch(numbers, price))
        };
        (0..count).map(batch).collect()
    }
}

async fn serve(connect: &Connect, finish: impl FnOnce(ConnectApp) -> ConnectApp) -> SocketAddr {
    let listen = Listen::on(([127, 0, 0, 1], 0).into());
    let server = Server::bind(listen).await.unwrap();
    let address = server.address();
    let app = finish(ConnectApp::new(connect.clone(), ListenerKind::Api));
    tokio::spawn(server.serve(app, std::future::pending()));
    address
}

/// A bare warp handler that answers everything with `body`.
pub async fn bare(body: Vec<u8>) -> SocketAddr {
    let body = Bytes::from(body);
    let handler = warp::any().map(move || {
        let mut response = http::Response::new(body.clone());
        let json = http::HeaderValue::from_static("application/json");
        response
            .headers_mut()
            .insert(http::header::CONTENT_TYPE, json);
        response
    });
    let listener = tokio::net::TcpListener::bind(("127.0.0.1", 0))
        .await
        .unwrap();
    let address = listener.local_addr().unwrap();
    tokio::spawn(warp::serve(handler).incoming(listener).run());
    address
}
