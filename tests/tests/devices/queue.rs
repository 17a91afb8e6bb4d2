//! The queue of the SDK against the service.

use connect_client::{
    RetryPolicy,
    device::{DeviceClient, DeviceQueue, Stopped},
    wire::{
        ErrorCode, Field, OrderChange, OrderStatus, PaymentInput, PaymentMethod, TransactionInput,
        TransactionType, ZReportInput,
    },
};
use connect_tests::shop::{Device, Shop};
use serde_json::{Value, json};
use tempfile::TempDir;

/// An order of one soup.
fn soup() -> Value {
    let line = json!({ "name": "Soup", "quantity": 1, "unitPriceCents": 450, "totalCents": 450, "vatRate": 9 });
    json!({ "fulfilment": "dine_in", "lines": [line] })
}

/// A client that tries once, with the key of this screen and an address of this shop.
fn client(device: &Device<'_>, address: &str) -> DeviceClient {
    DeviceClient::builder(address, &device.key)
        .settings(|settings| settings.retry(RetryPolicy::never()))
        .build()
        .unwrap()
}

fn cash_in(cents: i64) -> TransactionInput {
    TransactionInput {
        kind: Field::Value(TransactionType::CashIn),
        total_cents: Field::Value(cents),
        payments: Field::Value(vec![PaymentInput::of(PaymentMethod::Cash, cents)]),
        created_at: Field::Value("2026-11-19T09:00:00Z".parse().unwrap()),
        ..TransactionInput::default()
    }
}

fn accept(order: &Value) -> (uuid::Uuid, OrderChange) {
    let change = OrderChange {
        status: Field::Value(OrderStatus::Accepted),
        ..OrderChange::default()
    };
    (order["id"].as_str().unwrap().parse().unwrap(), change)
}

#[tokio::test]
async fn a_wrong_address_or_key_keeps_every_row() {
    let shop = Shop::open().await;
    let (till, kiosk) = (shop.register("Till").await, shop.kiosk("Kiosk").await);
    let order = kiosk.make("orders", &soup()).await;
    let folder = TempDir::new().unwrap();
    let queue = DeviceQueue::open(folder.path()).unwrap();
    queue.push(accept(&order)).unwrap();
    queue.push(cash_in(500)).unwrap();
    let owner = format!("http://{}", shop.owner_address);
    for wrong in [
        // The address of the API for integrators, and a path too much.
        format!("http://{}", shop.address),
        format!("{owner}/v1"),
        format!("{owner}/device/v1"),
    ] {
        let delivery = queue.send(&client(&till, &wrong)).await;
        assert!(delivery.stopped.is_some(), "{wrong}");
        assert_eq!((queue.waiting(), queue.refused().len()), (2, 0), "{wrong}");
    }
    // The kiosk may change its order, and may not write the journal.
    let delivery = queue.send(&client(&kiosk, &owner)).await;
    assert_eq!(delivery.delivered.len(), 1);
    let Some(Stopped::Call(error)) = delivery.stopped else {
        panic!("{delivery:?}");
    };
    assert_eq!(error.code(), Some(&ErrorCode::ForbiddenScope));
    let delivery = queue.send(&client(&till, &owner)).await;
    assert_eq!(delivery.delivered.len(), 1);
    assert_eq!((queue.waiting(), queue.refused().len()), (0, 0));
    assert_eq!(shop.all("transactions", "").await.len(), 1);
}

#[tokio::test]
async fn an_order_of_which_the_service_does_not_know_is_set_aside() {
    let shop = Shop::open().await;
    let (one, other) = (shop.kiosk("One").await, shop.kiosk("Other").await);
    let order = one.make("orders", &soup()).await;
    let folder = TempDir::new().unwrap();
    let queue = DeviceQueue::open(folder.path()).unwrap();
    let key = queue.push(accept(&order)).unwrap();
    let owner = format!("http://{}", shop.owner_address);
    let delivery = queue.send(&client(&other, &owner)).await;
    assert!(delivery.stopped.is_none(), "{delivery:?}");
    let refused = queue.refused();
    assert_eq!(refused[0].row.key(), key);
    assert_eq!(refused[0].code, Some(ErrorCode::NotFound));
}

/// The register's clock is a year ahead.
#[tokio::test]
async fn a_row_ahead_of_time_is_corrected_and_the_register_closed() {
    let shop = Shop::open().await;
    let till = shop.register("Till").await;
    let folder = TempDir::new().unwrap();
    let queue = DeviceQueue::open(folder.path()).unwrap();
    let ahead = TransactionInput {
        created_at: Field::Value("2027-11-19T09:00:00Z".parse().unwrap()),
        ..cash_in(100)
    };
    queue.push(ahead).unwrap();
    queue.push(cash_in(200)).unwrap();
    let client = client(&till, &format!("http://{}", shop.owner_address));
    let delivery = queue.send(&client).await;
    assert_eq!((delivery.delivered.len(), delivery.refused.len()), (1, 1));
    let refused = &delivery.refused[0];
    assert_eq!(refused.field.as_deref(), Some("createdAt"));

    queue.push(cash_in(100)).unwrap();
    queue.forget_refused(refused.row.key()).unwrap();
    queue.push(ZReportInput::default()).unwrap();
    let delivery = queue.send(&client).await;
    assert!(delivery.stopped.is_none() && queue.refused().is_empty());
    let reports = shop.all("z-reports", "").await;
    assert_eq!(reports[0]["cash"]["inCents"], 300, "{reports:?}");
}
