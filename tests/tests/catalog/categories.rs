//! `/v1/locations/{locationId}/categories`.

use connect_tests::shop::Shop;
use serde_json::{Value, json};

fn path(category: &Value) -> String {
    format!("categories/{}", category["id"].as_str().unwrap())
}

#[tokio::test]
async fn a_category_is_made_read_changed_and_deleted() {
    let shop = Shop::open().await;
    let made = shop.make("categories", &json!({ "name": "Bread" })).await;
    assert_eq!(made["name"], "Bread");
    assert_eq!(
        (&made["isActive"], &made["position"]),
        (&json!(true), &json!(0))
    );
    assert_eq!(made["createdAt"], made["updatedAt"]);
    assert_eq!(shop.get(&path(&made)).await.expect(200).data(), made);
    shop.clock.advance(5);
    let changed = shop
        .patch(&path(&made), &json!({ "isActive": false }))
        .await
        .expect(200)
        .data();
    let mut expected = made.clone();
    expected["isActive"] = json!(false);
    expected["updatedAt"] = changed["updatedAt"].clone();
    assert_eq!(changed, expected);
    assert!(changed["updatedAt"].as_str() > made["updatedAt"].as_str());
    shop.delete(&path(&made)).await.expect(204);
    shop.get(&path(&made)).await.fails(404, "not_found");
}

#[tokio::test]
async fn fields_hold_what_their_bounds_allow() {
    let shop = Shop::open().await;
    for (at, body) in [
        json!({ "name": "x" }),
        json!({ "name": "x".repeat(100) }),
        json!({ "name": "é".repeat(100) }),
        json!({ "name": "🥐".repeat(100) }),
        json!({ "name": "Bread & butter / \"dark\" \\ <rye>", "position": 0 }),
        json!({ "name": "last", "position": 1_000_000, "isActive": false }),
    ]
    .into_iter()
    .enumerate()
    {
        let made = shop.make("categories", &body).await;
        for (field, value) in body.as_object().unwrap() {
            assert_eq!(&made[field], value, "body {at}");
        }
    }
}

#[tokio::test]
async fn a_name_is_trimmed() {
    let shop = Shop::open().await;
    let blanks = format!(" \u{a0} {} \u{2003}", "x".repeat(100));
    let made = shop.make("categories", &json!({ "name": blanks })).await;
    assert_eq!(made["name"], "x".repeat(100));
}

#[tokio::test]
async fn a_name_is_taken_in_any_case_until_its_holder_is_gone() {
    let shop = Shop::open().await;
    let bread = shop
        .make("categories", &json!({ "name": "Brötchen" }))
        .await;
    shop.post("categories", &json!({ "name": "BRÖTCHEN" }))
        .await
        .fails(409, "conflict");
    // Its own name in another case is its to have.
    let shout = json!({ "name": "BRÖTCHEN" });
    assert_eq!(
        shop.patch(&path(&bread), &shout).await.expect(200).data()["name"],
        "BRÖTCHEN"
    );
    shop.patch(&path(&bread), &json!({ "name": "Rolls" }))
        .await
        .expect(200);
    let heir = shop
        .make("categories", &json!({ "name": "brötchen" }))
        .await;
    shop.delete(&path(&heir)).await.expect(204);
    shop.make("categories", &json!({ "name": "Brötchen" }))
        .await;
}

#[tokio::test]
async fn the_same_name_is_free_at_the_other_location() {
    let shop = Shop::open().await;
    let bread = json!({ "name": "Bread" });
    shop.make("categories", &bread).await;
    let there = format!("/v1/locations/{}/categories", shop.there);
    shop.send(connect_tests::http::Request::post(there, &bread))
        .await
        .expect(201);
}

#[tokio::test]
async fn an_id_is_taken_in_capitals_too() {
    let shop = Shop::open().await;
    let made = shop.make("categories", &json!({ "name": "Bread" })).await;
    let loud = format!("categories/{}", made["id"].as_str().unwrap().to_uppercase());
    assert_eq!(shop.get(&loud).await.expect(200).data(), made);
    let here = shop.here.to_string().to_uppercase();
    let loud = format!("/v1/locations/{here}/categories");
    let listed = shop
        .send(connect_tests::http::Request::get(loud))
        .await
        .expect(200)
        .list();
    assert_eq!(listed, [made]);
}

#[tokio::test]
async fn what_was_read_can_be_sent_back() {
    let shop = Shop::open().await;
    let made = shop.make("categories", &json!({ "name": "Bread" })).await;
    assert_eq!(
        shop.patch(&path(&made), &made).await.expect(200).data(),
        made
    );
    // Read-only fields are ignored whatever they hold.
    let odd = json!({ "id": [1], "createdAt": null, "updatedAt": { "a": "b" }, "position": 4 });
    let changed = shop.patch(&path(&made), &odd).await.expect(200).data();
    assert_eq!(
        (&changed["id"], &changed["position"]),
        (&made["id"], &json!(4))
    );
    assert_eq!(changed["createdAt"], made["createdAt"]);
}
