//! Windows of a minute per token, account and address, on a clock that stands still.

use connect_core::RateLimits;
use connect_tests::{
    http::{Answer, Request},
    shop::{Setup, Shop},
};
use serde_json::json;

/// 2026-11-20T10:01:00Z, the end of the minute that shops open in.
const WINDOW_END: i64 = 1_795_168_860;

async fn shop(token: u32, account: u32, address: u32) -> Shop {
    let limits = RateLimits {
        token,
        account,
        address,
        ..RateLimits::default()
    };
    Setup::default().limits(limits).open().await
}

fn list() -> Request {
    Request::get("/v1/locations")
}

/// Limit, remaining and reset.
fn figures(answer: &Answer) -> (i64, i64, i64) {
    (
        answer.number("x-ratelimit-limit"),
        answer.number("x-ratelimit-remaining"),
        answer.number("x-ratelimit-reset"),
    )
}

#[tokio::test]
async fn a_token_has_its_requests_per_minute() {
    let shop = shop(3, 100, 100).await;
    shop.clock.set("2026-11-20T10:00:00Z".parse().unwrap());
    for left in [2, 1, 0] {
        let answer = shop.send(list()).await.expect(200);
        assert_eq!(figures(&answer), (3, left, WINDOW_END));
    }
    shop.clock.set("2026-11-20T10:00:43Z".parse().unwrap());
    for _ in 0..3 {
        let answer = shop.send(list()).await.fails(429, "rate_limited");
        assert_eq!(figures(&answer), (3, 0, WINDOW_END));
        assert_eq!(answer.number("retry-after"), 17);
    }
    shop.clock
        .set("2026-11-20T10:00:59.999999Z".parse().unwrap());
    assert_eq!(shop.send(list()).await.expect(429).number("retry-after"), 1);
    shop.clock.set("2026-11-20T10:01:00Z".parse().unwrap());
    let answer = shop.send(list()).await.expect(200);
    assert_eq!(figures(&answer), (3, 2, WINDOW_END + 60));
}

#[tokio::test]
async fn every_kind_of_answer_counts_but_a_429() {
    let shop = shop(6, 100, 100).await;
    let left = |answer: Answer| answer.number("x-ratelimit-remaining");
    assert_eq!(left(shop.send(list()).await.expect(200)), 5);
    assert_eq!(
        left(shop.send(Request::get("/v1/nowhere")).await.expect(404)),
        4
    );
    assert_eq!(
        left(
            shop.send(Request::delete("/v1/locations"))
                .await
                .expect(405)
        ),
        3
    );
    assert_eq!(left(shop.post("products", &json!({})).await.expect(422)), 2);
    let items: Vec<_> = (0..500)
        .map(|n| json!({ "name": format!("Bun {n}") }))
        .collect();
    let batch = shop
        .post("products/batch", &json!({ "items": items }))
        .await
        .expect(200);
    assert_eq!(left(batch), 1);
    assert_eq!(left(shop.get("products?limit=0").await.expect(400)), 0);
    for _ in 0..10 {
        shop.send(list()).await.fails(429, "rate_limited");
    }
    // Ten refusals have not been held against the next window.
    shop.clock.advance(60);
    assert_eq!(left(shop.send(list()).await.expect(200)), 5);
}

/// A key answered as many requests as its holder could send.
#[tokio::test]
async fn a_screen_has_as_many_requests_as_a_token_and_no_part_in_the_accounts() {
    let shop = shop(3, 4, 100).await;
    let (till, kiosk) = (shop.register("Till").await, shop.kiosk("Kiosk").await);
    let cash_in = |cents: i64| {
        let payments = json!([{ "method": "cash", "amountCents": cents }]);
        json!({ "type": "cash_in", "totalCents": cents, "payments": payments })
    };
    for left in [2, 1] {
        let written = till.post("transactions", &cash_in(500)).await.expect(201);
        assert_eq!(figures(&written), (3, left, WINDOW_END));
    }
    // What is refused counts as well.
    let refused = till.post("orders", &json!({})).await;
    assert_eq!(
        figures(&refused.fails(403, "forbidden_scope")),
        (3, 0, WINDOW_END)
    );
    shop.clock.set("2026-11-20T10:00:43Z".parse().unwrap());
    for _ in 0..2 {
        let held = till.post("transactions", &cash_in(700)).await;
        let held = held.fails(429, "rate_limited");
        assert_eq!(figures(&held), (3, 0, WINDOW_END));
        assert_eq!(held.number("retry-after"), 17);
        let said = held.json()["error"]["message"].to_string();
        assert!(
            said.contains("requests of this screen (3 a minute)"),
            "{said}"
        );
    }
    // Another screen, and the tokens of the account, have theirs.
    let other = kiosk.post("orders", &json!({})).await.expect(422);
    assert_eq!(figures(&other), (3, 2, WINDOW_END));
    assert_eq!(
        figures(&shop.send(list()).await.expect(200)),
        (3, 2, WINDOW_END)
    );
    shop.clock.set("2026-11-20T10:01:00Z".parse().unwrap());
    let written = till.post("transactions", &cash_in(700)).await.expect(201);
    assert_eq!(figures(&written), (3, 2, WINDOW_END + 60));
    let journal = shop.get("transactions").await.expect(200).json();
    assert_eq!(
        journal["data"].as_array().map(Vec::len),
        Some(3),
        "{journal}"
    );
}

