//! A shop that is served, and the floor: a bare warp handler.

use std::{
    net::SocketAddr,
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
};

use bytes::Bytes;
use connect_core::storage::memory::MemoryStorage;
use connect_server::{
    app::{ConnectApp, Door},
    net::{Listen, Server},
};
use uuid::Uuid;
use warp::Filter as _;

use crate::shop;

/// A shop in memory with its server, which runs as long as the runtime.
pub struct Served {
    pub address: SocketAddr,
    products: usize,
    location: Uuid,
    /// The ids of some of its products, spread over all of them.
    ids: Vec<String>,
    /// When the first of each stretch of these was made.
    times: Vec<String>,
    token: String,
}

impl Served {
    /// A shop with so many products.
    pub async fn with(products: usize) -> Self {
        let shop = shop::open(Arc::new(MemoryStorage::new()), 1).await;
        let at = &shop.locations[0];
        shop::fill(&shop.connect, at, products).await;
        let (mut ids, mut times) = (Vec::new(), Vec::new());
        // A dry run tells the ids and changes nothing.
        for start in (0..products).step_by((products / 16).max(500)) {
            let mut body = shop::batch(start..start + 500.min(products - start), 1);
            body.truncate(body.len() - 1);
            body.extend_from_slice(br#","dryRun":true}"#);
            let answer = shop
                .connect
                .write_products(at, connect_core::Request::json(body))
                .await;
            let result: connect_core::wire::ProductBatchResult = answer.unwrap().decode().unwrap();
            let first = shop
                .connect
                .get_product(at, result.results[0].id.unwrap())
                .await
                .unwrap();
            times.push(first.decode().unwrap().data.updated_at.to_string());
            ids.extend(
                result
                    .results
                    .iter()
                    .map(|item| item.id.unwrap().to_string()),
            );
        }
        let token = shop
            .connect
            .create_full_token(shop.account, "Bench")
            .await
            .unwrap();
        let server = Server::bind(Listen::on(([127, 0, 0, 1], 0).into()))
            .await
            .unwrap();
        let address = server.address();
        let location = at.location().id;
        let app = ConnectApp::new(shop.connect, Door::Api);
        tokio::spawn(server.serve(app, std::future::pending()));
        let token = token.secret.expose().to_owned();
        Self {
            address,
            products,
            location,
            ids,
            times,
            token,
        }
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
        self.ids
            .iter()
            .map(|id| self.request("GET", &format!("/{id}"), "", b""))
            .collect()
    }

    /// Reads of pages all over the list.
    pub fn pages(&self, limit: usize) -> Vec<Vec<u8>> {
        let page = |time: &String| {
            self.request(
                "GET",
                &format!("?limit={limit}&updatedSince={time}"),
                "",
                b"",
            )
        };
        self.times.iter().map(page).collect()
    }

    /// A create that has an idempotency key.
    pub fn keyed_create(&self, number: usize) -> Vec<u8> {
        let headers = format!("idempotency-key: create-{number}\r\n");
        self.post("", &headers, shop::product(number, 100).as_bytes())
    }

    /// Batches that change the price of products all over the shop, each to another price: enough
    /// of them that none is sent twice, since the second time would change nothing.
    pub fn batches(&self) -> Vec<Vec<u8>> {
        static PRICE: AtomicUsize = AtomicUsize::new(1000);
        let batch = |batch: usize| {
            let price = PRICE.fetch_add(1, Ordering::Relaxed);
            let numbers = (0..500).map(|item| (batch * 7919 + item * 1999) % self.products);
            self.post("/batch", "", &shop::batch(numbers, price))
        };
        (0..crate::BATCHES * (crate::ROUNDS + 1))
            .map(batch)
            .collect()
    }
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
