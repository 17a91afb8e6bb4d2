//! Orders, from the kiosk to the kitchen, the register and the integrator.

use connect_core::ScreenType;
use connect_tests::shop::Shop;
use serde_json::{Value, json};

use super::{events, holds, id, line, sale, soup};

/// The order as an integrator reads it.
async fn read(shop: &Shop, order: &Value) -> Value {
    let one = shop.get(&format!("orders/{}", id(order))).await;
    one.expect(200).data()
}

#[tokio::test]
async fn kiosks_and_scan_and_order_make_orders() {
    let shop = Shop::open().await;
    let kiosk = shop.kiosk("Kiosk at the door").await;
    let phone = shop
        .device(shop.here, ScreenType::ScanAndOrder, "Tables")
        .await;
    let mut coffee = line("Cappuccino", 2, 325);
    coffee["options"] = json!([{ "name": "Oat milk", "priceCents": 50 }]);
    coffee["totalCents"] = 750.into();
    let full = json!({
        "fulfilment": "takeaway",
        "lines": [coffee, line("Rye loaf", 1, 425)],
        "tableLabel": "12",
        "customerName": "Noor",
        "note": "No sugar\nplease",
        "paymentStatus": "paid",
    });
    let first = kiosk.make("orders", &full).await;
    let given = json!({
        "number": 1, "source": "kiosk", "status": "new", "paymentStatus": "paid",
        "fulfilment": "takeaway", "tableLabel": "12", "customerName": "Noor",
        "note": "No sugar\nplease", "currency": "EUR", "totalCents": 1175, "transactionId": null,
        "createdAt": first["updatedAt"],
    });
    holds(&first, &given);
    shop.clock.advance(1);
    let second = phone.make("orders", &soup()).await;
    let given = json!({
        "number": 2, "source": "scan_and_order", "paymentStatus": "unpaid",
        "fulfilment": "dine_in", "tableLabel": null, "customerName": null, "note": null,
    });
    holds(&second, &given);

    let orders = [first, second];
    assert_eq!(shop.all("orders", "limit=1").await, orders);
    assert_eq!(events(&shop, "order.created").await, orders);
    assert_eq!(read(&shop, &orders[0]).await, orders[0]);
}

#[tokio::test]
async fn an_order_moves_on_and_each_move_is_told() {
    let shop = Shop::open().await;
    let (kiosk, till) = (shop.kiosk("Kiosk").await, shop.register("Till").await);
    let order = kiosk.make("orders", &soup()).await;
    let mut told = Vec::new();
    // A register moves any order, a kiosk its own; steps may be skipped.
    for (by, status) in [(&till, "accepted"), (&kiosk, "ready"), (&till, "completed")] {
        shop.clock.advance(10);
        let moved = by.patch(&id(&order), &json!({ "status": status })).await;
        told.push(moved.expect(200).data());
        let last = &told[told.len() - 1];
        holds(
            last,
            &json!({ "status": status, "createdAt": order["createdAt"] }),
        );
        assert_eq!(read(&shop, &order).await, *last);
    }
    assert!(told.is_sorted_by(|a, b| a["updatedAt"].as_str() < b["updatedAt"].as_str()));
    // The same again changes nothing; paying moves no status, so there is no event of one.
    let same = till
        .patch(&id(&order), &json!({ "status": "completed" }))
        .await;
    assert_eq!(same.expect(200).data(), told[2]);
    let paid = till
        .patch(&id(&order), &json!({ "paymentStatus": "paid" }))
        .await;
    holds(
        &paid.expect(200).data(),
        &json!({ "status": "completed", "paymentStatus": "paid" }),
    );
    for status in ["new", "ready", "cancelled"] {
        let refused = till.patch(&id(&order), &json!({ "status": status })).await;
        let (_, _, message) = refused.fails(409, "conflict").failure();
        assert!(message.starts_with("status: is completed"), "{message}");
    }
    assert_eq!(events(&shop, "order.status_changed").await, told);
}

