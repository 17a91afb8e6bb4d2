//! Access as time passes and owners change their minds. The stories have the rest.

use connect_core::{NewScreen, ScreenType};
use connect_tests::{document::Document, http::Request, shop::Shop};
use serde_json::json;

fn list() -> Request {
    Request::get("/v1/locations")
}

#[tokio::test]
async fn a_token_expires_to_the_microsecond_and_is_revoked_at_once() {
    let shop = Shop::open().await;
    let expiry = "2026-11-20T10:00:30Z".parse().unwrap();
    let token = shop.token_until(expiry).await;
    let (revocable, id) = shop.revocable_token().await;
    shop.clock
        .set("2026-11-20T10:00:29.999999Z".parse().unwrap());
    for token in [&token, &revocable] {
        shop.send_as(token, list()).await.expect(200);
    }
    shop.revoke(id).await;
    shop.clock.set(expiry);
    for (token, why) in [
        (token, "expired on 2026-11-20T10:00:30.000000Z"),
        (revocable, "was revoked on 2026-11-20T10:00:29.999999Z"),
    ] {
        let refused = shop
            .send_as(&token, list())
            .await
            .fails(401, "unauthorized");
        let expected =
            format!("Authorization: the token {why}; ask the owner of the shop for a token");
        assert_eq!(refused.failure().2, expected);
    }
    shop.send(list()).await.expect(200);
}

#[tokio::test]
async fn without_a_screen_nothing_is_answered_and_nothing_is_lost() {
    let shop = Shop::open().await;
    let product = shop.make("products", &json!({ "name": "Rye" })).await;
    for screen in shop.connect.account(shop.account).await.unwrap().screens {
        shop.connect
            .delete_screen(shop.account, screen.id)
            .await
            .unwrap();
    }
    let path = shop.at(&format!("products/{}", product["id"].as_str().unwrap()));
    let write = Request::post(shop.at("products"), &json!({ "name": "Bun" }));
    for request in [Request::get(&path), list(), write] {
        shop.send(request).await.fails(403, "api_not_available");
    }
    let (location_id, name) = (shop.there, "Tables".to_owned());
    let screen = NewScreen {
        location_id,
        kind: ScreenType::ScanAndOrder,
        name,
    };
    shop.connect
        .create_screen(shop.account, screen)
        .await
        .unwrap();
    assert_eq!(
        shop.send(Request::get(path)).await.expect(200).data(),
        product
    );
}

#[tokio::test]
async fn the_document_is_served_as_it_is() {
    let shop = Shop::open().await;
    let document = shop.send_bare(Request::get("/v1/openapi.json")).await;
    assert_eq!(document.expect(200).json(), *Document::v1().root());
}