#[tokio::test]
async fn the_tokens_of_an_account_share_its_limit() {
    let shop = shop(3, 4, 100).await;
    let other = shop
        .token_for(shop.there, &connect_tests::shop::everything())
        .await;
    let (_, stranger) = shop.stranger(true).await;
    // Whichever has less left is shown: first the token, then the account.
    assert_eq!(figures(&shop.send(list()).await), (3, 2, WINDOW_END));
    assert_eq!(figures(&shop.send(list()).await), (3, 1, WINDOW_END));
    assert_eq!(
        figures(&shop.send_as(&other, list()).await),
        (4, 1, WINDOW_END)
    );
    assert_eq!(
        figures(&shop.send_as(&other, list()).await),
        (4, 0, WINDOW_END)
    );
    // The token has one left, the account has none: refused, and the token keeps its one.
    let refused = shop.send(list()).await.fails(429, "rate_limited");
    assert_eq!(figures(&refused), (4, 0, WINDOW_END));
    shop.send_as(&stranger, list()).await.expect(200);
}

/// What one token is refused is not taken from the others of its account.
#[tokio::test]
async fn a_429_of_a_token_does_not_count_for_its_account() {
    let shop = shop(3, 5, 100).await;
    let other = shop
        .token_for(shop.there, &connect_tests::shop::everything())
        .await;
    for _ in 0..3 {
        shop.send(list()).await.expect(200);
    }
    for _ in 0..10 {
        shop.send(list()).await.fails(429, "rate_limited");
    }
    assert_eq!(
        figures(&shop.send_as(&other, list()).await.expect(200)),
        (5, 1, WINDOW_END)
    );
}

#[tokio::test]
async fn a_429_comes_before_the_route_and_has_no_effect() {
    let shop = shop(1, 100, 100).await;
    shop.send(list()).await.expect(200);
    let rye = Request::post(shop.at("products"), &json!({ "name": "Rye" })).key("rye");
    shop.send(rye.clone()).await.fails(429, "rate_limited");
    shop.send(Request::get("/v1/nowhere"))
        .await
        .fails(429, "rate_limited");
    shop.clock.advance(60);
    // It was not stored under its key: now it is done, and not replayed.
    let made = shop.send(rye).await.expect(201);
    assert_eq!(made.header("idempotent-replayed"), None);
    shop.clock.advance(60);
    assert_eq!(shop.get("products").await.list().len(), 1);
}

#[tokio::test]
async fn an_address_has_its_invalid_tokens_per_minute() {
    let shop = shop(100, 100, 3).await;
    let guess = || list().header("authorization", "Bearer ck_test_guess");
    for left in [2, 1, 0] {
        let answer = shop.send_bare(guess()).await.fails(401, "unauthorized");
        assert_eq!(figures(&answer), (3, left, WINDOW_END));
        assert!(answer.header("retry-after").is_none());
    }
    shop.clock.advance(20);
    for request in [guess(), list(), Request::get("/v1/nowhere")] {
        let answer = shop.send_bare(request).await.fails(429, "rate_limited");
        assert_eq!(figures(&answer), (3, 0, WINDOW_END));
        assert_eq!(answer.number("retry-after"), 40);
    }
    // A valid token gets in from a blocked address, and counts by its own figures.
    assert_eq!(
        figures(&shop.send(list()).await.expect(200)),
        (100, 99, WINDOW_END)
    );
    shop.clock.advance(40);
    shop.send_bare(guess()).await.fails(401, "unauthorized");
}

#[tokio::test]
async fn the_document_is_answered_under_the_figures_of_the_address() {
    let shop = shop(100, 100, 3).await;
    let document = || Request::get("/v1/openapi.json");
    for _ in 0..5 {
        let answer = shop.send_bare(document()).await.expect(200);
        assert_eq!(figures(&answer), (3, 3, WINDOW_END));
    }
}

#[tokio::test]
async fn the_clock_may_step_back() {
    let shop = shop(2, 100, 100).await;
    shop.send(list()).await.expect(200);
    shop.send(list()).await.expect(200);
    shop.clock.advance(-3600);
    let answer = shop.send(list()).await;
    // Nobody is locked out by it: a refusal lasts a minute at most.
    if answer.status == 429 {
        assert!(answer.number("retry-after") <= 60);
    }
    shop.clock.advance(3660);
    shop.send(list()).await.expect(200);
}

#[tokio::test]
async fn requests_at_once_are_counted_exactly() {
    let shop = std::sync::Arc::new(shop(40, 100, 100).await);
    let requests = (0..100).map(|_| {
        let shop = shop.clone();
        tokio::spawn(async move { shop.send(list()).await.status.as_u16() })
    });
    let statuses: Vec<u16> = futures_util::future::join_all(requests)
        .await
        .into_iter()
        .map(Result::unwrap)
        .collect();
    assert_eq!(statuses.iter().filter(|status| **status == 200).count(), 40);
    assert_eq!(statuses.iter().filter(|status| **status == 429).count(), 60);
}

/// Whoever reads the message knows which of the three limits it was.
#[tokio::test]
async fn a_429_names_its_limit() {
    let message = |answer: Answer| answer.fails(429, "rate_limited").failure().2;
    let of_token = shop(1, 100, 100).await;
    of_token.send(list()).await.expect(200);
    assert_eq!(
        message(of_token.send(list()).await),
        "too many requests of this token (1 a minute); wait 60 seconds"
    );
    let of_account = shop(100, 1, 100).await;
    of_account.send(list()).await.expect(200);
    assert_eq!(
        message(of_account.send(list()).await),
        "too many requests of this account (1 a minute); wait 60 seconds"
    );
    let of_address = shop(100, 100, 1).await;
    of_address.send_bare(list()).await.expect(401);
    assert_eq!(
        message(of_address.send_bare(list()).await),
        "too many requests of this address without a valid token or key (1 a minute); wait 60 seconds"
    );
}
