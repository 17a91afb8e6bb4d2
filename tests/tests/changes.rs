//! Following the changes of a location while many write. `stories/lists.txt` has the rules.

use std::{
    collections::BTreeMap,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
};

use connect_tests::shop::Shop;
use serde_json::{Value, json};

fn text(record: &Value, key: &str) -> String {
    record[key].as_str().unwrap_or_default().to_owned()
}

/// A copy of a list, kept up to date as the document recommends.
#[derive(Default)]
struct Copy {
    records: BTreeMap<String, Value>,
    since: Option<String>,
}

impl Copy {
    /// Reads what changed since the last time; how many entries there were.
    async fn poll(&mut self, shop: &Shop, list: &str, limit: usize) -> usize {
        let since = self
            .since
            .clone()
            .map(|s| format!("&updatedSince={s}"))
            .unwrap_or_default();
        let entries = shop
            .all(list, &format!("includeDeleted=true&limit={limit}{since}"))
            .await;
        for entry in &entries {
            let (id, updated) = (text(entry, "id"), text(entry, "updatedAt"));
            if entry["deleted"] == true {
                self.records.remove(&id);
            } else {
                self.records.insert(id, entry.clone());
            }
            self.since = self.since.take().max(Some(updated));
        }
        entries.len()
    }

    async fn is_like(&self, shop: &Shop, list: &str) {
        let live = shop.all(list, "limit=200").await;
        let live: BTreeMap<String, Value> = live
            .into_iter()
            .map(|record| (text(&record, "id"), record))
            .collect();
        assert_eq!(self.records, live);
    }
}

/// Writers that create, change and delete, one by one and in batches, while copies are kept.
#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn a_copy_ends_as_the_shop_does_however_many_write() {
    let shop = Arc::new(Shop::open().await);
    let is_over = Arc::new(AtomicBool::new(false));
    let writers = (0..6).map(|writer| {
        let shop = shop.clone();
        tokio::spawn(async move {
            let mut own: Vec<String> = Vec::new();
            for round in 0..25 {
                let name = format!("W{writer}-{round}");
                match round % 5 {
                    0 | 3 => own.push(text(
                        &shop.make("products", &json!({ "name": name })).await,
                        "id",
                    )),
                    1 => {
                        let one = format!("products/{}", own[round % own.len()]);
                        shop.patch(&one, &json!({ "priceCents": round }))
                            .await
                            .expect(200);
                    }
                    2 => {
                        let items: Vec<_> = (0..20)
                            .map(|n| json!({ "name": name, "externalId": format!("{writer}-{n}") }))
                            .collect();
                        shop.batch(&json!({ "items": items })).await;
                    }
                    _ => {
                        let one = own.swap_remove(round % own.len());
                        shop.delete(&format!("products/{one}")).await.expect(204);
                    }
                }
            }
        })
    });
    let writers: Vec<_> = writers.collect();
    let copies = [1, 7, 50].map(|limit| {
        let (shop, is_over) = (shop.clone(), is_over.clone());
        tokio::spawn(async move {
            let mut copy = Copy::default();
            loop {
                // Asked before the poll: what is written after the last answer is not awaited.
                let last = is_over.load(Ordering::SeqCst);
                copy.poll(&shop, "products", limit).await;
                if last {
                    return copy;
                }
            }
        })
    });
    for writer in writers {
        writer.await.unwrap();
    }
    is_over.store(true, Ordering::SeqCst);
    for copy in copies {
        let mut copy = copy.await.unwrap();
        copy.is_like(&shop, "products").await;
        // Nothing new: only what has exactly the time of the last change comes again.
        let again = copy.poll(&shop, "products", 200).await;
        assert!(again <= 20, "{again} entries without a change");
    }
}

/// A record that changes while somebody pages moves to the end: it may be seen twice, but what
/// does not change is never missed.
#[tokio::test]
async fn nothing_is_missed_while_records_change() {
    let shop = Shop::open().await;
    let items: Vec<_> = (0..12).map(|n| json!({ "name": n.to_string() })).collect();
    shop.batch(&json!({ "items": items })).await;
    let whole = shop.all("products", "limit=200").await;
    let mut seen = Vec::new();
    let mut query = "products?limit=3".to_owned();
    for round in 0.. {
        let page = shop.get(&query).await;
        seen.extend(page.list().iter().map(|it| text(it, "id")));
        let Some(cursor) = page.next_cursor() else {
            break;
        };
        query = format!("products?limit=3&cursor={cursor}");
        if round < 3 {
            // One that was seen and one that was not.
            for at in [round, 11 - round] {
                let one = format!("products/{}", text(&whole[at], "id"));
                shop.patch(&one, &json!({ "priceCents": 100 + round }))
                    .await
                    .expect(200);
            }
        }
    }
    for product in &whole {
        assert!(seen.contains(&text(product, "id")), "{product} was missed");
    }
}
