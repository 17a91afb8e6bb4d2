//! What runs in the process that is killed: four lanes of writes, and a reader.

use std::{
    sync::{
        Arc,
        atomic::{AtomicI64, Ordering},
    },
    time::Duration,
};

use connect_core::{
    Access, Answer, Connect,
    wire::{
        Category, Entry, Id, Page, Product,
        query::{CategoryQuery, ProductQuery, SyncQuery},
    },
};

use super::{
    notes::{Note, Notes},
    op::{BATCH, FILLED, Op, SEGMENTS, shown},
};

/// One of the tasks of the process.
#[derive(Clone)]
pub(super) struct Worker {
    pub(super) connect: Connect,
    pub(super) at: Access,
    pub(super) notes: Notes,
    /// The last version that was given out.
    versions: Arc<AtomicI64>,
}

impl Worker {
    /// The versions of a later run are larger.
    pub(super) fn new(connect: Connect, at: Access, notes: Notes, run: u32) -> Self {
        Self {
            connect,
            at,
            notes,
            versions: Arc::new(AtomicI64::new(i64::from(run) * 10_000)),
        }
    }

    /// Works until the process is killed.
    pub(super) async fn work(self) {
        let tasks = [
            tokio::spawn(self.clone().write_singly("S")),
            tokio::spawn(self.clone().write_singly("T")),
            tokio::spawn(self.clone().write_batches()),
            tokio::spawn(self.clone().delete_categories()),
            tokio::spawn(self.read()),
        ];
        let (first, ..) = futures_util::future::select_all(tasks).await;
        first.unwrap();
    }

    fn version(&self) -> i64 {
        self.versions.fetch_add(1, Ordering::SeqCst) + 1
    }

    /// Does a write, and notes it before and after.
    async fn send(&self, op: Op) -> Answer {
        self.notes.write(&Note::Sent(op.clone()));
        let answer = op.send(&self.connect, &self.at).await.unwrap();
        self.notes.write(&Note::Done(op));
        answer
    }

    async fn write_singly(self, lane: &str) {
        loop {
            let version = self.version();
            let name = format!("{lane}-{version}");
            let create = Op::Create {
                name: name.clone(),
                version,
            };
            let made: Product = self.send(create).await.decode().unwrap();
            self.notes.write(&Note::Shown(vec![shown(&made)]));
            for _ in 0..6 {
                let update = Op::Update {
                    id: made.id,
                    name: name.clone(),
                    version: self.version(),
                };
                let changed: Product = self.send(update).await.decode().unwrap();
                self.notes.write(&Note::Shown(vec![shown(&changed)]));
            }
        }
    }

    async fn write_batches(self) {
        loop {
            let version = self.version();
            self.send(Op::Batch { version }).await;
        }
    }

    /// Fills a category and deletes it; goes on where the process before was killed.
    async fn delete_categories(self) {
        loop {
            let category = match self.filled_category().await {
                Some(id) => id,
                None => {
                    let version = self.version();
                    let made = self.send(Op::CreateCategory { version }).await;
                    made.decode::<Category>().unwrap().id
                }
            };
            for segment in 0..SEGMENTS {
                if !self.is_filled(category, segment).await {
                    let version = self.version();
                    self.send(Op::Fill {
                        category,
                        segment,
                        version,
                    })
                    .await;
                }
            }
            self.send(Op::DeleteCategory { id: category }).await;
        }
    }

    async fn filled_category(&self) -> Option<Id<Category>> {
        let all = CategoryQuery::default();
        let categories = self.connect.location(&self.at).categories();
        let mut categories = categories.list(&all).await.unwrap().data.into_iter();
        let found = categories.find(|category| category.name.starts_with(FILLED));
        found.map(|category| category.id)
    }

    async fn is_filled(&self, category: Id<Category>, segment: usize) -> bool {
        let query = ProductQuery {
            external_id: Some(format!("D-{}", segment * BATCH)),
            category_id: Some(category),
            ..ProductQuery::default()
        };
        let products = self.connect.location(&self.at).products();
        !products.list(&query).await.unwrap().data.is_empty()
    }

    /// Follows the changes, and notes every product that it is shown.
    async fn read(self) {
        let mut sync = SyncQuery {
            limit: Some(200),
            include_deleted: true,
            ..SyncQuery::default()
        };
        let mut since = None;
        loop {
            let query = ProductQuery {
                sync: sync.clone(),
                ..ProductQuery::default()
            };
            let page = self
                .connect
                .location(&self.at)
                .json::<Product>()
                .list(&query)
                .await
                .unwrap();
            let page: Page<Entry<Product>> = serde_json::from_slice(&page.into_bytes()).unwrap();
            let products = page.data.iter().filter_map(|entry| match entry {
                Entry::Live(product) => Some(shown(product)),
                Entry::Deleted(_) => None,
            });
            let products: Vec<_> = products.collect();
            since = products.last().map(|(_, _, time)| *time).or(since);
            self.notes.write(&Note::Shown(products));
            sync.cursor = page.next_cursor;
            if sync.cursor.is_none() {
                sync.updated_since = since;
                // Writers get on too.
                tokio::time::sleep(Duration::from_millis(2)).await;
            }
        }
    }
}
