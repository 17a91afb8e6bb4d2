//! Who gets in, as time passes and owners change their minds.

use connect_core::{NewScreen, ScreenType, wire::Scope};
use connect_tests::{http::Request, shop::Shop};
use serde_json::json;

#[tokio::test]
async fn a_token_expires_to_the_microsecond() {
    let shop = Shop::open().await;
    let expiry = "2026-11-20T10:00:30Z".parse().unwrap();
    let token = shop.token_until(expiry).await;
    let list = || Request::get(shop.at("products"));
    shop.clock
        .set("2026-11-20T10:00:29.999999Z".parse().unwrap());
    shop.send_as(&token, list()).await.expect(200);
    shop.clock.set(expiry);
    shop.send_as(&token, list())
        .await
        .fails(401, "unauthorized");
}

#[tokio::test]
async fn a_revoked_token_is_refused_at_once() {
    let shop = Shop::open().await;
    let (token, id) = shop.revocable_token().await;
    let list = || Request::get(shop.at("products"));
    shop.send_as(&token, list()).await.expect(200);
    shop.revoke(id).await;
    shop.send_as(&token, list())
        .await
        .fails(401, "unauthorized");
    shop.send(list()).await.expect(200);
}

#[tokio::test]
async fn without_a_screen_nothing_is_answered_and_nothing_is_lost() {
    let shop = Shop::open().await;
    let product = shop.make("products", &json!({ "name": "Rye" })).await;
    let screens = shop.connect.account(shop.account).await.unwrap().screens;
    for screen in screens {
        shop.connect
            .delete_screen(shop.account, screen.id)
            .await
            .unwrap();
    }
    let path = format!("products/{}", product["id"].as_str().unwrap());
    shop.get(&path).await.fails(403, "api_not_available");
    shop.send(Request::get("/v1/locations"))
        .await
        .fails(403, "api_not_available");
    shop.post("products", &json!({ "name": "Bun" }))
        .await
        .fails(403, "api_not_available");

    let screen = NewScreen {
        location_id: shop.there,
        kind: ScreenType::ScanAndOrder,
        name: "Tables".to_owned(),
    };
    shop.connect
        .create_screen(shop.account, screen)
        .await
        .unwrap();
    assert_eq!(shop.get(&path).await.expect(200).data(), product);
}

#[tokio::test]
async fn each_scope_opens_its_own_doors() {
    let shop = Shop::open().await;
    let reader = shop.token_for(shop.here, &[Scope::CatalogRead]).await;
    let writer = shop.token_for(shop.here, &[Scope::CatalogWrite]).await;
    let rye = json!({ "name": "Rye" });
    let made = shop
        .send_as(&writer, Request::post(shop.at("products"), &rye))
        .await
        .expect(201);
    let one = shop.at(&format!("products/{}", made.id()));
    shop.send_as(&reader, Request::get(&one)).await.expect(200);
    shop.send_as(&reader, Request::delete(&one))
        .await
        .fails(403, "forbidden_scope");
    shop.send_as(&writer, Request::get(&one))
        .await
        .fails(403, "forbidden_scope");
    shop.send_as(&writer, Request::delete(&one))
        .await
        .expect(204);
}

/// RFC 9110: the name of the scheme is the same in any case.
#[tokio::test]
async fn the_scheme_is_taken_in_any_case() {
    let shop = Shop::open().await;
    for scheme in ["Bearer", "bearer", "BEARER"] {
        let header = format!("{scheme} {}", shop.token);
        let request = Request::get("/v1/locations").header("authorization", header);
        shop.send_bare(request).await.expect(200);
    }
}

#[tokio::test]
async fn the_document_and_the_probes_need_no_token() {
    let shop = Shop::open().await;
    let document = shop
        .send_bare(Request::get("/v1/openapi.json"))
        .await
        .expect(200);
    assert_eq!(
        document.json(),
        *connect_tests::document::Document::v1().root()
    );
    for probe in ["/healthz", "/readyz"] {
        shop.send_bare(Request::get(probe)).await.expect(200);
    }
}

#[tokio::test]
async fn an_error_does_not_show_the_token() {
    let shop = Shop::open().await;
    let token = format!("{}x", shop.token);
    let answer = shop
        .send_as(&token, Request::get("/v1/locations"))
        .await
        .expect(401);
    let shown = format!(
        "{:?} {}",
        answer.headers,
        String::from_utf8_lossy(&answer.body)
    );
    assert!(!shown.contains(&shop.token[8..]), "{shown}");
}
