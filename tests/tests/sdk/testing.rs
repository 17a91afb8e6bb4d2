//! The shop that integrations test against, and the faults that they order.

use std::time::Duration;

use connect_client::{
    Client, ErrorKind, RetryPolicy,
    device::DeviceClient,
    transport::Fault,
    wire::{
        ErrorCode, Field, PaymentInput, PaymentMethod, ProductInput, TransactionInput,
        TransactionType, query::ProductQuery,
    },
};
use connect_server::testing::{ScreenType, TestShop};

/// A client that sends each request once.
fn once(shop: &TestShop) -> Client {
    let client = Client::builder(shop.url(), shop.token()).retry(RetryPolicy::never());
    client.build().unwrap()
}

async fn products(shop: &TestShop) -> usize {
    let products = once(shop).location(shop.location()).products();
    products
        .stream(&ProductQuery::default())
        .all()
        .await
        .unwrap()
        .len()
}

#[tokio::test]
async fn statuses_that_are_ordered_come_in_order_and_once() {
    let shop = TestShop::start().await;
    let client = once(&shop);
    for (status, code) in [
        (400, Some(ErrorCode::ValidationFailed)),
        (401, Some(ErrorCode::Unauthorized)),
        (403, Some(ErrorCode::ForbiddenScope)),
        (404, Some(ErrorCode::NotFound)),
        (405, Some(ErrorCode::MethodNotAllowed)),
        (409, Some(ErrorCode::Conflict)),
        (413, Some(ErrorCode::PayloadTooLarge)),
        (429, Some(ErrorCode::RateLimited)),
        (500, Some(ErrorCode::ServerError)),
        (502, None),
    ] {
        shop.fail_next(status);
        let error = client.locations().await.unwrap_err();
        assert_eq!(
            (error.status(), error.code().cloned()),
            (Some(status), code)
        );
        assert_eq!(error.retry_after().is_some(), status == 429);
    }
    assert_eq!(client.locations().await.unwrap().len(), 1);
    assert_eq!(shop.requests(), ["GET /v1/locations"; 11]);
}

#[tokio::test]
async fn a_cut_connection_writes_nothing_and_a_lost_answer_everything() {
    let shop = TestShop::start().await;
    let create = |name: &str| {
        let products = once(&shop).location(shop.location()).products();
        products.create(&ProductInput::named(name))
    };
    shop.cut_next();
    let cut = create("Bread").await.unwrap_err();
    assert_eq!(products(&shop).await, 0);
    shop.lose_next_answer();
    let lost = create("Bread").await.unwrap_err();
    assert_eq!(products(&shop).await, 1);
    for error in [cut, lost] {
        assert!(matches!(error.kind(), ErrorKind::Transport(e) if e.fault() == Fault::Broken));
        assert!(error.may_be_applied());
    }
}

#[tokio::test]
async fn a_slow_answer_runs_into_a_timeout() {
    let shop = TestShop::start().await;
    shop.delay_next(Duration::from_secs(600));
    let call = once(&shop).locations().timeout(Duration::from_millis(50));
    let error = call.await.unwrap_err();
    assert!(matches!(error.kind(), ErrorKind::Transport(e) if e.fault() == Fault::Timeout));
    once(&shop).locations().await.unwrap();
}

#[tokio::test]
async fn a_register_writes_to_the_same_shop() {
    let shop = TestShop::start().await;
    let key = shop.screen_key(ScreenType::Pos).await;
    let till = DeviceClient::builder(shop.device_url(), key)
        .build()
        .unwrap();
    let cash = TransactionInput {
        kind: Field::Value(TransactionType::OpeningFloat),
        ..TransactionInput::default()
            .total_cents(10_000)
            .payments(vec![PaymentInput::of(PaymentMethod::Cash, 10_000)])
    };
    till.write_transaction(&cash).await.unwrap();
    let rows = once(&shop)
        .location(shop.location())
        .transactions()
        .after(0);
    assert_eq!(rows.all().await.unwrap().len(), 1);
}
