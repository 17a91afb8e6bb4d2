//! A client that only asks for what changed ends with exactly what is there, however many write
//! meanwhile, and the events tell one history.

use std::{
    collections::{BTreeMap, HashMap},
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
};

use connect_core::{Connect, environment::ManualClock};
use proptest::{collection::vec, prelude::*};
use serde_json::{Value, json};

use super::{
    check::{Threads, on_each_backend},
    input::{Mix, Write, writes},
    model::{Kind, Names},
    session::{Call, UNKNOWN, resolved},
    shop::{Filters, START, Shop, events},
};
use crate::calls::Reply;

/// Writes, each with the time by the writer's clock in microseconds: again and again the same, a
/// little on, far ahead, and back.
fn timed_writes() -> impl Strategy<Value = Vec<(Write, i64)>> {
    let mix = Mix {
        groups: 6,
        stock: 6,
        linked: 20,
        keys: 0.0,
        ..Mix::CATALOG
    };
    let micros =
        prop_oneof![3 => Just(0), 3 => -3_i64..=3, 1 => -1_000_000_000_i64..=1_000_000_000];
    vec((writes(mix), micros), 1..14)
}

on_each_backend!(
    a_poller_ends_with_what_is_there,
    Threads::Many,
    24,
    4,
    vec(timed_writes(), 2..6),
    |mut shop: Shop, writers: Vec<Vec<(Write, i64)>>| async move {
        shop.slow_down();
        let shop = Arc::new(shop);
        let busy = Arc::new(AtomicUsize::new(writers.len()));
        let mut tasks = Vec::new();
        for (number, writes) in writers.into_iter().enumerate() {
            // Every other writer is in a process of its own.
            let clock = ManualClock::at(START);
            let (clock, connect) = match number % 2 {
                0 => (shop.clock.clone(), shop.connect.clone()),
                _ => (clock.clone(), shop.beside(clock)),
            };
            let (shop, busy) = (shop.clone(), busy.clone());
            tasks.push(tokio::spawn(async move {
                let outcome = tokio::spawn(keep_writing(shop, connect, clock, writes)).await;
                busy.fetch_sub(1, Ordering::SeqCst);
                outcome.unwrap()
            }));
        }
        let mut pollers = Vec::new();
        let kinds = Kind::SYNCED.into_iter().zip([2, 1, 3, 5]);
        for (kind, limit) in kinds.chain([(Kind::Product, 200), (Kind::Category, 200)]) {
            let (shop, busy) = (shop.clone(), busy.clone());
            pollers.push(tokio::spawn(async move {
                let (mut copy, mut since) = (BTreeMap::new(), None);
                loop {
                    // Asked before the poll: whatever was written is there by then.
                    let is_last = busy.load(Ordering::SeqCst) == 0;
                    poll(&shop, kind, limit, &mut copy, &mut since).await;
                    if is_last {
                        return (kind, copy);
                    }
                    tokio::task::yield_now().await;
                }
            }));
        }
        let mut changes = 0;
        for task in tasks {
            changes += task.await.unwrap();
        }
        let mut whole = HashMap::new();
        for poller in pollers {
            let (kind, copy) = poller.await.unwrap();
            let mut there = shop.list(kind, &Filters::default(), 200).await;
            there.retain(|record| record["deleted"] != true);
            let there: BTreeMap<_, _> = there.into_iter().map(|it| (id_of(&it), it)).collect();
            assert_eq!(copy, there);
            if kind != Kind::Level {
                whole.extend(there);
            }
        }
        check_news(&shop, &whole, changes).await;
    }
);

