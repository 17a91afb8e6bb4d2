//! The API in somebody else's server, of warp and of axum.

use std::net::SocketAddr;

use connect_core::{
    Connect, RateLimits,
    wire::{Id, Location},
};
use tokio::net::TcpListener;

#[path = "../examples/own_routes.rs"]
#[allow(dead_code)]
mod own_routes;

#[path = "../examples/own_routes_axum.rs"]
#[allow(dead_code)]
mod own_routes_axum;

/// A location where the API is available, and a token for it.
async fn shop() -> (Connect, Id<Location>, String) {
    crate::location::shop(RateLimits::default()).await
}

#[tokio::test]
async fn a_filter_answers_below_v1_and_leaves_the_rest_to_others() {
    let (connect, quay, token) = shop().await;
    let site = own_routes::site(connect);
    let get = |path: &str| warp::test::request().path(path);

    assert_eq!(get("/hours").reply(&site).await.status(), 200);
    assert_eq!(get("/elsewhere").reply(&site).await.status(), 404);
    let document = get("/v1/openapi.json").reply(&site).await;
    assert_eq!(document.status(), 200);

    let refused = get("/v1/locations").reply(&site).await;
    assert_eq!(refused.status(), 401);
    assert!(refused.headers().contains_key("x-request-id"));
    assert_eq!(refused.headers()["x-ratelimit-limit"], "30");

    let products = format!("/v1/locations/{quay}/products");
    let made = get(&products)
        .method("POST")
        .header("authorization", format!("Bearer {token}"))
        .header("x-request-id", "made-1")
        .json(&serde_json::json!({ "name": "Bread" }))
        .reply(&site)
        .await;
    assert_eq!(made.status(), 201);
    assert_eq!(made.headers()["x-request-id"], "made-1");
    let other_method = get(&products)
        .method("PUT")
        .header("authorization", format!("Bearer {token}"))
        .reply(&site)
        .await;
    assert_eq!(other_method.status(), 405);
    assert_eq!(other_method.headers()["allow"], "GET, HEAD, POST");
}

#[tokio::test]
async fn the_document_names_the_address_of_the_api() {
    let (connect, ..) = shop().await;
    let public = "https://shop.example/connect/".parse().unwrap();
    let mounted = connect_server::api(connect.clone());
    let behind_a_proxy = connect_server::api_at(connect, &public);
    let document = || warp::test::request().path("/v1/openapi.json");
    let relative = document().reply(&mounted).await;
    let absolute = document().reply(&behind_a_proxy).await;
    let [relative, mut absolute] = [relative, absolute]
        .map(|answer| serde_json::from_slice::<serde_json::Value>(answer.body()).unwrap());
    assert_eq!(relative["servers"][0]["url"], "/v1");
    let url = absolute["servers"][0]["url"].take();
    assert_eq!(url, "https://shop.example/connect/v1");
    // Nothing else is another.
    absolute["servers"][0]["url"] = "/v1".into();
    assert!(absolute == relative);
}

#[tokio::test]
async fn a_server_of_warps_own_serves_it() {
    let (connect, quay, token) = shop().await;
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    let site = own_routes::site(connect);
    let server = tokio::spawn(warp::serve(site).incoming(listener).run());
    use_it(address, quay, &token).await;
    server.abort();
}

#[tokio::test]
async fn a_server_of_axums_serves_it() {
    let (connect, quay, token) = shop().await;
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    let site = own_routes_axum::site(connect.clone());
    let site = site.into_make_service_with_connect_info::<SocketAddr>();
    let server = tokio::spawn(async move { axum::serve(listener, site).await });
    use_it(address, quay, &token).await;
    // The one request without a token was counted for its address.
    let others = connect.anonymous_rate([203, 0, 113, 7].into());
    let own = connect.anonymous_rate(address.ip());
    assert_eq!((others.remaining, own.remaining), (30, 29));
    server.abort();
}

/// Calls a site as a client over a network does.
async fn use_it(address: SocketAddr, quay: Id<Location>, token: &str) {
    // The client wants one, also where it speaks plain HTTP.
    let _ = rustls::crypto::ring::default_provider().install_default();
    let client = reqwest::Client::builder().no_proxy().build().unwrap();
    let hours = client.get(format!("http://{address}/hours")).send().await;
    let hours = hours.unwrap().text().await.unwrap();
    assert_eq!(hours, "Open every day from 8 to 18.");
    let elsewhere = client.get(format!("http://{address}/else")).send().await;
    assert_eq!(elsewhere.unwrap().status(), 404);
    let nobody = client.get(format!("http://{address}/v1/locations"));
    let nobody = nobody.bearer_auth("wrong").send().await.unwrap();
    assert_eq!(nobody.status(), 401);
    let products = format!("http://{address}/v1/locations/{quay}/products");
    let made = client
        .post(&products)
        .bearer_auth(token)
        .header("idempotency-key", "bread")
        .json(&serde_json::json!({ "name": "Bread" }));
    let again = made.try_clone().unwrap().send();
    let made = made.send().await.unwrap();
    assert_eq!(made.status(), 201);
    assert_eq!(
        again.await.unwrap().headers()["idempotent-replayed"],
        "true"
    );
    let page = client.get(&products).bearer_auth(token).send().await;
    let page: serde_json::Value = page.unwrap().json().await.unwrap();
    let mut made = page["data"].as_array().unwrap().iter();
    assert!(made.any(|product| product["name"] == "Bread"), "{page}");

    let too_large = client
        .post(&products)
        .bearer_auth(token)
        .header("content-type", "application/json")
        .body(vec![b' '; 2_000_001]);
    assert_eq!(too_large.send().await.unwrap().status(), 413);
}
