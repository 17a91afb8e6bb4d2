//! The common part of every response. The stories have the rest.

use connect_core::wire::limits::{MAX_BODY_BYTES, MAX_DETAILS_PER_BATCH};
use connect_tests::{http::Request, shop::Shop};
use http::Method;
use serde_json::{Value, json};

#[tokio::test]
async fn head_is_get_without_the_body() {
    let shop = Shop::open().await;
    let product = shop.make("products", &json!({ "name": "Rye" })).await;
    for target in [
        "/v1/locations".to_owned(),
        "/v1/openapi.json".to_owned(),
        shop.at("products?limit=1"),
        shop.at(&format!("products/{}", product["id"].as_str().unwrap())),
        shop.at("products?limit=0"),
        shop.at("products/019a8c52-8e20-7c42-8a1f-4c2d6e8fab02"),
        "/v1/nowhere".to_owned(),
    ] {
        let get = shop.send(Request::get(&target)).await;
        let head = shop.send(Request::new(Method::HEAD, &target)).await;
        assert_eq!(head.status, get.status, "{target}");
        assert_eq!(
            head.header("content-type"),
            get.header("content-type"),
            "{target}"
        );
        assert_eq!(
            head.number("content-length"),
            get.body.len() as i64,
            "{target}"
        );
    }
}

/// The longest answers that bodies of 2 MB lead to. Names of control characters are six times as long
/// in JSON, and stand in `field` and in `message`.
#[tokio::test]
async fn a_batch_of_faults_has_an_answer_of_bounded_size() {
    let shop = Shop::open().await;
    for (path, method, items, faults) in [
        ("products/batch", Method::POST, 500, 20),
        ("stock", Method::PUT, 1000, 5),
        ("option-groups/batch", Method::POST, 200, 20),
    ] {
        let length = (MAX_BODY_BYTES / items / faults - 6) / 6;
        let name = |n: usize| {
            let digits = format!("{n:05b}")
                .replace('0', "\u{1}")
                .replace('1', "\u{2}");
            digits + &"\u{3}".repeat(length.min(60) - 5)
        };
        let item: serde_json::Map<_, _> = (0..faults).map(|n| (name(n), json!(0))).collect();
        let request =
            Request::new(method, shop.at(path)).json(&json!({ "items": vec![item; items] }));
        // To hold so many errors against the schema would take seconds.
        let answer = shop
            .send_unjudged(request.bearer(&shop.token))
            .await
            .unwrap();
        let results = answer.clone().expect(200).data()["results"].take();
        let errors = || {
            results
                .as_array()
                .unwrap()
                .iter()
                .map(|item| &item["error"])
        };
        let listed: usize = errors()
            .map(|it| it["details"].as_array().map_or(0, Vec::len))
            .sum();
        let spent = MAX_DETAILS_PER_BATCH - 20..=MAX_DETAILS_PER_BATCH;
        assert!(spent.contains(&listed), "{path}: {listed} fields");
        let text = |error: &Value, name: &str| error[name].as_str().unwrap().to_owned();
        assert!(errors().all(|it| text(it, "message").starts_with(&text(it, "field"))));
        assert!(
            answer.body.len() < MAX_BODY_BYTES,
            "{path}: {}",
            answer.body.len()
        );
    }
}
