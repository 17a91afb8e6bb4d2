//! `Idempotency-Key`: a write that is repeated happens once.

use std::sync::Arc;

use connect_core::wire::Scope;
use connect_tests::{
    http::{Answer, Request},
    shop::Shop,
};
use futures_util::future::join_all;
use serde_json::json;

fn is_replayed(answer: &Answer) -> bool {
    answer.header("idempotent-replayed") == Some("true")
}

/// Sends the request twice; the second answer is the first one's.
async fn twice(shop: &Shop, request: Request) -> Answer {
    let first = shop.send(request.clone()).await;
    let second = shop.send(request).await;
    assert!(!is_replayed(&first), "{}", first.summary());
    assert!(is_replayed(&second), "{}", second.summary());
    assert_eq!((first.status, &first.body), (second.status, &second.body));
    first
}

#[tokio::test]
async fn every_kind_of_write_is_replayed() {
    let shop = Shop::open().await;
    let rye = json!({ "name": "Rye", "externalId": "R-1" });
    let made = twice(&shop, Request::post(shop.at("products"), &rye).key("a"))
        .await
        .expect(201);
    let one = shop.at(&format!("products/{}", made.id()));
    twice(
        &shop,
        Request::patch(&one, &json!({ "priceCents": 5 })).key("b"),
    )
    .await
    .expect(200);
    let batch = json!({ "items": [{ "externalId": "R-1", "priceCents": 6 }, { "priceCents": 7 }] });
    twice(
        &shop,
        Request::post(shop.at("products/batch"), &batch).key("c"),
    )
    .await
    .expect(200);
    twice(&shop, Request::delete(&one).key("d"))
        .await
        .expect(204);
    let bread = json!({ "name": "Bread" });
    let made = twice(&shop, Request::post(shop.at("categories"), &bread).key("e")).await;
    let one = shop.at(&format!("categories/{}", made.expect(201).id()));
    twice(
        &shop,
        Request::patch(&one, &json!({ "position": 5 })).key("f"),
    )
    .await
    .expect(200);
    twice(&shop, Request::delete(&one).key("g"))
        .await
        .expect(204);
    assert!(shop.all("products", "limit=200").await.is_empty());
    assert!(shop.all("categories", "limit=200").await.is_empty());
}

#[tokio::test]
async fn refusals_are_replayed_too() {
    let shop = Shop::open().await;
    let post = |body: &str| Request::post(shop.at("products"), &json!({})).body(body.to_owned());
    let gone = shop.at("products/019a8c52-8e20-7c42-8a1f-4c2d6e8fab02");
    twice(&shop, post("{").key("form"))
        .await
        .fails(400, "validation_failed");
    twice(&shop, post("{}").key("field"))
        .await
        .fails(422, "validation_failed");
    twice(&shop, Request::delete(&gone).key("gone"))
        .await
        .fails(404, "not_found");
    let query = Request::post(shop.at("products?x=1"), &json!({ "name": "Rye" }));
    twice(&shop, query.key("query"))
        .await
        .fails(400, "validation_failed");
    shop.make("categories", &json!({ "name": "Bread" })).await;
    let bread = Request::post(shop.at("categories"), &json!({ "name": "Bread" }));
    twice(&shop, bread.key("taken"))
        .await
        .fails(409, "conflict");
}

/// The stored refusal stands even when the same request would be good by now.
#[tokio::test]
async fn a_refusal_is_replayed_although_its_reason_is_gone() {
    let shop = Shop::open().await;
    let taken = shop.make("categories", &json!({ "name": "Bread" })).await;
    let again = || Request::post(shop.at("categories"), &json!({ "name": "Bread" })).key("k");
    shop.send(again()).await.fails(409, "conflict");
    shop.delete(&format!("categories/{}", taken["id"].as_str().unwrap()))
        .await
        .expect(204);
    assert!(is_replayed(
        &shop.send(again()).await.fails(409, "conflict")
    ));
    let other = Request::post(shop.at("categories"), &json!({ "name": "Bread" })).key("other");
    shop.send(other).await.expect(201);
}

/// What a product became later does not change what was answered.
#[tokio::test]
async fn a_replay_is_the_answer_of_then() {
    let shop = Shop::open().await;
    let rye = Request::post(shop.at("products"), &json!({ "name": "Rye" })).key("k");
    let made = shop.send(rye.clone()).await.expect(201);
    let one = format!("products/{}", made.id());
    shop.patch(&one, &json!({ "name": "Dark rye" }))
        .await
        .expect(200);
    assert_eq!(shop.send(rye.clone()).await.expect(201).body, made.body);
    shop.delete(&one).await.expect(204);
    assert_eq!(shop.send(rye).await.expect(201).body, made.body);
    shop.get(&one).await.expect(404);
}

