//! Any body is answered: each item of a batch has its result, and the counts add up.

use proptest::{collection::vec, prelude::*, string::string_regex};
use serde_json::{Map, Value, json};

use super::{
    check::{Threads, on_each_backend},
    model::Kind,
    shop::{Filters, Shop},
};
use crate::calls::{Call, Reply, Verb};

/// Any JSON.
fn any_json() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        any::<f64>().prop_map(Value::from),
        any::<String>().prop_map(Value::from),
    ];
    leaf.prop_recursive(3, 20, 5, |inner| {
        let name = prop_oneof![field(), any::<String>()];
        prop_oneof![
            vec(inner.clone(), 0..5).prop_map(Value::from),
            vec((name, inner), 0..5).prop_map(|pairs| Map::from_iter(pairs).into()),
        ]
    })
}

/// The name of a field of a product.
fn field() -> impl Strategy<Value = String> {
    string_regex("id|externalId|name|barcode|priceCents|vatRate|categoryId|categoryName|imageUrl")
        .unwrap()
}

/// Items: any JSON, products of any texts and numbers, and products that are mostly good.
fn items() -> impl Strategy<Value = Vec<Value>> {
    let leaf = prop_oneof![any::<String>().prop_map(Value::from), any_json()];
    let odd = vec((field(), leaf), 0..6).prop_map(|pairs| Map::from_iter(pairs).into());
    let good = (0..4_u8, 0..3_u8, any::<Option<String>>()).prop_map(|(id, price, description)| {
        json!({
            "externalId": id.to_string(), "name": "Bread", "priceCents": price,
            "description": description,
        })
    });
    vec(prop_oneof![any_json(), odd, good], 1..40)
}

async fn send(shop: &Shop, verb: Verb, body: Value) -> Reply {
    let call = Call {
        verb,
        body,
        key: None,
    };
    call.answer(shop.connect.clone(), shop.at.clone())
        .await
        .into()
}

on_each_backend!(
    every_item_has_one_result,
    Threads::One,
    60,
    3,
    items(),
    |shop: Shop, items: Vec<Value>| async move {
        let reply = send(&shop, Verb::WriteProducts, json!({ "items": items })).await;
        let data = reply.data();
        let results = data["results"].as_array().unwrap();
        assert_eq!(results.len(), items.len());
        for (index, result) in results.iter().enumerate() {
            assert_eq!(result["index"], json!(index));
            let is_failed = result["status"] == "failed";
            assert_eq!(is_failed, result["error"].is_object(), "{result}");
            assert_eq!(is_failed, result["id"].is_null(), "{result}");
        }
        let mut sum = 0;
        for status in ["created", "updated", "unchanged", "failed"] {
            let count = results
                .iter()
                .filter(|result| result["status"] == status)
                .count();
            assert_eq!(data[status], json!(count));
            sum += count;
        }
        assert_eq!(sum, items.len());
        let saved = shop.list(Kind::Product, &Filters::default(), 200).await;
        assert_eq!(data["created"], json!(saved.len()));
    }
);

on_each_backend!(
    any_body_is_answered,
    Threads::One,
    200,
    3,
    any_json(),
    |shop: Shop, body: Value| async move {
        let rows = shop.rows().await;
        for verb in [
            Verb::WriteProducts,
            Verb::CreateCategory,
            Verb::CreateProduct,
        ] {
            let reply = send(&shop, verb, body.clone()).await;
            if reply.status >= 300 {
                assert_eq!(reply.status, 422, "{reply:?}");
                assert_eq!(shop.rows().await, rows, "a refused request left something");
            }
        }
    }
);
