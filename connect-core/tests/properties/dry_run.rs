//! A dry run says what the real run will say, and leaves nothing.

use std::collections::BTreeMap;

use proptest::prelude::*;
use serde_json::{Value, json};

use super::{
    check::{Threads, on_each_backend},
    input::{Write, batch, bursts},
    session::Session,
    shop::{Call, Filters, Shop, Verb},
};

on_each_backend!(
    a_dry_run_is_the_real_run_without_traces,
    Threads::One,
    60,
    3,
    (
        bursts(4),
        batch(10).prop_map(|shape| Write {
            shape,
            key: Some("dry")
        })
    ),
    |shop, (before, batch)| async move {
        let mut session = Session::new(shop, 200);
        session.play(&before).await;
        let mut call = session.resolve(&batch);
        call.body["dryRun"] = json!(true);
        let products = session.shop.products(&Filters::default(), true, 200).await;
        let known: Vec<Value> = products
            .iter()
            .map(|product| product["id"].clone())
            .collect();
        let rows = session.shop.rows().await;
        let first = session.shop.send(call.clone()).await;
        let second = session.shop.send(call.clone()).await;
        assert_eq!(session.shop.rows().await, rows, "a dry run left something");

        call.body.as_object_mut().unwrap().remove("dryRun");
        let real = session.send(vec![call.clone()]).await.remove(0);
        assert!(!first.replayed && !second.replayed && !real.replayed);
        assert_eq!(told(first.data(), &known), told(real.data(), &known));
        assert_eq!(told(second.data(), &known), told(real.data(), &known));

        // The key counts from the real run on: it is not free for the dry run any more.
        call.body["dryRun"] = json!(true);
        assert_eq!(session.shop.send(call).await.status, 409);
    }
);

on_each_backend!(
    a_refused_dry_run_leaves_its_key_free,
    Threads::One,
    1,
    1,
    Just(()),
    |shop: Shop, ()| async move {
        let rows = shop.rows().await;
        let dry = Call::new(Verb::WriteProducts, json!({ "dryRun": true, "items": [] })).keyed("k");
        assert_eq!(shop.send(dry).await.status, 422);
        assert_eq!(shop.rows().await, rows);
        let real = json!({ "items": [{ "name": "Bread" }] });
        let real = Call::new(Verb::WriteProducts, real).keyed("k");
        assert_eq!(shop.send(real).await.data()["created"], 1);
    }
);

/// What a batch says, with every new id replaced by a number, in messages too.
fn told(data: &Value, known: &[Value]) -> Value {
    let mut text = data.to_string();
    let mut new = BTreeMap::new();
    for result in data["results"].as_array().unwrap() {
        let id = &result["id"];
        if let Some(id) = id.as_str().filter(|_| !known.contains(id)) {
            let number = new.len();
            new.entry(id.to_owned()).or_insert(number);
        }
    }
    for (id, number) in new {
        text = text.replace(&id, &number.to_string());
    }
    serde_json::from_str(&text).unwrap()
}