#[tokio::test]
async fn an_order_moves_forward_or_is_cancelled() {
    let shop = Shop::open().await;
    let kiosk = shop.kiosk("Kiosk").await;
    let order = kiosk.make("orders", &soup()).await;
    let to = async |status: &str| kiosk.patch(&id(&order), &json!({ "status": status })).await;
    to("preparing").await.expect(200);
    let (_, _, message) = to("accepted").await.fails(409, "conflict").failure();
    assert!(
        message.starts_with("status: cannot move from preparing back to accepted"),
        "{message}"
    );
    to("cancelled").await.expect(200);
    to("ready").await.fails(409, "conflict");
    holds(
        &read(&shop, &order).await,
        &json!({ "status": "cancelled" }),
    );
}

#[tokio::test]
async fn an_order_becomes_a_sale_and_both_name_each_other() {
    let shop = Shop::open().await;
    let (kiosk, till) = (shop.kiosk("Kiosk").await, shop.register("Till").await);
    let order = kiosk.make("orders", &soup()).await;
    let mut paid = sale("Soup", 450);
    paid["orderId"] = order["id"].clone();
    let sold = till.make("transactions", &paid).await;
    assert_eq!(sold["orderId"], order["id"]);
    let linked = json!({ "paymentStatus": "paid", "transactionId": sold["id"], "status": "new" });
    holds(&read(&shop, &order).await, &linked);
    assert_eq!(
        events(&shop, "order.status_changed").await,
        [Value::Null; 0]
    );

    // Nobody pays twice, or for what was cancelled.
    let refused = till.post("transactions", &paid).await;
    let (_, _, message) = refused.fails(409, "conflict").failure();
    assert!(message.contains("was paid by transaction"), "{message}");
    let cancelled = kiosk.make("orders", &soup()).await;
    let cancel = json!({ "status": "cancelled" });
    kiosk.patch(&id(&cancelled), &cancel).await.expect(200);
    paid["orderId"] = cancelled["id"].clone();
    let refused = till.post("transactions", &paid).await;
    let (_, _, message) = refused.fails(409, "conflict").failure();
    assert!(message.contains("is cancelled"), "{message}");

    let refund = json!({
        "type": "refund",
        "totalCents": -450,
        "lines": [line("Soup", -1, 450)],
        "payments": [{ "method": "card", "amountCents": -450 }],
        "refundOf": sold["id"],
        "orderId": order["id"],
    });
    let refund = till.make("transactions", &refund).await;
    let refunded = json!({ "paymentStatus": "refunded", "transactionId": sold["id"] });
    holds(&read(&shop, &order).await, &refunded);
    // The refused sales took no receipt number.
    assert_eq!(refund["receiptNumber"], 2);
}

#[tokio::test]
async fn the_link_to_a_sale_is_set_only_to_a_sale_of_the_order() {
    let shop = Shop::open().await;
    let (kiosk, till) = (shop.kiosk("Kiosk").await, shop.register("Till").await);
    let order = kiosk.make("orders", &soup()).await;
    let mut paid = sale("Soup", 450);
    let other = till.make("transactions", &paid).await;
    paid["orderId"] = order["id"].clone();
    let sold = till.make("transactions", &paid).await;
    let link = async |to: &Value| {
        till.patch(&id(&order), &json!({ "transactionId": to }))
            .await
    };
    link(&Value::Null).await.fails(409, "conflict");
    let refused = link(&other["id"]).await.fails(422, "validation_failed");
    assert!(
        refused
            .failure()
            .2
            .starts_with("transactionId: there is no sale")
    );
    let linked = link(&sold["id"]).await.expect(200).data();
    assert_eq!(linked["transactionId"], sold["id"]);
}

/// To a kiosk there are no orders but its own, to a location none but its own.
#[tokio::test]
async fn orders_of_others_are_not_found() {
    let shop = Shop::open().await;
    let (kiosk, other) = (shop.kiosk("Kiosk").await, shop.kiosk("Other").await);
    let there = shop.device(shop.there, ScreenType::Pos, "Till").await;
    let order = kiosk.make("orders", &soup()).await;
    for stranger in [&other, &there] {
        let refused = stranger
            .patch(&id(&order), &json!({ "status": "ready" }))
            .await;
        refused.fails(404, "not_found");
    }
    assert_eq!(read(&shop, &order).await, order);
    let theirs = format!("/v1/locations/{}/orders/{}", shop.there, id(&order));
    let read_there = connect_tests::http::Request::get(theirs);
    shop.send(read_there).await.fails(404, "not_found");
}
