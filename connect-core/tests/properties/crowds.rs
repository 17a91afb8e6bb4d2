//! Many read, write and check at once: all are served.

use std::sync::{
    Arc,
    atomic::{AtomicBool, Ordering},
};

use connect_core::Connect;
use proptest::prelude::*;
use serde_json::{Value, json};

use super::{
    check::{Threads, on_each_backend},
    model::Kind,
    session::is_sound,
    shop::{Filters, Shop},
};
use crate::calls::{Call, Reply, Verb};

async fn send(connect: &Connect, shop: &Shop, verb: Verb, body: Value) -> Reply {
    let call = Call {
        verb,
        body,
        key: None,
    };
    Reply::from(call.answer(connect.clone(), shop.at.clone()).await)
}

/// Products with one barcode and one category.
async fn fill(shop: &Shop, products: usize) {
    let item = |number: usize| {
        let id = format!("P{number}");
        json!({ "externalId": id, "name": "Bread", "barcode": "1", "categoryName": "Food" })
    };
    let items: Vec<Value> = (0..products).map(item).collect();
    let reply = send(
        &shop.connect,
        shop,
        Verb::WriteProducts,
        json!({ "items": items }),
    )
    .await;
    assert_eq!(reply.data()["created"], products);
}

/// Changes one product after the other until it is told to stop; how many it has changed.
async fn keep_writing(connect: Connect, shop: Arc<Shop>, stop: Arc<AtomicBool>) -> usize {
    let mut written = 0;
    while !stop.load(Ordering::SeqCst) {
        written += 1;
        let item = json!({ "externalId": format!("P{}", written % 20), "priceCents": written });
        let reply = send(
            &connect,
            &shop,
            Verb::WriteProducts,
            json!({ "items": [item] }),
        )
        .await;
        assert_eq!(reply.data()["failed"], 0);
        tokio::task::yield_now().await;
    }
    written
}

/// Reads lists made of several rows.
async fn read(shop: &Shop, products: usize) {
    let all = Filters {
        deleted: true,
        ..Filters::default()
    };
    let barcode = Filters {
        barcode: Some("1".into()),
        ..all.clone()
    };
    let one = Filters {
        external_id: Some("P7".into()),
        ..all.clone()
    };
    for (kind, filters, found) in [
        (Kind::Product, &all, products.min(200)),
        (Kind::Product, &barcode, products.min(200)),
        (Kind::Product, &one, 1),
        (Kind::Category, &all, 1),
    ] {
        assert_eq!(shop.page(kind, filters, 200, None).await.0.len(), found);
    }
}

// Whoever only tried again would be outrun every time.
on_each_backend!(
    a_slow_reader_is_not_outrun_for_ever,
    Threads::One,
    1,
    1,
    Just(()),
    |mut shop: Shop, ()| async move {
        fill(&shop, 20).await;
        shop.slow_down();
        let (shop, stop) = (Arc::new(shop), Arc::new(AtomicBool::new(false)));
        let writer = keep_writing(shop.connect.clone(), shop.clone(), stop.clone());
        let writer = tokio::spawn(writer);
        read(&shop, 20).await;
        stop.store(true, Ordering::SeqCst);
        assert!(writer.await.unwrap() > 0);
    }
);

on_each_backend!(
    readers_and_writers_at_once_are_all_served,
    Threads::Many,
    2,
    1,
    Just(()),
    |shop: Shop, ()| async move {
        fill(&shop, 400).await;
        let (shop, stop) = (Arc::new(shop), Arc::new(AtomicBool::new(false)));
        let writers: Vec<_> = [shop.connect.clone(), shop.connect.clone()]
            .map(|connect| tokio::spawn(keep_writing(connect, shop.clone(), stop.clone())))
            .into();
        let reader = |shop: Arc<Shop>| async move {
            for _ in 0..4 {
                read(&shop, 400).await;
            }
        };
        let readers: Vec<_> = (0..3).map(|_| tokio::spawn(reader(shop.clone()))).collect();
        for reader in readers {
            reader.await.unwrap();
        }
        stop.store(true, Ordering::SeqCst);
        for writer in writers {
            assert!(writer.await.unwrap() > 0);
        }
    }
);

// Writers move index entries under the eyes of the check, and delete what it has just seen.
on_each_backend!(
    a_check_finds_nothing_while_others_write,
    Threads::Many,
    2,
    1,
    Just(()),
    |shop: Shop, ()| async move {
        let shop = Arc::new(shop);
        let stop = Arc::new(AtomicBool::new(false));
        let writer = tokio::spawn(keep_moving(shop.clone(), stop.clone()));
        for _ in 0..10 {
            let report = shop.connect.check(&mut |_| {}).await.unwrap();
            assert!(report.is_clean(), "{:#?}", report.problems);
        }
        stop.store(true, Ordering::SeqCst);
        writer.await.unwrap();
        is_sound(&shop).await;
    }
);

async fn keep_moving(shop: Arc<Shop>, stop: Arc<AtomicBool>) {
    let mut round = 0;
    while !stop.load(Ordering::SeqCst) {
        round += 1;
        let item = |number: usize| {
            json!({
                "externalId": format!("P{number}"),
                "name": format!("Bread {round}"),
                "barcode": format!("{}", (round + number) % 3),
                "categoryName": format!("Food {}", round % 2),
                "imageUrl": format!("https://images.example/{round}"),
            })
        };
        let items: Vec<_> = (0..60).map(item).collect();
        let items = json!({ "items": items });
        let reply = send(&shop.connect, &shop, Verb::WriteProducts, items).await;
        assert_eq!(reply.data()["failed"], 0);
        let first = reply.data()["results"][0]["id"].as_str().unwrap();
        let delete = Verb::DeleteProduct(first.parse().unwrap());
        assert_eq!(
            send(&shop.connect, &shop, delete, Value::Null).await.status,
            204
        );
    }
}
