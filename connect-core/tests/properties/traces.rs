//! When everything is deleted and forgotten, no row is left over: no index entry, no image job,
//! no stored answer that nobody finds any more.

use std::collections::BTreeSet;

use serde_json::{Value, json};

use super::{
    check::{Threads, on_each_backend},
    input::{Burst, bursts},
    session::Session,
    shop::{Call, Shop, Verb},
};

/// Longer than anything is remembered, and than the clocks of these tests go back.
const LONG: i64 = 400 * 24 * 3600;

on_each_backend!(
    what_is_deleted_and_forgotten_leaves_no_row,
    Threads::One,
    60,
    3,
    bursts(8),
    |shop: Shop, mut bursts: Vec<Burst>| async move {
        // Nothing is purged while the machine's clock is hours off.
        for burst in &mut bursts {
            burst.clock = burst.clock.max(-5);
        }
        // The location's clock stays for good.
        let first = Call::new(Verb::CreateCategory, json!({ "name": "First" }));
        shop.send(first).await.data();
        empty(&shop).await;
        let before = keys(&shop).await;
        let mut session = Session::new(Shop::open(shop.on).await, 200);
        session.play(&bursts).await;
        let shop = session.shop;
        let keyed = shop.rows().await.len();
        empty(&shop).await;
        let after = keys(&shop).await;
        assert!(
            after.len() <= before.len().min(keyed),
            "left over of {keyed}: {after:?}"
        );
    }
);

/// Deletes every record and lets everything about it be forgotten.
async fn empty(shop: &Shop) {
    let id = |record: &Value| record["id"].as_str().unwrap().parse().unwrap();
    for category in shop.categories(false, 200).await {
        let reply = shop
            .send(Call::new(Verb::DeleteCategory(id(&category)), Value::Null))
            .await;
        assert_eq!(reply.status, 204);
    }
    for product in shop.products(&Default::default(), false, 200).await {
        let reply = shop
            .send(Call::new(Verb::DeleteProduct(id(&product)), Value::Null))
            .await;
        assert_eq!(reply.status, 204);
    }
    shop.clock.advance(LONG);
    shop.connect.maintain().await.unwrap();
}

async fn keys(shop: &Shop) -> BTreeSet<Box<[u8]>> {
    shop.rows().await.into_iter().map(|(key, _)| key).collect()
}
