//! `/v1/locations/{locationId}/products`.

use connect_tests::{http::Request, shop::Shop};
use serde_json::{Value, json};

fn path(product: &Value) -> String {
    format!("products/{}", product["id"].as_str().unwrap())
}

#[tokio::test]
async fn a_product_needs_only_a_name() {
    let shop = Shop::open().await;
    let made = shop.make("products", &json!({ "name": "Rye" })).await;
    let expected = json!({
        "id": made["id"], "externalId": null, "name": "Rye", "description": null,
        "priceCents": 0, "currency": "EUR", "vatRate": 9, "barcode": null, "categoryId": null,
        "isActive": true, "availableFrom": null, "availableUntil": null, "imageUrl": null,
        "imageStatus": null, "imageError": null, "optionGroupIds": [], "stockQuantity": null,
        "createdAt": made["createdAt"], "updatedAt": made["createdAt"],
    });
    assert_eq!(made, expected);
    assert_eq!(shop.get(&path(&made)).await.expect(200).data(), made);
}

#[tokio::test]
async fn every_field_is_kept_as_it_was_written() {
    let shop = Shop::open().await;
    let category = shop.make("categories", &json!({ "name": "Bread" })).await;
    let body = json!({
        "externalId": "RYE 800/a.b_c-d", "name": "Rye \"dark\" \\ 🥖", "description": "Two\nlines",
        "priceCents": 100_000_000, "vatRate": 12.34, "barcode": "8711 000-é", "isActive": false,
        "categoryId": category["id"], "availableFrom": "2024-02-29", "availableUntil": "2024-02-29",
        "optionGroupIds": [],
    });
    let made = shop.make("products", &body).await;
    for (field, value) in body.as_object().unwrap() {
        assert_eq!(&made[field], value, "{field}");
    }
    assert_eq!(shop.get(&path(&made)).await.data(), made);
}

#[tokio::test]
async fn fields_hold_what_their_bounds_allow() {
    let shop = Shop::open().await;
    for body in [
        json!({ "name": "🥐".repeat(200) }),
        json!({ "name": "x", "externalId": "x".repeat(100) }),
        json!({ "name": "x", "externalId": "/" }),
        json!({ "name": "x", "description": "" }),
        json!({ "name": "x", "description": "é".repeat(2000) }),
        json!({ "name": "x", "description": "\n" }),
        json!({ "name": "x", "barcode": "é".repeat(64) }),
        json!({ "name": "x", "vatRate": 0 }),
        json!({ "name": "x", "vatRate": 100 }),
        json!({ "name": "x", "vatRate": 0.01 }),
        json!({ "name": "x", "vatRate": 99.99 }),
        json!({ "name": "x", "availableFrom": "0001-01-01", "availableUntil": "9999-12-31" }),
        json!({ "name": "x", "imageUrl": format!("https://img.example/{}", "x".repeat(1980)) }),
        json!({ "name": "x", "imageUrl": "HTTPS://img.example:443/a@b?c=@#d" }),
        json!({ "name": "x", "imageUrl": "https://bücher.example/ü.png" }),
    ] {
        let made = shop.make("products", &body).await;
        for (field, value) in body.as_object().unwrap() {
            assert_eq!(&made[field], value, "{field}");
        }
    }
}