#[tokio::test]
async fn a_replay_has_headers_of_its_own() {
    let shop = Shop::open().await;
    let rye = Request::post(shop.at("products"), &json!({ "name": "Rye" })).key("k");
    let first = shop
        .send(rye.clone().header("x-request-id", "first"))
        .await
        .expect(201);
    shop.clock.advance(600);
    let second = shop
        .send(rye.header("x-request-id", "second"))
        .await
        .expect(201);
    assert!(is_replayed(&second));
    assert_eq!(second.header("x-request-id"), Some("second"));
    let reset = |answer: &Answer| answer.number("x-ratelimit-reset");
    assert_eq!(reset(&second), reset(&first) + 600);
}

#[tokio::test]
async fn a_key_is_forgotten_after_a_day() {
    let shop = Shop::open().await;
    let rye = Request::post(shop.at("products"), &json!({ "name": "Rye" })).key("k");
    let first = shop.send(rye.clone()).await.expect(201);
    shop.clock.advance(24 * 3600 - 1);
    let second = shop.send(rye.clone()).await.expect(201);
    assert!(is_replayed(&second));
    // The day counts from the first use, not from the last.
    shop.clock.advance(1);
    let third = shop.send(rye.clone()).await.expect(201);
    assert!(!is_replayed(&third));
    assert_ne!(third.id(), first.id());
    assert!(is_replayed(&shop.send(rye).await.expect(201)));
}

#[tokio::test]
async fn an_expired_key_may_be_used_for_something_else() {
    let shop = Shop::open().await;
    let post = |name: &str| Request::post(shop.at("products"), &json!({ "name": name })).key("k");
    shop.send(post("Rye")).await.expect(201);
    shop.send(post("Bun")).await.fails(409, "conflict");
    // The refusal neither stored anything nor moved the end of the day.
    shop.clock.advance(24 * 3600);
    shop.connect.maintain().await.unwrap();
    shop.send(post("Bun")).await.expect(201);
}

#[tokio::test]
async fn keys_belong_to_their_token() {
    let shop = Shop::open().await;
    let other = shop.token_for(shop.here, &[Scope::CatalogWrite]).await;
    let post = |name: &str| Request::post(shop.at("products"), &json!({ "name": name })).key("k");
    shop.send(post("Rye")).await.expect(201);
    let answer = shop.send_as(&other, post("Bun")).await.expect(201);
    assert!(!is_replayed(&answer));
    assert_eq!(answer.data()["name"], "Bun");
}

/// One key covers all locations of its token: the path is part of what makes requests the same.
#[tokio::test]
async fn a_key_used_here_is_used_there() {
    let shop = Shop::open().await;
    let body = json!({ "name": "Rye" });
    shop.send(Request::post(shop.at("products"), &body).key("k"))
        .await
        .expect(201);
    let there = format!("/v1/locations/{}/products", shop.there);
    shop.send(Request::post(&there, &body).key("k"))
        .await
        .fails(409, "conflict");
    assert!(shop.send(Request::get(&there)).await.list().is_empty());
}

/// Same key, path and body: the method makes it another request.
#[tokio::test]
async fn a_key_used_to_change_is_not_one_to_delete() {
    let shop = Shop::open().await;
    let made = shop.make("products", &json!({ "name": "Rye" })).await;
    let one = shop.at(&format!("products/{}", made["id"].as_str().unwrap()));
    shop.send(Request::patch(&one, &json!({})).key("k"))
        .await
        .expect(200);
    let delete = Request::delete(&one).json(&json!({})).key("k");
    shop.send(delete).await.fails(409, "conflict");
    shop.send(Request::get(&one)).await.expect(200);
}

