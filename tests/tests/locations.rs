//! `GET /v1/locations`.

use connect_core::wire::Scope;
use connect_tests::{http::Request, shop::Shop};
use serde_json::json;

#[tokio::test]
async fn a_token_sees_its_locations_by_name_with_its_scopes() {
    let shop = Shop::open().await;
    let listed = shop
        .send(Request::get("/v1/locations"))
        .await
        .expect(200)
        .list();
    let names: Vec<_> = listed
        .iter()
        .map(|location| location["name"].clone())
        .collect();
    assert_eq!(names, ["Harbour", "Station"]);
    assert_eq!(listed[0]["id"], shop.here.to_string());
    assert_eq!(listed[0]["timeZone"], "Europe/Amsterdam");
    assert_eq!(listed[0]["currency"], "EUR");
    assert_eq!(listed[0]["scopes"].as_array().unwrap().len(), 6);
}

#[tokio::test]
async fn a_location_without_any_scope_is_not_listed() {
    let shop = Shop::open().await;
    let scopes = [Scope::CatalogWrite, Scope::StockRead];
    let token = shop.token_for(shop.there, &scopes).await;
    let listed = shop
        .send_as(&token, Request::get("/v1/locations"))
        .await
        .expect(200)
        .list();
    assert_eq!(listed.len(), 1);
    assert_eq!(listed[0]["id"], shop.there.to_string());
    let mut scopes: Vec<_> = listed[0]["scopes"].as_array().unwrap().clone();
    scopes.sort_by_key(ToString::to_string);
    assert_eq!(scopes, [json!("catalog:write"), json!("stock:read")]);
}

#[tokio::test]
async fn other_accounts_stay_apart() {
    let shop = Shop::open().await;
    let (location, token) = shop.stranger(true).await;
    let listed = shop
        .send_as(&token, Request::get("/v1/locations"))
        .await
        .list();
    assert_eq!(listed.len(), 1);
    assert_eq!(listed[0]["id"], location.to_string());
}
