//! The same answers over HTTP/2, which fails in other ways: a HEAD with a body, say, is an error
//! of the protocol there.

use bytes::Bytes;
use connect_tests::{
    check::Checker,
    http::{Answer, Payload, Request, send_over_http2},
    shop::Shop,
};
use http::Method;
use serde_json::json;

async fn send(shop: &Shop, request: Request) -> Answer {
    let answer = send_over_http2(shop.address, request.bearer(&shop.token))
        .await
        .unwrap();
    Checker::v1().judge(&answer);
    answer
}

#[tokio::test]
async fn records_are_made_read_and_deleted() {
    let shop = Shop::open().await;
    let rye = Request::post(shop.at("products"), &json!({ "name": "Rye" })).key("k");
    let made = send(&shop, rye.clone()).await.expect(201);
    let replayed = send(&shop, rye).await.expect(201);
    assert_eq!(replayed.header("idempotent-replayed"), Some("true"));
    let one = shop.at(&format!("products/{}", made.id()));
    assert_eq!(
        send(&shop, Request::get(&one)).await.expect(200).data(),
        made.data()
    );
    send(&shop, Request::delete(&one)).await.expect(204);
    send(&shop, Request::get(&one))
        .await
        .fails(404, "not_found");
}

#[tokio::test]
async fn head_has_no_body() {
    let shop = Shop::open().await;
    for target in [
        "/v1/locations",
        "/v1/openapi.json",
        "/v1/nowhere",
        &shop.at("products?limit=0"),
    ] {
        let get = send(&shop, Request::get(target)).await;
        let head = send(&shop, Request::new(Method::HEAD, target)).await;
        assert_eq!((head.status, head.body.len()), (get.status, 0), "{target}");
    }
}

#[tokio::test]
async fn refusals_have_the_same_shape() {
    let shop = Shop::open().await;
    send(&shop, Request::delete("/v1/locations"))
        .await
        .fails(405, "method_not_allowed");
    send(
        &shop,
        Request::get("/v1/locations").header("authorization", "Bearer x"),
    )
    .await
    .fails(401, "unauthorized");
    let huge = vec![b' '; 2_000_001];
    let post = Request::post(shop.at("products"), &json!({}));
    send(&shop, post.clone().body(huge.clone()))
        .await
        .fails(413, "payload_too_large");
    let mut chunked = post;
    chunked.body = Payload::Chunked(huge.chunks(50_000).map(Bytes::copy_from_slice).collect());
    send(&shop, chunked).await.fails(413, "payload_too_large");
}