/// Sends writes one after another, about the records that there are by then. Returns how many have
/// surely changed something.
async fn keep_writing(
    shop: Arc<Shop>,
    connect: Connect,
    clock: Arc<ManualClock>,
    writes: Vec<(Write, i64)>,
) -> usize {
    let mut changes = 0;
    let all = Filters {
        deleted: true,
        ..Filters::default()
    };
    for (write, micros) in writes {
        let mut known = BTreeMap::new();
        for (name, kind) in [
            ("category", Kind::Category),
            ("product", Kind::Product),
            ("group", Kind::Group),
        ] {
            known.insert(name, shop.list(kind, &all, 50).await);
        }
        let find = |kind: &str, which: &str, number: usize, _: &Value| {
            let records = known.get(kind).into_iter().flatten();
            let is_meant = |record: &&Value| (record["deleted"] == true) == (which == "gone");
            let records: Vec<&Value> = records.filter(is_meant).collect();
            let found = records.get(number % records.len().max(1));
            found.map_or(json!(UNKNOWN), |record| record["id"].clone())
        };
        let resolved = |value: &Value| resolved(value, &Value::Null, &find);
        let of = write
            .of
            .iter()
            .map(|id| resolved(id).as_str().unwrap().to_owned())
            .collect();
        let call = Call {
            of,
            ..Call::new(write.deed, resolved(&write.body))
        };
        clock.set(START.plus_micros(micros));
        let call = call.to_send(&Names::default());
        let reply = Reply::from(call.answer(connect.clone(), shop.at.clone()).await);
        changes += usize::from([201, 204].contains(&reply.status));
        // A filtered list has nothing else in it, whatever moves.
        let barcode = Filters {
            barcode: Some("111".to_owned()),
            ..Filters::default()
        };
        let found = shop.list(Kind::Product, &barcode, 2).await;
        assert!(found.iter().all(|product| product["barcode"] == "111"));
    }
    changes
}

/// Asks for what changed since the latest change that the copy knows of, page by page.
async fn poll(
    shop: &Shop,
    kind: Kind,
    limit: usize,
    copy: &mut BTreeMap<String, Value>,
    since: &mut Option<String>,
) {
    let updated_since = since.as_ref().map(|since| since.parse().unwrap());
    let changed = Filters {
        since: updated_since,
        deleted: true,
        ..Filters::default()
    };
    for record in shop.list(kind, &changed, limit).await {
        let time = record["updatedAt"].as_str().unwrap().to_owned();
        *since = since.take().max(Some(time));
        match record["deleted"] == true {
            true => drop(copy.remove(&id_of(&record))),
            false => drop(copy.insert(id_of(&record), record)),
        }
    }
}

fn id_of(record: &Value) -> String {
    let id = record.get("productId").unwrap_or(&record["id"]);
    id.as_str().unwrap().to_owned()
}

/// The last event about a record tells of its last change. That of many, and of stock, only names
/// the products.
async fn check_news(shop: &Shop, live: &HashMap<String, Value>, changes: usize) {
    let (mut last, mut time, mut times) = (HashMap::new(), None, 0);
    for (index, event) in events(shop).await.into_iter().enumerate() {
        assert_eq!(event.sequence, Some(index as u64 + 1));
        assert!(
            time <= Some(event.created_at),
            "{event:?} is earlier than one before"
        );
        // Each write has a time of its own.
        times += usize::from(time != Some(event.created_at));
        time = Some(event.created_at);
        let items = event.data["items"].as_array().into_iter().flatten();
        let named: Vec<String> = match event.data["ids"].as_array() {
            Some(ids) => ids
                .iter()
                .map(|id| id.as_str().unwrap().to_owned())
                .collect(),
            None => items.map(id_of).collect(),
        };
        let is_record = named.is_empty() && event.data.get("productId").is_none();
        match named.is_empty() {
            true => {
                let data = is_record.then(|| event.data.clone());
                last.insert(id_of(&event.data), (event.created_at, data));
            }
            false => last.extend(named.into_iter().map(|id| (id, (event.created_at, None)))),
        }
    }
    assert!(times >= changes, "{changes} writes have {times} times");
    assert!(
        live.keys().all(|id| last.contains_key(id)),
        "a record that no event tells of"
    );
    for (id, (time, news)) in last {
        match (live.get(&id), news) {
            (Some(record), Some(mut news)) => {
                let news = news.as_object_mut().unwrap();
                assert_eq!(news.remove("deleted"), Some(json!(false)));
                assert_eq!(record.as_object(), Some(&*news));
            }
            (Some(record), None) => assert_eq!(record["updatedAt"], time.to_string()),
            (None, news) => assert!(news.is_some_and(|news| news["deleted"] == true)),
        }
    }
}
