//! TrailBase: its own router, called in this process, with its rights, its validation and its log
//! of requests, but without a socket.

use std::{fs, sync::Arc};

use axum::{
    Router,
    body::{Body, to_bytes},
    http::{Method, Request, StatusCode, header},
};
use serde::Deserialize;
use tempfile::TempDir;
use tokio::runtime::Runtime;
use tower::ServiceExt as _;
use trailbase::{AppState, DataDir, Server, ServerOptions};

use crate::{
    shop,
    sqlite::{COLUMNS, INDEXES},
    work::{Peer, Work},
};

/// One API refuses external ids that are taken. The other replaces the product, as there is no
/// update of many records.
const CONFIG: &str = r#"
    email {} auth {} jobs {} server { application_name: "Peers" }
    record_apis: [
        { name: "products" table_name: "products" acl_world: [CREATE, READ] },
        { name: "replaced" table_name: "products" acl_world: [CREATE, READ]
          conflict_resolution: REPLACE }
    ]"#;

/// A server with products, and where to begin reading.
struct Instance {
    router: Router,
    state: AppState,
    cursors: Vec<String>,
    times: Vec<i64>,
    /// Removed at the end.
    _folder: TempDir,
}

/// TrailBase with one setting of `synchronous`, with clients in tasks of a runtime.
pub struct TrailBase<'r> {
    name: &'static str,
    synchronous: u8,
    runtime: &'r Runtime,
    instance: Arc<Instance>,
}

/// A page of a list.
#[derive(Deserialize)]
struct Page {
    cursor: Option<String>,
    records: Vec<Record>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Record {
    updated_at: i64,
}

impl<'r> TrailBase<'r> {
    /// Fills a server with `count` products. A program can have one, which both settings share.
    pub fn both(runtime: &'r Runtime, count: usize) -> [Self; 2] {
        let folder = tempfile::tempdir().unwrap();
        let migrations = folder.path().join("migrations");
        fs::create_dir_all(&migrations).unwrap();
        let table = format!("CREATE TABLE products (id INTEGER PRIMARY KEY, {COLUMNS}) STRICT;");
        fs::write(migrations.join("U100__products.sql"), table + INDEXES).unwrap();
        fs::write(folder.path().join("config.textproto"), CONFIG).unwrap();
        let options = ServerOptions {
            data_dir: DataDir(folder.path().to_owned()),
            address: "127.0.0.1:4000".into(),
            ..ServerOptions::default()
        };
        let server = runtime.block_on(Server::init(options)).unwrap();
        let mut instance = Instance {
            router: server.main_router.1,
            state: server.state,
            cursors: Vec::new(),
            times: Vec::new(),
            _folder: folder,
        };
        runtime.block_on(instance.fill(count));
        let instance = Arc::new(instance);
        // 2 is FULL, and 1 NORMAL.
        let settings = [("TrailBase, synced", 2), ("TrailBase, as it comes", 1)];
        settings.map(|(name, synchronous)| Self {
            name,
            synchronous,
            runtime,
            instance: instance.clone(),
        })
    }
}

impl Instance {
    /// Makes the products, and reads the list once.
    async fn fill(&mut self, count: usize) {
        for start in (0..count).step_by(shop::BATCH) {
            let numbers = start..(start + shop::BATCH).min(count);
            let items: Vec<_> = numbers.map(|it| (it, shop::product(it, 100))).collect();
            self.answer(&Work::CreateMany(array(&items))).await;
        }
        let mut cursor = String::new();
        loop {
            let page = self.get(&format!("?limit=200{cursor}")).await;
            let page: Page = serde_json::from_slice(&page).unwrap();
            let times = page.records.iter().map(|record| record.updated_at);
            self.times.extend(times);
            if page.records.len() < 200 {
                break;
            }
            let next = page.cursor.unwrap();
            cursor = format!("&cursor={next}");
            self.cursors.push(next);
        }
        // The list begins with the last one.
        self.times.reverse();
    }

    async fn answer(&self, work: &Work) -> Vec<u8> {
        match work {
            Work::Create(body) | Work::CreateMany(body) => {
                self.send(Method::POST, "products", body.clone()).await
            }
            Work::UpdateMany(body) => self.send(Method::POST, "replaced", body.clone()).await,
            Work::Get(number) => self.get(&format!("/{}", number + 1)).await,
            Work::Page(number) => {
                let cursor = &self.cursors[number % (self.cursors.len() - 2)];
                self.get(&format!("?limit=200&cursor={cursor}")).await
            }
            Work::Delta(number) => {
                let time = self.times[*number];
                let query = format!("?limit=200&order=updatedAt&filter[updatedAt][$gte]={time}");
                self.get(&query).await
            }
        }
    }

    async fn get(&self, path: &str) -> Vec<u8> {
        let path = format!("products{path}");
        self.send(Method::GET, &path, Vec::new()).await
    }

    async fn send(&self, method: Method, path: &str, body: Vec<u8>) -> Vec<u8> {
        let request = Request::builder()
            .method(method)
            .uri(format!("/api/records/v1/{path}"))
            .header(header::CONTENT_TYPE, "application/json")
            .body(Body::from(body));
        let response = self.router.clone().oneshot(request.unwrap()).await.unwrap();
        let (status, body) = (response.status(), response.into_body());
        let body = to_bytes(body, usize::MAX).await.unwrap();
        let text = || String::from_utf8_lossy(&body);
        assert_eq!(status, StatusCode::OK, "{path}: {}", text());
        body.to_vec()
    }
}

/// A JSON array of products. A replaced product keeps its id, the number of its creation.
fn array(products: &[(usize, String)]) -> Vec<u8> {
    let item =
        |(number, item): &(usize, String)| format!(r#"{{"id":{},{}"#, number + 1, &item[1..]);
    let items: Vec<_> = products.iter().map(item).collect();
    format!("[{}]", items.join(",")).into_bytes()
}

impl Peer for TrailBase<'_> {
    fn name(&self) -> &'static str {
        self.name
    }

    fn body(&self, products: &[(usize, String)]) -> Vec<u8> {
        match products {
            [(_, product)] => product.clone().into_bytes(),
            _ => array(products),
        }
    }

    fn prepare(&self) {
        let (wanted, connection) = (self.synchronous, self.instance.state.conn());
        let found = self.runtime.block_on(async {
            let set = format!("PRAGMA synchronous = {wanted}");
            connection.execute(set, ()).await.unwrap();
            let found = connection.write_query_value::<u8>("PRAGMA synchronous", ());
            found.await.unwrap()
        });
        assert_eq!(found, Some(wanted), "the connection that writes took it");
    }

    fn run(&self, clients: Vec<Vec<Work>>) {
        let client = |requests: Vec<Work>| {
            let instance = self.instance.clone();
            self.runtime.spawn(async move {
                for work in requests {
                    work.check(&instance.answer(&work).await);
                }
            })
        };
        shop::finish(self.runtime, clients.into_iter().map(client).collect());
    }
}
