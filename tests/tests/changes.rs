//! Following the changes of a location: `updatedSince`, cursors and tombstones.

use std::{
    collections::BTreeMap,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
};

use connect_tests::{http::Request, shop::Shop};
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

#[tokio::test]
async fn updated_since_is_inclusive_and_to_the_microsecond() {
    let shop = Shop::open().await;
    let mut made = Vec::new();
    for n in 0..3 {
        made.push(
            shop.make("categories", &json!({ "name": format!("C {n}") }))
                .await,
        );
    }
    let since = text(&made[1], "updatedAt");
    assert_eq!(
        shop.all("categories", &format!("updatedSince={since}"))
            .await,
        made[1..]
    );
    // Digits beyond microseconds are dropped, not rounded up.
    let finer = since.replace('Z', "999Z");
    assert_eq!(
        shop.all("categories", &format!("updatedSince={finer}"))
            .await,
        made[1..]
    );
    assert!(
        shop.all("categories", "updatedSince=2099-01-01T00:00:00Z")
            .await
            .is_empty()
    );
    assert_eq!(
        shop.all("categories", "updatedSince=0000-01-01T00:00:00Z")
            .await,
        made
    );
}

#[tokio::test]
async fn every_commit_of_a_location_is_later_than_the_one_before() {
    let shop = Shop::open().await;
    let mut last = String::new();
    // The clock stands still, goes back, and jumps.
    for (round, seconds) in [0, 0, -3600, 0, 7200, -1, 0].into_iter().enumerate() {
        shop.clock.advance(seconds);
        let made = shop
            .make("categories", &json!({ "name": format!("C {round}") }))
            .await;
        let updated = text(&made, "updatedAt");
        assert!(updated > last, "{updated} after {last}");
        last = updated;
    }
    let batch = json!({ "items": [{ "name": "Rye", "categoryName": "New" }, { "name": "Bun" }] });
    shop.batch(&batch).await;
    let products = shop.all("products", "").await;
    assert_eq!(
        products[0]["updatedAt"], products[1]["updatedAt"],
        "a batch is one commit"
    );
    let new = shop.all("categories", "").await.pop().unwrap();
    assert_eq!(new["updatedAt"], products[0]["updatedAt"]);
    assert!(text(&new, "updatedAt") > last);
}

#[tokio::test]
async fn a_write_that_changes_nothing_is_no_change() {
    let shop = Shop::open().await;
    let category = shop
        .make("categories", &json!({ "name": "Bread", "position": 3 }))
        .await;
    let path = format!("categories/{}", text(&category, "id"));
    for same in [
        json!({}),
        json!({ "name": " Bread " }),
        json!({ "position": 3.0 }),
        category.clone(),
    ] {
        assert_eq!(
            shop.patch(&path, &same).await.expect(200).data(),
            category,
            "{same}"
        );
    }
}

#[tokio::test]
async fn a_deleted_record_leaves_a_tombstone_in_its_place() {
    let shop = Shop::open().await;
    for list in ["categories", "products"] {
        let first = shop.make(list, &json!({ "name": "First" })).await;
        let second = shop.make(list, &json!({ "name": "Second" })).await;
        let path = format!("{list}/{}", text(&first, "id"));
        shop.delete(&path).await.expect(204);
        shop.get(&path).await.fails(404, "not_found");
        shop.delete(&path).await.fails(404, "not_found");
        assert_eq!(shop.all(list, "").await, std::slice::from_ref(&second));

        let third = shop.make(list, &json!({ "name": "Third" })).await;
        let all = shop.all(list, "includeDeleted=true").await;
        assert_eq!(all.len(), 3);
        assert_eq!((&all[0], &all[2]), (&second, &third));
        assert_eq!(
            (&all[1]["id"], &all[1]["deleted"]),
            (&first["id"], &json!(true))
        );
        // The same through pages of one, and from its own time on.
        assert_eq!(shop.all(list, "includeDeleted=true&limit=1").await, all);
        let since = text(&all[1], "updatedAt");
        let later = shop
            .all(list, &format!("includeDeleted=true&updatedSince={since}"))
            .await;
        assert_eq!(later, all[1..]);
    }
}

#[tokio::test]
async fn a_tombstone_is_kept_for_90_days() {
    let shop = Shop::open().await;
    let made = shop.make("products", &json!({ "name": "Rye" })).await;
    shop.delete(&format!("products/{}", text(&made, "id")))
        .await
        .expect(204);
    let day = 24 * 3600;
    shop.clock.advance(90 * day - 1);
    shop.connect.maintain().await.unwrap();
    assert_eq!(shop.all("products", "includeDeleted=true").await.len(), 1);
    shop.clock.advance(2);
    shop.connect.maintain().await.unwrap();
    assert!(shop.all("products", "includeDeleted=true").await.is_empty());
}

#[tokio::test]
async fn deletions_from_before_90_days_cannot_be_asked_for() {
    let shop = Shop::open().await;
    // 90 days before 2026-11-20T10:00:00Z.
    let edge = "updatedSince=2026-08-22T10:00:00Z";
    shop.get(&format!("products?includeDeleted=true&{edge}"))
        .await
        .expect(200);
    shop.clock.advance(1);
    let answer = shop
        .get(&format!("products?includeDeleted=true&{edge}"))
        .await;
    let (_, _, message) = answer.fails(400, "validation_failed").failure();
    assert!(message.starts_with("updatedSince"), "{message}");
    // Without deletions there is no such limit, nor without a start.
    shop.get(&format!("products?{edge}")).await.expect(200);
    shop.get("products?includeDeleted=true").await.expect(200);
}

#[tokio::test]
async fn the_products_of_a_deleted_category_move_in_one_commit() {
    let shop = Shop::open().await;
    let category = shop.make("categories", &json!({ "name": "Bread" })).await;
    let id = text(&category, "id");
    for n in 0..3 {
        shop.make(
            "products",
            &json!({ "name": format!("P {n}"), "categoryId": id }),
        )
        .await;
    }
    let other = shop.make("products", &json!({ "name": "Other" })).await;
    shop.delete(&format!("categories/{id}")).await.expect(204);
    let since = text(&other, "updatedAt");
    let moved = shop.all("products", &format!("updatedSince={since}")).await;
    assert_eq!(moved.len(), 4);
    let tombstone = shop
        .all("categories", "includeDeleted=true")
        .await
        .pop()
        .unwrap();
    for product in &moved[1..] {
        assert_eq!(product["categoryId"], Value::Null);
        assert_eq!(product["updatedAt"], tombstone["updatedAt"]);
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

#[tokio::test]
async fn a_change_at_one_location_is_none_at_the_other() {
    let shop = Shop::open().await;
    shop.make("products", &json!({ "name": "Rye" })).await;
    let there = format!("/v1/locations/{}/products?includeDeleted=true", shop.there);
    assert!(shop.send(Request::get(there)).await.list().is_empty());
}
