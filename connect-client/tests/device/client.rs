//! The typed calls: methods, paths, bodies, keys.

use connect_client::{
    ErrorKind, Method, SettingsError,
    device::DeviceClient,
    wire::{
        Field, Fulfilment, LineInput, OrderChange, OrderInput, OrderStatus, Quantity, VatRate,
        ZReportInput,
    },
};
use serde_json::json;

use super::{ID, KEY, cash_in, client, row};
use crate::support::{
    records::{single, time},
    script::{Script, Sent, json as reply},
};

fn order() -> serde_json::Value {
    json!({
        "id": ID, "number": 3, "source": "kiosk", "status": "new", "paymentStatus": "unpaid",
        "fulfilment": "takeaway", "tableLabel": null, "customerName": null, "note": null,
        "currency": "EUR", "totalCents": 250, "lines": [], "transactionId": null,
        "createdAt": time(0), "updatedAt": time(0),
    })
}

fn z_report() -> serde_json::Value {
    json!({
        "id": ID, "number": 1, "register": { "id": ID, "name": "Till 1" }, "currency": "EUR",
        "openedAt": time(0), "closedAt": time(1), "firstReceiptNumber": 1,
        "lastReceiptNumber": 7, "sales": { "count": 0, "totalCents": 0 },
        "refunds": { "count": 0, "totalCents": 0 }, "discountCents": 0, "netCents": 0,
        "vat": [], "payments": [], "cash": {
            "openingFloatCents": 0, "salesCents": 0, "refundsCents": 0, "inCents": 5,
            "outCents": 0, "expectedCents": 5, "countedCents": 4, "differenceCents": -1,
        },
    })
}

#[tokio::test]
async fn each_call_is_one_write_with_the_key_of_the_screen() {
    let script = Script::new([
        reply(201, &single(row())),
        reply(201, &single(z_report())),
        reply(201, &single(order())),
        reply(200, &single(order())),
    ]);
    let client = client(&script);
    let written = client.write_transaction(&cash_in(5)).await.unwrap();
    assert_eq!(written.receipt_number, 7);

    let closing = ZReportInput {
        counted_cents: Field::Value(4),
    };
    let closed = client.close(&closing).await.unwrap();
    assert_eq!(closed.cash.difference_cents, Some(-1));

    let tea = LineInput {
        name: "Tea".into(),
        quantity: Field::Value(Quantity::from_thousandths(1000).unwrap()),
        unit_price_cents: Field::Value(250),
        total_cents: Field::Value(250),
        vat_rate: Field::Value(VatRate::percent(9)),
        ..LineInput::default()
    };
    let new = OrderInput {
        fulfilment: Field::Value(Fulfilment::Takeaway),
        lines: Field::Value(vec![tea]),
        ..OrderInput::default()
    };
    let order = client.create_order(&new).await.unwrap();
    let change = OrderChange {
        status: Field::Value(OrderStatus::Ready),
        ..OrderChange::default()
    };
    client.update_order(order.id, &change).await.unwrap();

    let sent = script.finish();
    let target = |sent: &Sent| format!("{} {}", sent.request.method(), sent.request.uri());
    let targets: Vec<_> = sent.iter().map(target).collect();
    let base = "http://127.0.0.1:1/device/v1";
    let expected = [
        format!("POST {base}/transactions"),
        format!("POST {base}/z-reports"),
        format!("POST {base}/orders"),
        format!("PATCH {base}/orders/{ID}"),
    ];
    assert_eq!(targets, expected);
    assert_eq!(sent[1].json(), json!({ "countedCents": 4 }));
    assert_eq!(sent[2].json()["lines"][0]["quantity"], 1);
    assert_eq!(sent[3].json(), json!({ "status": "ready" }));
    for sent in sent {
        assert_eq!(
            sent.header("authorization"),
            Some(&*format!("Bearer {KEY}"))
        );
        assert!(sent.key().is_some());
    }
}

#[tokio::test]
async fn a_request_without_a_method_goes_the_way_of_every_call() {
    let script = Script::new([reply(201, &json!({ "opened": true }))]);
    let opened: serde_json::Value = client(&script)
        .request(Method::POST, "/device/v1/drawer-openings")
        .body(&json!({ "reason": "change" }))
        .json()
        .await
        .unwrap();
    assert_eq!(opened["opened"], true);
    let sent = script.finish().remove(0);
    let uri = "http://127.0.0.1:1/device/v1/drawer-openings";
    assert_eq!(sent.request.uri().to_string(), uri);
    assert_eq!(sent.json(), json!({ "reason": "change" }));
    let token = format!("Bearer {KEY}");
    assert_eq!(sent.header("authorization"), Some(&*token));
    assert!(sent.key().is_some());
}

#[test]
fn the_settings_are_those_of_a_client() {
    let build = DeviceClient::builder("http://shop.example:8081", KEY).build();
    let error = build.unwrap_err();
    assert!(matches!(
        error.kind(),
        ErrorKind::Settings(SettingsError::PlainHttp)
    ));
    let client = DeviceClient::builder("http://shop.example:8081", KEY)
        .settings(|settings| settings.allow_plain_http())
        .build()
        .unwrap();
    assert!(!format!("{client:?}").contains(KEY));
}
