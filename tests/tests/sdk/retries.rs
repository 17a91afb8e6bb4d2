//! What the SDK does about lost answers and refusals.

use std::time::Duration;

use connect_client::{
    Client, GaveUp, IdempotencyKey, RetryPolicy, Uuid,
    wire::{ErrorCode, Field, ProductInput, Scope, query::ProductQuery},
};
use connect_core::RateLimits;
use connect_tests::{shop::Setup, watch::Watch};

use super::{client, coded, open};

#[tokio::test]
async fn a_lost_answer_is_asked_for_again_and_nothing_happens_twice() {
    let (shop, watch, client) = open().await;
    let products = client.location(shop.here).products();
    watch.lose_answers(2);
    let made = products
        .create(&ProductInput::named("Rye"))
        .send()
        .await
        .unwrap();
    assert_eq!((made.meta.attempts, made.meta.replayed), (3, true));
    let sent = watch.passed();
    assert_eq!(sent.len(), 3);
    let key = |at: usize| sent[at].request.headers.get("idempotency-key").cloned();
    assert!(key(0).is_some() && key(0) == key(1) && key(1) == key(2));

    watch.lose_answers(1);
    products.delete(made.data.id).await.unwrap();
    watch.lose_answers(1);
    let items: Vec<_> = (0..700).map(|n| coded(&format!("B-{n}"), "Bun")).collect();
    let total = products.upsert_all(&items).run().await.unwrap();
    assert_eq!((total.created, total.unchanged), (700, 0));
    assert_eq!(
        products
            .stream(&ProductQuery::default())
            .all()
            .await
            .unwrap()
            .len(),
        700
    );
}

#[tokio::test]
async fn a_key_of_ones_own_is_used_and_guards() {
    let (shop, _watch, client) = open().await;
    let products = client.location(shop.here).products();
    let key = || IdempotencyKey::new("import-1").unwrap();
    let make = |name: &str| {
        products
            .create(&ProductInput::named(name))
            .idempotency_key(key())
    };
    let first = make("Rye").send().await.unwrap();
    let second = make("Rye").send().await.unwrap();
    assert_eq!((first.meta.replayed, second.meta.replayed), (false, true));
    assert_eq!(first.data, second.data);
    let other = make("Bun").await.unwrap_err();
    assert_eq!(
        (other.status(), other.code()),
        (Some(409), Some(&ErrorCode::Conflict))
    );
    assert!(!other.retryable());
}

#[tokio::test]
async fn refusals_are_reported_once_and_in_full() {
    let (shop, watch, own) = open().await;
    let products = own.location(shop.here).products();
    let wrong = ProductInput {
        price_cents: Field::Value(-1),
        ..ProductInput::named("Rye")
    };
    let error = products.create(&wrong).await.unwrap_err();
    assert_eq!((error.status(), error.attempts()), (Some(422), 1));
    assert_eq!(error.code(), Some(&ErrorCode::ValidationFailed));
    assert!(error.api().unwrap().message.starts_with("priceCents: "));
    let passed = watch.passed();
    assert_eq!(error.request_id(), passed[0].header("x-request-id"));

    let nobody = client(&watch, "ck_test_nobody");
    let error = nobody.locations().await.unwrap_err();
    assert_eq!((error.status(), error.attempts()), (Some(401), 1));
    let reader = client(
        &watch,
        &shop.token_for(shop.here, &[Scope::CatalogRead]).await,
    );
    let error = reader
        .location(shop.here)
        .products()
        .create(&wrong)
        .await
        .unwrap_err();
    assert_eq!(error.code(), Some(&ErrorCode::ForbiddenScope));
    let error = reader
        .location(shop.there)
        .products()
        .get(Uuid::nil())
        .await
        .unwrap_err();
    assert_eq!(error.code(), Some(&ErrorCode::ForbiddenLocation));
}

#[tokio::test]
async fn a_limit_that_outlasts_the_budget_is_reported_with_its_wait() {
    let limits = RateLimits {
        token: 1,
        account: 100,
        address: 100,
        ..RateLimits::default()
    };
    let shop = Setup::default().limits(limits).open().await;
    let watch = Watch::over(&shop).await;
    shop.clock.set("2026-11-20T10:00:20Z".parse().unwrap());
    let policy = RetryPolicy::default().budget(Duration::from_secs(5));
    let client = Client::builder(&watch.base_url, &shop.token)
        .retry(policy)
        .build()
        .unwrap();
    client.locations().await.unwrap();
    let error = client.locations().await.unwrap_err();
    assert_eq!(
        (error.status(), error.code()),
        (Some(429), Some(&ErrorCode::RateLimited))
    );
    assert_eq!(error.retry_after(), Some(Duration::from_secs(40)));
    assert_eq!(
        (error.gave_up(), error.attempts()),
        (Some(GaveUp::RetryAfter), 1)
    );
    assert!(error.retryable());
    let limit = client.rate_limit().unwrap();
    assert_eq!((limit.limit, limit.remaining), (1, 0));
    assert_eq!(limit.reset, "2026-11-20T10:01:00Z".parse().unwrap());
}
