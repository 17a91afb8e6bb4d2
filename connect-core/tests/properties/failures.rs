//! What fails leaves nothing behind.

use proptest::prelude::*;
use serde_json::{Value, json};

use super::{
    check::{Threads, on_each_backend},
    input::{Shape, Write, batch, bursts_without_keys, writes},
    session::Session,
    shop::{Call, Filters, Shop, Verb, content, events},
};

on_each_backend!(
    a_failed_write_changes_no_row,
    Threads::One,
    50,
    3,
    (
        bursts_without_keys(4),
        proptest::collection::vec(writes(), 1..12)
    ),
    |shop, (before, writes)| async move {
        let mut session = Session::new(shop, 200);
        session.play(&before).await;
        for write in &writes {
            let call = session.resolve(write);
            let rows = session.shop.rows().await;
            let reply = session.send(vec![call]).await.remove(0);
            let data = &reply.body["data"];
            let is_failed = reply.status >= 300
                || data["results"].is_array() && data["created"] == 0 && data["updated"] == 0;
            if is_failed {
                assert_eq!(session.shop.rows().await, rows, "{reply:?} left something");
            }
        }
    }
);

on_each_backend!(
    a_batch_leaves_what_its_good_items_alone_would_have_left,
    Threads::One,
    60,
    3,
    (
        bursts_without_keys(3),
        batch(10).prop_map(|shape| Write { shape, key: None })
    ),
    |shop, (before, batch): (_, Write)| async move {
        let other = Shop::open(shop.on).await;
        let (mut one, mut other) = (Session::new(shop, 200), Session::new(other, 200));
        one.play(&before).await;
        other.play(&before).await;
        assert!(matches!(batch.shape, Shape::Batch { .. }));
        let mut call = one.resolve(&batch);
        call.body.as_object_mut().unwrap().remove("dryRun");
        let reply = one.shop.send(call.clone()).await;
        let results = reply.data()["results"].as_array().unwrap();
        let items = call.body["items"].as_array().unwrap().iter();
        let saved = items
            .zip(results)
            .filter(|(_, result)| result["status"] != "failed");
        let good: Vec<Value> = saved.map(|(item, _)| item.clone()).collect();
        if !good.is_empty() {
            call.body["items"] = json!(good);
            let reply = other.shop.send(call).await;
            assert_eq!(reply.data()["failed"], 0, "{reply:?}");
        }
        assert_eq!(content(&one.shop).await, content(&other.shop).await);
        assert_eq!(one.shop.rows().await.len(), other.shop.rows().await.len());
        let (one, other) = (events(&one.shop).await, events(&other.shop).await);
        let told = |events: &[connect_core::wire::Event<Value>]| -> Vec<_> {
            let counts = |data: &Value| (data["created"].clone(), data["updated"].clone());
            events
                .iter()
                .map(|event| (event.kind.clone(), counts(&event.data)))
                .collect()
        };
        assert_eq!(told(&one), told(&other));
    }
);

on_each_backend!(
    a_failed_item_makes_no_category_and_takes_no_external_id,
    Threads::One,
    1,
    1,
    Just(()),
    |shop: Shop, ()| async move {
        let rows = shop.rows().await.len();
        let taken = json!({ "externalId": "B", "name": "Bread" });
        let reply = shop.send(Call::new(Verb::CreateProduct, taken)).await;
        let id = reply.data()["id"].clone();
        let rows_with_bread = shop.rows().await;
        let items = json!({ "matchBy": "id", "items": [
            { "name": "Tea", "externalId": "B", "barcode": "1", "categoryName": "Ghosts" },
            { "externalId": "Z", "categoryName": "Ghosts" },
            { "name": "Tea", "externalId": "Z", "categoryName": "Ghosts",
              "availableFrom": "2026-06-01", "availableUntil": "2026-03-01" },
            { "id": id, "externalId": "Z", "categoryName": "Ghosts", "optionGroupIds": [id] },
        ] });
        let reply = shop.send(Call::new(Verb::WriteProducts, items)).await;
        assert_eq!(reply.data()["failed"], 4, "{reply:?}");
        assert_eq!(shop.rows().await, rows_with_bread);
        assert!(rows < rows_with_bread.len());
        assert!(shop.categories(true, 200).await.is_empty());
        let barcode = Filters {
            barcode: Some("1".into()),
            ..Filters::default()
        };
        assert!(shop.products(&barcode, true, 200).await.is_empty());
        let free = json!({ "externalId": "Z", "name": "Tea" });
        assert_eq!(
            shop.send(Call::new(Verb::CreateProduct, free)).await.status,
            201
        );
        assert_eq!(events(&shop).await.len(), 2);
    }
);
