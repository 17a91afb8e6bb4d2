//! What every response has in common.

use connect_tests::{http::Request, shop::Shop};
use http::Method;
use serde_json::json;

/// The headers that every response has, as far as they are the same from one to the next.
const EVERYWHERE: [&str; 3] = [
    "x-ratelimit-limit",
    "x-ratelimit-remaining",
    "x-ratelimit-reset",
];

#[tokio::test]
async fn outside_of_the_api_errors_have_the_same_shape() {
    let shop = Shop::open().await;
    for (request, status, code) in [
        (Request::get("/"), 404, "not_found"),
        (Request::get("/favicon.ico"), 404, "not_found"),
        (Request::get("/v1.0/locations"), 404, "not_found"),
        (
            Request::new(Method::POST, "/healthz"),
            405,
            "method_not_allowed",
        ),
        (
            Request::new(Method::OPTIONS, "/v1/openapi.json"),
            405,
            "method_not_allowed",
        ),
    ] {
        let answer = shop.send_bare(request).await.fails(status, code);
        assert_eq!(answer.header("content-type"), Some("application/json"));
        for name in EVERYWHERE {
            answer.number(name);
        }
        assert!(
            answer.header("x-request-id").is_some(),
            "{}",
            answer.summary()
        );
    }
}

#[tokio::test]
async fn a_request_id_is_kept_or_made() {
    let shop = Shop::open().await;
    let with = |id: &str| Request::get("/v1/locations").header("x-request-id", id);
    for good in ["a", "sync-42_7.b", &"x".repeat(100)] {
        let answer = shop.send(with(good)).await.expect(200);
        assert_eq!(answer.header("x-request-id"), Some(good));
    }
    for bad in ["", "a b", "é", "a/b", &"x".repeat(101)] {
        let answer = shop.send(with(bad)).await.expect(200);
        let made = answer.header("x-request-id").unwrap();
        assert!(made != bad && !made.is_empty(), "{bad:?} became {made:?}");
    }
    let first = shop.send(Request::get("/v1/locations")).await;
    let second = shop.send(Request::get("/v1/locations")).await;
    assert_ne!(first.header("x-request-id"), second.header("x-request-id"));
    // Errors have one too, and keep the client's.
    let lost = Request::get("/v1/nowhere").header("x-request-id", "lost-1");
    assert_eq!(
        shop.send(lost).await.expect(404).header("x-request-id"),
        Some("lost-1")
    );
}

#[tokio::test]
async fn head_is_get_without_the_body() {
    let shop = Shop::open().await;
    let product = shop.make("products", &json!({ "name": "Rye" })).await;
    let one = format!("products/{}", product["id"].as_str().unwrap());
    for target in [
        "/v1/locations".to_owned(),
        "/v1/openapi.json".to_owned(),
        shop.at("products"),
        shop.at("products?limit=1"),
        shop.at("categories"),
        shop.at(&one),
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

#[tokio::test]
async fn a_body_on_a_read_is_not_looked_at() {
    let shop = Shop::open().await;
    let request = Request::get("/v1/locations")
        .body("not JSON")
        .header("content-type", "text/plain");
    shop.send(request).await.expect(200);
}

#[tokio::test]
async fn answers_are_not_to_be_cached_and_not_to_be_sniffed() {
    let shop = Shop::open().await;
    let answer = shop.send(Request::get("/v1/locations")).await;
    assert_eq!(answer.header("cache-control"), Some("no-store"));
    assert_eq!(answer.header("x-content-type-options"), Some("nosniff"));
}

#[tokio::test]
async fn what_is_too_long_is_refused_in_the_same_shape() {
    let shop = Shop::open().await;
    let target = |length: usize| format!("/v1/locations?{}", "x".repeat(length - 14));
    // What is just short enough is looked at.
    shop.send(Request::get(target(8192)))
        .await
        .fails(400, "validation_failed");
    shop.send(Request::get(target(8193)))
        .await
        .fails(414, "validation_failed");
    let headers = Request::get("/v1/locations").header("x-note", "x".repeat(20_000));
    shop.send(headers).await.fails(431, "validation_failed");
}
