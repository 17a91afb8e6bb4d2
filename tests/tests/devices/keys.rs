//! The keys of screens, and who is let in by them.

use connect_core::{RateLimits, ScreenType};
use connect_tests::{
    http::Request,
    shop::{Setup, Shop, device_path},
};
use serde_json::json;

use super::{sale, soup};

#[tokio::test]
async fn one_key_at_a_time_lets_a_screen_in() {
    let shop = Shop::open().await;
    let mut till = shop.register("Till").await;
    let row = sale("Tea", 200);
    let old = till.key.clone();
    till.key = shop.roll(till.id).await;
    till.make("transactions", &row).await;
    let with_old = Request::post(device_path("transactions"), &row);
    shop.send_as(&old, with_old)
        .await
        .fails(401, "unauthorized");
    let revoked = shop.connect.revoke_screen_key(shop.account, till.id).await;
    revoked.unwrap();
    let refused = till.post("transactions", &row).await;
    let refused = refused.fails(401, "unauthorized");
    assert_eq!(refused.header("www-authenticate"), Some("Bearer"));
    let (_, _, message) = refused.failure();
    assert!(message.starts_with("Authorization: "), "{message}");
    assert!(
        message.contains("`connect-server screen roll`"),
        "{message}"
    );
    assert!(!message.contains("token"), "{message}");
    till.key = shop.roll(till.id).await;
    till.make("transactions", &row).await;
    shop.connect
        .delete_screen(shop.account, till.id)
        .await
        .unwrap();
    till.post("transactions", &row)
        .await
        .fails(401, "unauthorized");
    assert_eq!(shop.all("transactions", "").await.len(), 2);
}

/// A token is no key and a key is no token, and each listener has its own paths only.
#[tokio::test]
async fn keys_and_tokens_open_different_doors() {
    let shop = Shop::open().await;
    let till = shop.register("Till").await;
    let with_token = Request::post(device_path("transactions"), &sale("Tea", 200));
    let refused = shop.send(with_token).await.fails(401, "unauthorized");
    let (_, _, message) = refused.failure();
    assert_eq!(
        message,
        "Authorization: the key is a token, which only the API takes; `connect-server screen roll` \
         gives a screen a new key"
    );
    let list = Request::get(shop.at("transactions"));
    shop.send_as(&till.key, list)
        .await
        .fails(401, "unauthorized");
    let send = connect_tests::http::send;
    let write = Request::post(device_path("transactions"), &sale("Tea", 200)).bearer(&till.key);
    let elsewhere = send(shop.address, write).await.unwrap();
    elsewhere.fails(404, "not_found");
    let list = Request::get(shop.at("transactions")).bearer(&shop.token);
    let elsewhere = send(shop.owner_address, list).await.unwrap();
    let (_, _, message) = elsewhere.fails(404, "not_found").failure();
    let hint = "; this address has the dashboard, at /dashboard, and registers and kiosks, below \
                /device/v1 (see /device/v1/openapi.json); the API is at another address";
    assert!(message.ends_with(hint), "{message}");
}

#[tokio::test]
async fn screens_write_what_their_type_is_for() {
    let shop = Shop::open().await;
    let (till, kiosk) = (shop.register("Till").await, shop.kiosk("Kiosk").await);
    let phone = shop
        .device(shop.here, ScreenType::ScanAndOrder, "Tables")
        .await;
    for screen in [&kiosk, &phone] {
        let row = screen.post("transactions", &sale("Tea", 200)).await;
        row.fails(403, "forbidden_scope");
        let closing = screen.post("z-reports", &json!({})).await;
        closing.fails(403, "forbidden_scope");
    }
    // A body that is wrong besides says nothing to who may not write it.
    for order in [soup(), json!({ "colour": "red" })] {
        let order = till.post("orders", &order).await;
        order.fails(403, "forbidden_scope");
    }
}

/// The refusal of a screen is not kept under the key of the request, as that of a scope is not.
#[tokio::test]
async fn refusals_of_screens_are_not_stored() {
    let shop = Shop::open().await;
    let till = shop.register("Till").await;
    for _ in 0..2 {
        let order = Request::post(device_path("orders"), &soup()).key("order-1");
        let refused = till.send(order).await.fails(403, "forbidden_scope");
        assert_eq!(refused.header("idempotent-replayed"), None);
    }
}

/// What the tokens of an account do holds no register up; whoever guesses keys is held up.
#[tokio::test]
async fn valid_keys_count_for_their_screen_and_invalid_ones_for_their_address() {
    let limits = RateLimits {
        token: 7,
        account: 2,
        address: 3,
        ..RateLimits::default()
    };
    let shop = Setup::default().limits(limits).open().await;
    let till = shop.register("Till").await;
    for left in (1..7).rev() {
        let answer = till
            .post("transactions", &sale("Tea", 200))
            .await
            .expect(201);
        assert_eq!(answer.number("x-ratelimit-remaining"), left);
    }
    let guess = || Request::post(device_path("transactions"), &sale("Tea", 200));
    for left in [2, 1, 0] {
        let refused = shop.send_as("dk_guess", guess()).await;
        assert_eq!(refused.number("x-ratelimit-remaining"), left);
        refused.fails(401, "unauthorized");
    }
    let refused = shop.send_as("dk_guess", guess()).await;
    assert_eq!(refused.number("retry-after"), 60);
    refused.fails(429, "rate_limited");
    till.post("transactions", &sale("Tea", 200))
        .await
        .expect(201);
}
