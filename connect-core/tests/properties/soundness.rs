//! A check of the store finds nothing wrong after any writes, nor while they are made.

use std::sync::{
    Arc,
    atomic::{AtomicBool, Ordering},
};

use serde_json::json;

use super::{
    check::{Threads, on_each_backend},
    input::{Burst, bursts},
    session::Session,
    shop::{Call, Shop, Verb},
};

async fn is_sound(shop: &Shop) {
    let report = shop.connect.check(&mut |_| {}).await.unwrap();
    assert!(report.is_clean(), "{:#?}", report.problems);
    assert_eq!(report.rows as usize, shop.rows().await.len());
    let of_families: u64 = report.families.values().sum();
    assert_eq!(of_families, report.rows);
}

on_each_backend!(
    a_store_is_sound_after_any_writes,
    Threads::One,
    40,
    3,
    bursts(8),
    |shop: Shop, bursts: Vec<Burst>| async move {
        let mut session = Session::new(shop, 200);
        session.play(&bursts).await;
        is_sound(&session.shop).await;
        session.shop.clock.advance(40 * 24 * 3600);
        session.shop.connect.maintain().await.unwrap();
        is_sound(&session.shop).await;
    }
);

// Writers move index entries under the eyes of the check, and delete what it has just seen.
on_each_backend!(
    a_check_finds_nothing_while_others_write,
    Threads::Many,
    2,
    1,
    proptest::prelude::Just(()),
    |shop: Shop, ()| async move {
        let shop = Arc::new(shop);
        let stop = Arc::new(AtomicBool::new(false));
        let writer = tokio::spawn(keep_writing(shop.clone(), stop.clone()));
        for _ in 0..10 {
            let report = shop.connect.check(&mut |_| {}).await.unwrap();
            assert!(report.is_clean(), "{:#?}", report.problems);
        }
        stop.store(true, Ordering::SeqCst);
        writer.await.unwrap();
        is_sound(&shop).await;
    }
);

async fn keep_writing(shop: Arc<Shop>, stop: Arc<AtomicBool>) {
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
        let call = Call::new(Verb::WriteProducts, json!({ "items": items }));
        let reply = shop.send(call).await;
        assert_eq!(reply.data()["failed"], 0);
        let first = reply.data()["results"][0]["id"].as_str().unwrap();
        let delete = Call::new(Verb::DeleteProduct(first.parse().unwrap()), json!(null));
        assert_eq!(shop.send(delete).await.status, 204);
    }
}
