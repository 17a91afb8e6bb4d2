//! Readers get their pages, however many write meanwhile.

use std::sync::{
    Arc,
    atomic::{AtomicBool, Ordering},
};

use connect_core::{Connect, wire::query::SyncQuery};
use serde_json::{Value, json};

use super::{
    check::{Threads, on_each_backend},
    shop::{Call, Filters, Shop, Verb},
};

/// Products that all have one barcode and one category.
async fn fill(shop: &Shop, products: usize) {
    let item = |number: usize| {
        let id = format!("P{number}");
        json!({ "externalId": id, "name": "Bread", "barcode": "1", "categoryName": "Food" })
    };
    let items: Vec<Value> = (0..products).map(item).collect();
    let call = Call::new(Verb::WriteProducts, json!({ "items": items }));
    assert_eq!(shop.send(call).await.data()["created"], products);
}

/// Changes one product after the other until it is told to stop; how many it has changed.
async fn keep_writing(connect: Connect, shop: Arc<Shop>, stop: Arc<AtomicBool>) -> usize {
    let mut written = 0;
    while !stop.load(Ordering::SeqCst) {
        written += 1;
        let item = json!({ "externalId": format!("P{}", written % 20), "priceCents": written });
        let call = Call::new(Verb::WriteProducts, json!({ "items": [item] }));
        let reply = call.send(connect.clone(), shop.at.clone()).await;
        assert_eq!(reply.data()["failed"], 0);
        tokio::task::yield_now().await;
    }
    written
}

/// Reads lists that are put together of several rows.
async fn read(shop: &Shop, products: usize) {
    let sync = SyncQuery {
        limit: Some(200),
        include_deleted: true,
        ..SyncQuery::default()
    };
    let barcode = Filters {
        barcode: Some("1".into()),
        ..Filters::default()
    };
    for filters in [Filters::default(), barcode] {
        let (page, _) = shop.products_page(&filters, sync.clone()).await;
        assert_eq!(page.len(), products.min(200));
    }
    let one = Filters {
        external_id: Some("P7".into()),
        ..Filters::default()
    };
    assert_eq!(shop.products_page(&one, sync.clone()).await.0.len(), 1);
    assert_eq!(shop.categories_page(sync).await.0.len(), 1);
}

// Whoever only tried again would be outrun every time.
on_each_backend!(
    a_slow_reader_is_not_outrun_for_ever,
    Threads::One,
    1,
    1,
    proptest::prelude::Just(()),
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
    proptest::prelude::Just(()),
    |shop: Shop, ()| async move {
        fill(&shop, 400).await;
        let (shop, stop) = (Arc::new(shop), Arc::new(AtomicBool::new(false)));
        let writers: Vec<_> = [shop.connect.clone(), shop.connect.clone()]
            .map(|connect| tokio::spawn(keep_writing(connect, shop.clone(), stop.clone())))
            .into();
        let readers: Vec<_> = (0..3)
            .map(|_| {
                let shop = shop.clone();
                tokio::spawn(async move {
                    for _ in 0..4 {
                        read(&shop, 400).await;
                    }
                })
            })
            .collect();
        for reader in readers {
            reader.await.unwrap();
        }
        stop.store(true, Ordering::SeqCst);
        for writer in writers {
            assert!(writer.await.unwrap() > 0);
        }
    }
);
