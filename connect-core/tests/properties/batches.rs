//! A batch is its items, applied one by one in their order.

use std::collections::BTreeMap;

use proptest::prelude::*;
use serde_json::{Value, json};
use uuid::Uuid;

use super::{
    check::{Threads, on_each_backend},
    input::{Burst, Shape, Write, batch, bursts_without_keys},
    session::Session,
    shop::{Call, Filters, Reply, Shop, Verb, content},
};

/// What was there before, and a batch that is not a dry run.
fn inputs() -> impl Strategy<Value = (Vec<Burst>, Write)> {
    let batch = batch(10).prop_map(|mut shape| {
        if let Shape::Batch { dry_run, .. } = &mut shape {
            *dry_run = None;
        }
        Write { shape, key: None }
    });
    (bursts_without_keys(4), batch)
}

on_each_backend!(
    a_batch_is_its_items_in_batches_of_one,
    Threads::One,
    60,
    3,
    inputs(),
    |shop, (before, batch)| async move {
        let (mut one, other) = twins(shop, &before).await;
        let call = one.resolve(&batch);
        let together = one.shop.send(call.clone()).await;
        let mut alone = Vec::new();
        for item in items(&call) {
            let mut body = call.body.clone();
            body["items"] = json!([item]);
            let reply = other.shop.send(Call::new(Verb::WriteProducts, body)).await;
            alone.push(reply.data()["results"][0].clone());
        }
        same_results(&together, &alone, true);
        assert_eq!(content(&one.shop).await, content(&other.shop).await);
    }
);

on_each_backend!(
    a_batch_is_its_items_in_single_writes,
    Threads::One,
    60,
    3,
    inputs(),
    |shop, (before, batch)| async move {
        let (mut one, other) = twins(shop, &before).await;
        let call = one.resolve(&batch);
        let together = one.shop.send(call.clone()).await;
        let mut alone = Vec::new();
        for item in items(&call) {
            alone.push(single_write(&other.shop, &call.body, item).await);
        }
        same_results(&together, &alone, false);
        assert_eq!(content(&one.shop).await, content(&other.shop).await);
    }
);

/// Two shops with the same history, and so with the same ids.
async fn twins(shop: Shop, before: &[Burst]) -> (Session, Session) {
    let other = Shop::open(shop.on).await;
    let (mut one, mut other) = (Session::new(shop, 200), Session::new(other, 200));
    one.play(before).await;
    other.play(before).await;
    assert_eq!(one.shop.rows().await.len(), other.shop.rows().await.len());
    (one, other)
}

fn items(call: &Call) -> &[Value] {
    call.body["items"].as_array().unwrap()
}

/// Writes an item as a client would that has no batches: looks for the product, then updates it
/// or makes it. The result is put as that of a batch.
async fn single_write(shop: &Shop, batch: &Value, item: &Value) -> Value {
    let matched = match matched(
        shop,
        batch["matchBy"].as_str().unwrap_or("externalId"),
        item,
    )
    .await
    {
        Ok(matched) => matched,
        Err(code) => return json!({ "status": "failed", "error": { "code": code } }),
    };
    let (verb, before) = match matched {
        Some(id) => (Verb::UpdateProduct(id), update_time(shop, id).await),
        // With an id of its own the product is updated, or there is none to be updated.
        None if batch["createMissing"] == json!(false) => {
            (Verb::UpdateProduct(Uuid::from_u128(5)), None)
        }
        None => (Verb::CreateProduct, None),
    };
    let reply = shop.send(Call::new(verb, item.clone())).await;
    if reply.status >= 300 {
        return json!({ "status": "failed", "error": reply.body["error"] });
    }
    let product = reply.data();
    let status = match verb {
        Verb::CreateProduct => "created",
        _ if before == product["updatedAt"].as_str().map(str::to_owned) => "unchanged",
        _ => "updated",
    };
    json!({ "status": status, "id": product["id"], "externalId": product["externalId"] })
}

/// The product that an item means, or the code with which it fails to mean one.
async fn matched(shop: &Shop, key: &str, item: &Value) -> Result<Option<Uuid>, &'static str> {
    let Some(text) = item[key].as_str() else {
        return Ok(None);
    };
    if key == "id" {
        return Ok(text.parse().ok());
    }
    let mut filters = Filters::default();
    match key {
        "barcode" => filters.barcode = Some(text.to_owned()),
        _ => filters.external_id = Some(text.to_owned()),
    }
    let found = shop.products(&filters, false, 200).await;
    match &found[..] {
        [] => Ok(None),
        [product] => Ok(Some(product["id"].as_str().unwrap().parse().unwrap())),
        // An item with a fault fails for that first.
        _ => match shop
            .send(Call::new(
                Verb::UpdateProduct(Uuid::from_u128(5)),
                item.clone(),
            ))
            .await
        {
            Reply { status: 404, .. } => Err("conflict"),
            _ => Err("validation_failed"),
        },
    }
}

async fn update_time(shop: &Shop, id: Uuid) -> Option<String> {
    let all = shop.products(&Filters::default(), false, 200).await;
    let product = all.into_iter().find(|product| product["id"] == json!(id))?;
    product["updatedAt"].as_str().map(str::to_owned)
}

/// The results of a batch and those of its items alone: the same but for what new things are
/// called. Only results of batches tell of queued images, and of the external id of what failed.
fn same_results(together: &Reply, alone: &[Value], in_batches: bool) {
    let together = together.data()["results"].as_array().unwrap();
    assert_eq!(together.len(), alone.len());
    let mut called = BTreeMap::new();
    for (one, other) in together.iter().zip(alone) {
        let told = |result: &Value| {
            let (status, code) = (result["status"].clone(), result["error"]["code"].clone());
            let more = [&result["externalId"], &result["imageStatus"]].map(Value::clone);
            (
                status.clone(),
                code,
                (in_batches || status != "failed").then_some(more),
            )
        };
        let (mut one_told, other_told) = (told(one), told(other));
        if !in_batches && let Some([_, image]) = &mut one_told.2 {
            *image = Value::Null;
        }
        assert_eq!(one_told, other_told, "{one}\n{other}");
        // New products may be called differently, but each always the same.
        let id = other["id"].as_str();
        let known = called.insert(one["id"].as_str(), id);
        assert!(known.is_none_or(|known| known == id), "another product");
    }
}
