//! `/v1/locations/{locationId}/stock`, as JSON. What the SDK sends too is among its tests.

use connect_tests::{http::Request, shop::Shop};
use serde_json::{Value, json};

async fn adjust(shop: &Shop, body: &Value) -> Value {
    let answer = shop.post("stock/adjustments", body).await;
    answer.expect(201).data()
}

async fn count(shop: &Shop, items: &[Value]) -> Value {
    let put = Request::new(http::Method::PUT, shop.at("stock")).json(&json!({ "items": items }));
    shop.send(put).await.expect(200).data()
}

/// A product with a code, and one without.
async fn tracked(shop: &Shop) -> [Value; 2] {
    let coded = json!({ "name": "Rye", "externalId": "RYE" });
    let products = [coded, json!({ "name": "Bun" })];
    for product in &products {
        let product = shop.make("products", product).await;
        let delivery = json!({ "productId": product["id"], "quantityChange": 2.5 });
        adjust(shop, &delivery).await;
    }
    let [rye, bun] = &shop.all("stock", "").await[..] else {
        panic!("two levels");
    };
    [rye.clone(), bun.clone()]
}

#[tokio::test]
async fn levels_can_be_counted_as_they_were_read() {
    let shop = Shop::open().await;
    let mut levels = tracked(&shop).await;
    assert_eq!(levels[1]["externalId"], Value::Null);
    let same = count(&shop, &levels).await;
    assert_eq!(same["unchanged"], 2, "{same}");
    levels[0]["quantity"] = 7.into();
    levels[1]["quantity"] = 8.into();
    let changed = count(&shop, &levels).await;
    assert_eq!(changed["updated"], 2, "{changed}");
    assert_eq!(changed["results"][0]["externalId"], "RYE");
}

#[tokio::test]
async fn two_names_have_to_be_those_of_one_product() {
    let shop = Shop::open().await;
    let [rye, bun] = tracked(&shop).await;
    let named = |level: &Value, code: &str| json!({ "productId": level["productId"], "externalId": code, "quantity": 1 });
    let done = count(
        &shop,
        &[named(&rye, "BUN"), named(&bun, "RYE"), named(&rye, "RYE")],
    )
    .await;
    assert_eq!((&done["failed"], &done["updated"]), (&2.into(), &1.into()));
    for place in [0, 1] {
        let error = &done["results"][place]["error"];
        assert_eq!(error["code"], "conflict");
        assert_eq!(error["field"], "externalId");
    }
    let both = json!({
        "productId": rye["productId"], "externalId": "BUN", "quantityChange": 1,
    });
    let answer = shop.post("stock/adjustments", &both).await.expect(409);
    assert_eq!(answer.json()["error"]["field"], "externalId");
}

#[tokio::test]
async fn a_movement_can_be_booked_as_it_was_read() {
    let shop = Shop::open().await;
    tracked(&shop).await;
    for movement in shop.all("stock/movements", "").await {
        let again = adjust(&shop, &movement).await;
        assert_ne!(again["id"], movement["id"]);
        for field in ["productId", "externalId", "type", "quantityChange", "note"] {
            assert_eq!(again[field], movement[field], "{field}");
        }
        assert_eq!(again["quantityAfter"], 5);
    }
}
