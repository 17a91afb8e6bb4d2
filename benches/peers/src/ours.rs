//! Connect's core on redb: durable, with all that a request does there but HTTP.

use std::sync::Arc;

use connect_core::{
    Access, Connect, Request,
    wire::{Page, Product, query::ProductQuery},
};
use tempfile::TempDir;
use tokio::runtime::Runtime;

use crate::{
    shop,
    work::{Peer, Work},
};

/// A location with products, and where to begin reading.
struct Shop {
    connect: Connect,
    at: Access,
    products: Vec<Product>,
    cursors: Vec<String>,
    /// Removed at the end.
    _folder: TempDir,
}

/// The core, with clients in tasks of a runtime.
pub struct Ours<'r> {
    runtime: &'r Runtime,
    shop: Arc<Shop>,
}

impl<'r> Ours<'r> {
    /// Fills a location with `count` products.
    pub fn open(runtime: &'r Runtime, count: usize) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let storage = shop::storage("redb", &folder.path().join("store"));
        let shop = runtime.block_on(async {
            let mut shop = shop::open(storage, 1).await;
            let at = shop.locations.remove(0);
            shop::fill(&shop.connect, &at, count).await;
            let mut made = Shop {
                connect: shop.connect,
                at,
                products: Vec::new(),
                cursors: Vec::new(),
                _folder: folder,
            };
            made.look().await;
            made
        });
        let shop = Arc::new(shop);
        Self { runtime, shop }
    }
}

impl Shop {
    /// Reads the whole list once.
    async fn look(&mut self) {
        let mut query = page();
        loop {
            let products = self.connect.location(&self.at).json::<Product>();
            let page: Page<Product> = products.list(&query).await.unwrap().decode().unwrap();
            self.products.extend(page.data);
            let Some(cursor) = page.next_cursor else {
                break;
            };
            self.cursors.push(cursor.clone());
            query.sync.cursor = Some(cursor);
        }
        // The list is in order of changes, and those of a batch are of one moment.
        let number = |product: &Product| product.external_id.clone();
        self.products.sort_by_key(number);
    }

    async fn answer(&self, work: &mut Work) -> Vec<u8> {
        let products = self.connect.location(&self.at).json::<Product>();
        match work {
            Work::Create(body) => {
                let request = Request::json(std::mem::take(body));
                products.create(request).await.unwrap().body
            }
            Work::CreateMany(body) => self.batch(body, r#"{"data":{"created":500,"#).await,
            Work::UpdateMany(body) => {
                let answer = r#"{"data":{"created":0,"updated":500,"#;
                self.batch(body, answer).await
            }
            Work::Get(number) => {
                let id = self.products[*number].id.uuid();
                products.get(id).await.unwrap().into_bytes().to_vec()
            }
            Work::Page(number) => {
                let cursor = &self.cursors[*number % (self.cursors.len() - 2)];
                let mut query = page();
                query.sync.cursor = Some(cursor.clone());
                products.list(&query).await.unwrap().into_bytes().to_vec()
            }
            Work::Delta(number) => {
                let mut query = page();
                query.sync.updated_since = Some(self.products[*number].updated_at);
                products.list(&query).await.unwrap().into_bytes().to_vec()
            }
        }
    }

    async fn batch(&self, body: &mut Vec<u8>, answer: &str) -> Vec<u8> {
        shop::write(&self.connect, &self.at, std::mem::take(body), answer).await
    }
}

/// The query of a page of 200.
fn page() -> ProductQuery {
    let mut query = ProductQuery::default();
    query.sync.limit = Some(200);
    query
}

impl Peer for Ours<'_> {
    fn name(&self) -> &'static str {
        "Connect"
    }

    fn body(&self, products: &[(usize, String)]) -> Vec<u8> {
        match products {
            [(_, product)] => product.clone().into_bytes(),
            _ => {
                let items: Vec<_> = products.iter().map(|(_, item)| item.as_str()).collect();
                format!(r#"{{"items":[{}]}}"#, items.join(",")).into_bytes()
            }
        }
    }

    fn run(&self, clients: Vec<Vec<Work>>) {
        let client = |requests: Vec<Work>| {
            let shop = self.shop.clone();
            self.runtime.spawn(async move {
                for mut work in requests {
                    let answer = shop.answer(&mut work).await;
                    work.check(&answer);
                }
            })
        };
        shop::finish(self.runtime, clients.into_iter().map(client).collect());
    }
}