/// The bytes of the body make the request, not what they mean; nor do the headers.
#[tokio::test]
async fn a_body_is_compared_byte_by_byte() {
    let shop = Shop::open().await;
    let post = |body: &str| {
        let request = Request::post(shop.at("products"), &json!({})).key("k");
        request.body(body.to_owned())
    };
    shop.send(post(r#"{"name":"Rye"}"#)).await.expect(201);
    shop.send(post(r#"{"name":"Rye"} "#))
        .await
        .fails(409, "conflict");
    shop.send(post(r#"{"name":"R\u0079e"}"#))
        .await
        .fails(409, "conflict");
    let other_headers = post(r#"{"name":"Rye"}"#).header("user-agent", "another");
    assert!(is_replayed(&shop.send(other_headers).await.expect(201)));
}

#[tokio::test]
async fn what_fails_before_the_key_is_looked_at_is_not_stored() {
    let shop = Shop::open().await;
    let body = json!({ "name": "Rye" });
    let reader = shop.token_for(shop.here, &[Scope::CatalogRead]).await;
    let post = || Request::post(shop.at("products"), &body).key("k");
    shop.send_as(&reader, post())
        .await
        .fails(403, "forbidden_scope");
    let untyped = Request::post(shop.at("products"), &body).key("k");
    let mut untyped = untyped;
    untyped.headers.remove("content-type");
    shop.send(untyped).await.fails(400, "validation_failed");
    let huge = post().body(vec![b' '; 2_000_001]);
    shop.send(huge).await.fails(413, "payload_too_large");
    let answer = shop.send(post()).await.expect(201);
    assert!(!is_replayed(&answer));
}

#[tokio::test]
async fn reads_ignore_the_key() {
    let shop = Shop::open().await;
    for key in ["k", "not a key", ""] {
        let list = Request::get(shop.at("products")).key(key);
        let empty = shop.send(list.clone()).await.expect(200).list();
        assert!(empty.is_empty());
    }
    shop.send(Request::post(shop.at("products"), &json!({ "name": "Rye" })).key("k"))
        .await
        .expect(201);
    let list = Request::get(shop.at("products")).key("k");
    assert_eq!(shop.send(list).await.expect(200).list().len(), 1);
}

#[tokio::test]
async fn keys_may_be_as_long_and_odd_as_they_are_allowed_to_be() {
    let shop = Shop::open().await;
    let visible: String = (0x21..=0x7e_u8).map(char::from).collect();
    for key in ["0", visible.as_str(), &"k".repeat(100)] {
        let rye = Request::post(shop.at("products"), &json!({ "name": "Rye" })).key(key);
        twice(&shop, rye).await.expect(201);
    }
    // Keys are told apart to the letter.
    let upper = Request::post(shop.at("products"), &json!({ "name": "Bun" })).key(&"K".repeat(100));
    shop.send(upper).await.expect(201);
}

#[tokio::test]
async fn a_dry_run_is_not_remembered() {
    let shop = Shop::open().await;
    let batch = json!({ "dryRun": true, "items": [{ "name": "Rye", "externalId": "R-1" }] });
    let request = || Request::post(shop.at("products/batch"), &batch).key("k");
    for _ in 0..2 {
        let answer = shop.send(request()).await.expect(200);
        assert!(!is_replayed(&answer));
        assert_eq!(answer.data()["created"], 1);
    }
    let real = json!({ "items": [{ "name": "Rye", "externalId": "R-1" }] });
    let answer = shop
        .send(Request::post(shop.at("products/batch"), &real).key("k"))
        .await;
    assert_eq!(answer.expect(200).data()["created"], 1);
}

#[tokio::test]
async fn many_at_once_with_one_key_are_done_once() {
    let shop = Arc::new(Shop::open().await);
    for round in 0..10 {
        let key = format!("round-{round}");
        let sent = (0..16).map(|_| {
            let (shop, key) = (shop.clone(), key.clone());
            let body = json!({ "name": format!("Bun {round}") });
            let request = Request::post(shop.at("products"), &body).key(&key);
            tokio::spawn(async move { shop.send(request).await.expect(201) })
        });
        let answers: Vec<Answer> = join_all(sent)
            .await
            .into_iter()
            .map(|answer| answer.unwrap())
            .collect();
        assert_eq!(
            answers.iter().filter(|answer| !is_replayed(answer)).count(),
            1
        );
        assert!(answers.iter().all(|answer| answer.body == answers[0].body));
    }
    assert_eq!(shop.all("products", "limit=200").await.len(), 10);
}

#[tokio::test]
async fn many_at_once_with_one_key_and_different_bodies_are_done_once() {
    let shop = Arc::new(Shop::open().await);
    let sent = (0..16).map(|n| {
        let shop = shop.clone();
        let body = json!({ "name": format!("Bun {n}") });
        let request = Request::post(shop.at("products"), &body).key("k");
        tokio::spawn(async move { shop.send(request).await.status.as_u16() })
    });
    let statuses: Vec<u16> = join_all(sent)
        .await
        .into_iter()
        .map(Result::unwrap)
        .collect();
    assert_eq!(statuses.iter().filter(|status| **status == 201).count(), 1);
    assert_eq!(statuses.iter().filter(|status| **status == 409).count(), 15);
    assert_eq!(shop.all("products", "limit=200").await.len(), 1);
}
