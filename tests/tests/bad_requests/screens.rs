//! The screens of the scene, and their records.

use connect_core::ScreenType;
use connect_tests::{http::Request, shop::Shop};
use serde_json::{Value, json};

/// A line of a sale or an order with all of its fields.
fn line() -> Value {
    json!({
        "productId": null,
        "externalId": "TEA-1",
        "name": "Tea",
        "quantity": 2,
        "unitPriceCents": 150,
        "discountCents": 0,
        "totalCents": 400,
        "vatRate": 9,
        "options": [{ "optionId": null, "name": "Milk", "priceCents": 50 }],
    })
}

/// The screens and their records, by their names in the tables.
pub(super) async fn add_to(shop: &Shop) -> Vec<(&'static str, String)> {
    let sale = |order: &Value| {
        json!({
            "type": "sale", "totalCents": 400, "lines": [line()], "orderId": order,
            "payments": [{ "method": "card", "amountCents": 400 }],
        })
    };
    let float = json!({
        "type": "opening_float", "totalCents": 400,
        "payments": [{ "method": "cash", "amountCents": 400 }],
    });
    let order = json!({ "fulfilment": "takeaway", "lines": [line()] });
    let id = |record: &Value| record["id"].as_str().expect("an id").to_owned();
    let (register, kiosk) = (shop.register("Till").await, shop.kiosk("Kiosk").await);
    let (other, gone) = (shop.kiosk("Other").await, shop.register("Gone").await);
    let screen = async |at, kind| shop.device(at, kind, "Screen").await;
    let phone = screen(shop.here, ScreenType::ScanAndOrder).await;
    let away = screen(shop.there, ScreenType::Pos).await;
    let away_kiosk = screen(shop.there, ScreenType::OrderKiosk).await;
    let revoked = shop.connect.revoke_screen_key(shop.account, gone.id).await;
    revoked.expect("the screen");

    let ordered = async || kiosk.make("orders", &order).await;
    let (open, paid, cancelled) = (ordered().await, ordered().await, ordered().await);
    let cancel = json!({ "status": "cancelled" });
    kiosk.patch(&id(&cancelled), &cancel).await.expect(200);
    let others = other.make("orders", &order).await;
    let away_order = away_kiosk.make("orders", &order).await;
    let sold = register.make("transactions", &sale(&Value::Null)).await;
    let used = Request::post("/device/v1/transactions", &float).key("used");
    let float = register.send(used).await.expect(201).data();
    register.make("transactions", &sale(&paid["id"])).await;
    let away_sale = away.make("transactions", &sale(&Value::Null)).await;
    vec![
        ("register", register.key),
        ("kiosk", kiosk.key),
        ("phone", phone.key),
        ("gone-key", gone.key),
        ("order", id(&open)),
        ("paid-order", id(&paid)),
        ("cancelled-order", id(&cancelled)),
        ("other-order", id(&others)),
        ("away-order", id(&away_order)),
        ("sale", id(&sold)),
        ("float", id(&float)),
        ("away-sale", id(&away_sale)),
    ]
}
