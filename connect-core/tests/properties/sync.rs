//! A client that only asks for what changed ends with exactly what is there, however many write
//! meanwhile.

use std::{
    collections::{BTreeMap, HashMap},
    sync::{
        Arc, Mutex,
        atomic::{AtomicUsize, Ordering},
    },
};

use connect_core::wire::query::SyncQuery;
use proptest::collection::vec;
use serde_json::Value;

use super::{
    check::{Threads, on_each_backend},
    input::{Write, writes},
    shop::{Filters, Shop, events},
    writers::{Known, Writer},
};

on_each_backend!(
    a_poller_ends_with_what_is_there,
    Threads::Many,
    24,
    4,
    vec(vec(writes(), 1..14), 2..6),
    |mut shop: Shop, writers: Vec<Vec<Write>>| async move {
        shop.slow_down();
        let shop = Arc::new(shop);
        let busy = Arc::new(AtomicUsize::new(writers.len()));
        let known = Arc::new(Mutex::new(Known::default()));
        let mut tasks = Vec::new();
        for (number, writes) in writers.into_iter().enumerate() {
            let writer = Writer::new(&shop, known.clone(), number);
            let busy = busy.clone();
            tasks.push(tokio::spawn(async move {
                let outcome = tokio::spawn(writer.write(writes)).await;
                busy.fetch_sub(1, Ordering::SeqCst);
                outcome.unwrap();
            }));
        }
        let mut pollers = Vec::new();
        for (limit, of_products) in [(1, true), (3, true), (200, true), (2, false), (200, false)] {
            let (shop, busy) = (shop.clone(), busy.clone());
            pollers.push(tokio::spawn(async move {
                let (copy, since) = (BTreeMap::new(), None);
                let mut poller = Poller {
                    shop,
                    limit,
                    of_products,
                    copy,
                    since,
                };
                loop {
                    // Asked before the poll: whatever was written is there by then.
                    let is_last = busy.load(Ordering::SeqCst) == 0;
                    poller.poll().await;
                    if is_last {
                        return (of_products, poller.copy);
                    }
                    tokio::task::yield_now().await;
                }
            }));
        }
        for task in tasks {
            task.await.unwrap();
        }
        let products = by_id(shop.products(&Filters::default(), false, 200).await);
        let categories = by_id(shop.categories(false, 200).await);
        for poller in pollers {
            let (of_products, copy) = poller.await.unwrap();
            assert_eq!(
                copy,
                if of_products {
                    products.clone()
                } else {
                    categories.clone()
                }
            );
        }
        check_news(&shop, &products, &categories).await;
    }
);

/// A client with a copy of a list.
struct Poller {
    shop: Arc<Shop>,
    limit: usize,
    of_products: bool,
    copy: BTreeMap<String, Value>,
    since: Option<String>,
}

impl Poller {
    /// Asks for what changed since the latest change it knows of, page by page.
    async fn poll(&mut self) {
        let updated_since = self.since.as_ref().map(|since| since.parse().unwrap());
        let mut sync = SyncQuery {
            limit: Some(self.limit),
            cursor: None,
            updated_since,
            include_deleted: true,
        };
        let mut last = None;
        loop {
            let (records, next) = match self.of_products {
                true => {
                    self.shop
                        .products_page(&Filters::default(), sync.clone())
                        .await
                }
                false => self.shop.categories_page(sync.clone()).await,
            };
            for record in records {
                let text = |field: &str| record[field].as_str().unwrap().to_owned();
                let (time, id) = (text("updatedAt"), text("id"));
                let place = Some((time.clone(), id.clone()));
                assert!(last < place, "{place:?} listed after {last:?}");
                last = place;
                self.since = self.since.take().max(Some(time));
                match record["deleted"] == true {
                    true => drop(self.copy.remove(&id)),
                    false => drop(self.copy.insert(id, record)),
                }
            }
            if next.is_none() {
                return;
            }
            sync.cursor = next;
        }
    }
}

fn by_id(records: Vec<Value>) -> BTreeMap<String, Value> {
    records
        .into_iter()
        .map(|record| (record["id"].as_str().unwrap().to_owned(), record))
        .collect()
}

/// The last event about a record tells of its last change. That of a batch or of a deleted
/// category only names the products.
async fn check_news(
    shop: &Shop,
    products: &BTreeMap<String, Value>,
    categories: &BTreeMap<String, Value>,
) {
    let mut last = HashMap::new();
    for (index, event) in events(shop).await.into_iter().enumerate() {
        assert_eq!(event.sequence, Some(index as u64 + 1));
        match event.data["ids"].as_array() {
            Some(ids) => last.extend(ids.iter().map(|id| (id.clone(), (event.created_at, None)))),
            None => {
                let id = event.data["id"].clone();
                last.insert(id, (event.created_at, Some(event.data)));
            }
        }
    }
    let live = products.values().chain(categories.values());
    let live: HashMap<Value, &Value> = live.map(|record| (record["id"].clone(), record)).collect();
    assert!(
        live.keys().all(|id| last.contains_key(id)),
        "a record that no event tells of"
    );
    for (id, (time, news)) in last {
        match (live.get(&id), news) {
            (Some(record), Some(mut news)) => {
                assert_eq!(news["deleted"], false);
                news.as_object_mut().unwrap().remove("deleted");
                assert_eq!(**record, news);
            }
            (Some(record), None) => assert_eq!(record["updatedAt"], time.to_string()),
            (None, news) => assert_eq!(news.unwrap()["deleted"], true),
        }
    }
}