#[tokio::test]
async fn a_whole_number_is_one_however_it_is_written() {
    let shop = Shop::open().await;
    for (written, cents) in [
        ("12", 12),
        ("12.0", 12),
        ("1.2e1", 12),
        ("120E-1", 12),
        ("-0", 0),
        ("0.0", 0),
        ("1e8", 100_000_000),
    ] {
        let body = format!(r#"{{"name":"Rye","priceCents":{written},"vatRate":9.00}}"#);
        let request = Request::post(shop.at("products"), &json!({})).body(body);
        let made = shop.send(request).await.expect(201).data();
        assert_eq!(made["priceCents"], cents, "{written}");
        assert!(
            made["priceCents"].is_i64(),
            "{written} is answered as {}",
            made["priceCents"]
        );
        assert!(
            made["vatRate"].is_i64(),
            "9.00 is answered as {}",
            made["vatRate"]
        );
    }
}

#[tokio::test]
async fn only_given_fields_change_and_null_clears() {
    let shop = Shop::open().await;
    let body = json!({
        "name": "Rye", "externalId": "R-1", "description": "Dark", "priceCents": 400, "barcode": "871",
        "categoryName": "Bread", "availableFrom": "2026-01-01", "availableUntil": "2026-12-31",
        "imageUrl": "https://img.example/rye.png",
    });
    let made = shop.make("products", &body).await;
    let mut expected = made.clone();
    let changed = shop
        .patch(&path(&made), &json!({ "priceCents": 425 }))
        .await
        .expect(200)
        .data();
    expected["priceCents"] = json!(425);
    expected["updatedAt"] = changed["updatedAt"].clone();
    assert_eq!(changed, expected);

    let nullable = [
        "externalId",
        "description",
        "barcode",
        "categoryId",
        "availableFrom",
        "availableUntil",
        "imageUrl",
    ];
    for field in nullable {
        let cleared = shop
            .patch(&path(&made), &json!({ field: null }))
            .await
            .expect(200)
            .data();
        expected[field] = Value::Null;
        if field == "imageUrl" {
            expected["imageStatus"] = Value::Null;
        }
        expected["updatedAt"] = cleared["updatedAt"].clone();
        assert_eq!(cleared, expected, "{field}");
    }
}

#[tokio::test]
async fn what_was_read_can_be_sent_back() {
    let shop = Shop::open().await;
    let body =
        json!({ "name": "Rye", "categoryName": "Bread", "imageUrl": "https://img.example/a" });
    let made = shop.make("products", &body).await;
    assert_eq!(
        shop.patch(&path(&made), &made).await.expect(200).data(),
        made
    );
    let mut copy = made.clone();
    copy["name"] = json!("Dark rye");
    let other = shop.make("products", &copy).await;
    assert_ne!(other["id"], made["id"]);
    let odd = json!({
        "id": 7, "currency": "USD", "imageStatus": [], "imageError": {}, "stockQuantity": "many",
        "createdAt": null, "updatedAt": true, "priceCents": 3,
    });
    let changed = shop.patch(&path(&made), &odd).await.expect(200).data();
    assert_eq!(
        (&changed["id"], &changed["currency"]),
        (&made["id"], &json!("EUR"))
    );
    assert_eq!(changed["priceCents"], 3);
}

#[tokio::test]
async fn an_external_id_is_unique_at_its_location_to_the_letter() {
    let shop = Shop::open().await;
    let rye = json!({ "name": "Rye", "externalId": "R-1" });
    let made = shop.make("products", &rye).await;
    shop.post("products", &rye).await.fails(409, "conflict");
    shop.make("products", &json!({ "name": "Rye", "externalId": "r-1" }))
        .await;
    let there = format!("/v1/locations/{}/products", shop.there);
    shop.send(Request::post(there, &rye)).await.expect(201);
    // Given up, changed or deleted, it is free again.
    shop.patch(&path(&made), &json!({ "externalId": "R-2" }))
        .await
        .expect(200);
    let second = shop.make("products", &rye).await;
    shop.delete(&path(&second)).await.expect(204);
    let third = shop.make("products", &rye).await;
    shop.patch(&path(&third), &json!({ "externalId": null }))
        .await
        .expect(200);
    shop.make("products", &rye).await;
}

#[tokio::test]
async fn a_category_is_found_by_name_or_made() {
    let shop = Shop::open().await;
    let bread = shop.make("categories", &json!({ "name": "Bread" })).await;
    for name in ["Bread", "bREAD", "  bread "] {
        let made = shop
            .make("products", &json!({ "name": "Rye", "categoryName": name }))
            .await;
        assert_eq!(made["categoryId"], bread["id"], "{name:?}");
    }
    let made = shop
        .make(
            "products",
            &json!({ "name": "Pie", "categoryName": " Pies " }),
        )
        .await;
    let categories = shop.all("categories", "").await;
    assert_eq!(categories.len(), 2);
    assert_eq!(categories[1]["name"], "Pies");
    assert_eq!(made["categoryId"], categories[1]["id"]);
    // A write that fails leaves no category behind.
    shop.make("products", &json!({ "name": "Rye", "externalId": "R-1" }))
        .await;
    let taken = json!({ "name": "Rye", "externalId": "R-1", "categoryName": "Cakes" });
    shop.post("products", &taken).await.fails(409, "conflict");
    assert_eq!(shop.all("categories", "").await.len(), 2);
}

#[tokio::test]
async fn naming_the_category_it_is_in_changes_nothing() {
    let shop = Shop::open().await;
    let made = shop
        .make(
            "products",
            &json!({ "name": "Rye", "categoryName": "Bread" }),
        )
        .await;
    for same in [
        json!({ "categoryName": " BREAD" }),
        json!({ "categoryId": made["categoryId"] }),
        json!({ "name": " Rye " }),
        json!({ "vatRate": 9.00, "priceCents": 0 }),
    ] {
        assert_eq!(
            shop.patch(&path(&made), &same).await.expect(200).data(),
            made,
            "{same}"
        );
    }
}

#[tokio::test]
async fn dates_are_held_against_those_that_are_there() {
    let shop = Shop::open().await;
    let made = shop
        .make(
            "products",
            &json!({ "name": "Rye", "availableFrom": "2026-06-01" }),
        )
        .await;
    let until = |day: &str| json!({ "availableUntil": day });
    shop.patch(&path(&made), &until("2026-05-31"))
        .await
        .fails(422, "validation_failed");
    shop.patch(&path(&made), &until("2026-06-01"))
        .await
        .expect(200);
    let both = json!({ "availableFrom": "2027-01-01", "availableUntil": "2027-01-31" });
    shop.patch(&path(&made), &both).await.expect(200);
}

#[tokio::test]
async fn content_types_with_parameters_are_taken() {
    let shop = Shop::open().await;
    for kind in [
        "application/json",
        "application/json; charset=utf-8",
        "application/json;charset=\"UTF-8\"",
        "Application/JSON",
        "application/json ; x=y",
    ] {
        let request = Request::new(http::Method::POST, shop.at("products"))
            .header("content-type", kind)
            .body(r#"{"name":"Rye"}"#);
        shop.send(request).await.expect(201);
    }
}

#[tokio::test]
async fn a_body_without_a_length_is_taken() {
    let shop = Shop::open().await;
    let mut request = Request::post(shop.at("products"), &json!({}));
    let pieces = [&b"{\"na"[..], b"me\":\"R", b"ye\"}"];
    request.body =
        connect_tests::http::Payload::Chunked(pieces.map(bytes::Bytes::from_static).to_vec());
    assert_eq!(shop.send(request).await.expect(201).data()["name"], "Rye");
}

#[tokio::test]
async fn a_body_may_have_2_000_000_bytes() {
    let shop = Shop::open().await;
    let mut body = br#"{"name":"Rye"}"#.to_vec();
    body.resize(2_000_000, b' ');
    let request = Request::post(shop.at("products"), &json!({}));
    shop.send(request.clone().body(body.clone()))
        .await
        .expect(201);
    let pieces: Vec<_> = body
        .chunks(100_000)
        .map(bytes::Bytes::copy_from_slice)
        .collect();
    let mut chunked = request;
    chunked.body = connect_tests::http::Payload::Chunked(pieces);
    shop.send(chunked).await.expect(201);
}
