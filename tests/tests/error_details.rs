//! Errors with several fields at fault, and what errors advise.

use connect_core::wire::{
    FieldError,
    limits::{MAX_BODY_BYTES, MAX_DETAILS_PER_BATCH},
};
use connect_tests::{
    http::{Answer, Request},
    shop::Shop,
};
use http::Method;
use serde_json::{Value, json};

/// The fields of an error, the first of which its message is about.
fn fields(error: &Value) -> Vec<String> {
    let details: Vec<FieldError> = serde_json::from_value(error["details"].clone()).unwrap();
    assert_eq!(error["field"], details[0].field);
    assert_eq!(error["message"], details[0].message);
    for detail in &details {
        assert!(detail.message.starts_with(&detail.field), "{detail:?}");
    }
    details.into_iter().map(|detail| detail.field).collect()
}

fn error(answer: &Answer) -> Value {
    answer.json()["error"].clone()
}

fn message(answer: &Answer) -> String {
    error(answer)["message"].as_str().unwrap().to_owned()
}

#[tokio::test]
async fn all_fields_at_fault_are_told() {
    let shop = Shop::open().await;
    let register = shop.register("Till 1").await;
    let product = shop.make("products", &json!({ "name": "Rye" })).await;
    let product = format!("products/{}", product["id"].as_str().unwrap());

    let wrong = json!({ "price": 3, "priceCents": 3.45, "vatRate": 101, "isActive": "yes" });
    let created = shop.post("products", &wrong).await.expect(422);
    let mut all = fields(&error(&created));
    all.sort();
    assert_eq!(all, ["isActive", "name", "price", "priceCents", "vatRate"]);
    // A change requires no name.
    let changed = shop.patch(&product, &wrong).await.expect(422);
    let mut all = fields(&error(&changed));
    all.sort();
    assert_eq!(all, ["isActive", "price", "priceCents", "vatRate"]);

    // Objects are written by name: their order depends on a feature of serde_json that the build sets.
    for (path, body, expected) in [
        (
            "products",
            json!({ "barcode": "1 2", "categoryId": null, "isActive": null, "name": "" }),
            vec!["name", "isActive"],
        ),
        (
            "products",
            json!({ "categoryId": "Bread", "categoryName": "Bread", "name": "A", "sku": 1 }),
            vec!["categoryId", "sku"],
        ),
        (
            "products",
            json!({ "name": "A", "optionGroupIds": ["a", "b"] }),
            vec!["optionGroupIds[0]", "optionGroupIds[1]"],
        ),
        (
            "option-groups",
            json!({ "options": [{ "name": 5 }, { "cost": 2, "name": "B", "priceCents": -1 }] }),
            vec![
                "options[0].name",
                "options[1].cost",
                "options[1].priceCents",
                "name",
            ],
        ),
        (
            "products/batch",
            json!({ "dryRun": 1, "items": [], "matchBy": "name" }),
            vec!["dryRun", "matchBy", "items"],
        ),
        (
            "stock/adjustments",
            json!({ "productId": 7, "quantityChange": "many" }),
            vec!["productId", "quantityChange"],
        ),
    ] {
        let answer = shop.post(path, &body).await.expect(422);
        assert_eq!(fields(&error(&answer)), expected, "{}", answer.summary());
    }

    let line = json!({ "quantity": "1", "totalCents": 250, "unitPriceCents": 2.5 });
    let sale = json!({ "type": "sale", "lines": [line], "payments": [{ "method": "gold" }] });
    let answer = register.post("transactions", &sale).await.expect(422);
    let expected = [
        "lines[0].quantity",
        "lines[0].unitPriceCents",
        "lines[0].name",
        "lines[0].vatRate",
        "payments[0].method",
        "payments[0].amountCents",
        "totalCents",
    ];
    assert_eq!(fields(&error(&answer)), expected);

    let line = json!({ "name": "Rye", "quantity": 2, "unitPriceCents": 250, "totalCents": 500,
        "vatRate": 9 });
    let sale = json!({ "type": "sale", "totalCents": 400, "discountCents": 100, "lines": [line],
        "payments": [{ "method": "card", "amountCents": 400 }] });
    let answer = register.post("transactions", &sale).await.expect(422);
    let expected = ["totalCents", "payments", "discountCents"];
    assert_eq!(fields(&error(&answer)), expected);
}

#[tokio::test]
async fn one_fault_has_no_details_and_many_have_twenty() {
    let shop = Shop::open().await;
    let one = shop
        .post("products", &json!({ "name": 5 }))
        .await
        .expect(422);
    assert!(error(&one).get("details").is_none(), "{}", one.summary());
    let names = (0..500).map(|n| (format!("field{n}"), json!(n)));
    let many = Value::Object(names.collect());
    let many = shop.post("products", &many).await.expect(422);
    assert_eq!(fields(&error(&many)).len(), 20);
    let ids = json!({ "name": "A", "optionGroupIds": vec!["x"; 30] });
    let many = shop.post("products", &ids).await.expect(422);
    assert_eq!(fields(&error(&many)).len(), 20);
}

#[tokio::test]
async fn items_of_a_batch_have_their_own() {
    let shop = Shop::open().await;
    let items = json!([
        { "externalId": "A", "name": "Rye" },
        // Of another type; of the right type and out of bounds; one fault.
        { "externalId": "B", "name": 5, "vat": 9, "priceCents": -1 },
        { "externalId": "C", "name": "", "vatRate": 9, "barcode": "\n" },
        { "externalId": "D", "name": "" },
    ]);
    let answer = shop.batch(&json!({ "items": items })).await;
    let of = |at: usize| answer["results"][at]["error"].clone();
    assert_eq!(answer["results"][0]["status"], "created");
    let mut first = fields(&of(1));
    first.sort();
    assert_eq!(first, ["name", "priceCents", "vat"]);
    assert_eq!(fields(&of(2)), ["name", "barcode"]);
    assert!(of(3).get("details").is_none());

    let counts = json!({ "items": [{ "quantity": -1, "productId": "A", "count": 1 }] });
    let counts = Request::new(Method::PUT, shop.at("stock")).json(&counts);
    let answer = shop.send(counts).await.expect(200).data();
    let mut all = fields(&answer["results"][0]["error"]);
    all.sort();
    assert_eq!(all, ["count", "productId", "quantity"]);
    let counts = json!({ "items": [{ "productId": "A" }] });
    let counts = Request::new(Method::PUT, shop.at("stock")).json(&counts);
    let answer = shop.send(counts).await.expect(200).data();
    let all = fields(&answer["results"][0]["error"]);
    assert_eq!(all, ["productId", "quantity"]);

    let groups = json!({ "items": [{ "externalId": "A" }] });
    let answer = shop.post("option-groups/batch", &groups).await;
    let all = fields(&answer.expect(200).data()["results"][0]["error"]);
    assert_eq!(all, ["name", "options"]);
}

#[tokio::test]
async fn a_required_field_that_is_null_is_not_to_be_left_out() {
    const REQUIRED: &str = "is required, and must not be null";
    let shop = Shop::open().await;
    let product = shop.make("products", &json!({ "name": "Rye" })).await;
    let product = format!("products/{}", product["id"].as_str().unwrap());
    let answer = shop.post("products", &json!({ "name": null })).await;
    let answer = answer.expect(422);
    assert_eq!(message(&answer), format!("name: {REQUIRED}"));
    assert!(error(&answer).get("details").is_none());
    // Also when another field is told first.
    let wrong = json!({ "price": 3, "name": null });
    let answer = shop.post("products", &wrong).await.expect(422);
    let told = error(&answer)["details"][1]["message"].clone();
    assert_eq!(told, format!("name: {REQUIRED}"));
    // A change requires no name, and nothing requires the others.
    let left_out = "must not be null; leave it out instead";
    let answer = shop.patch(&product, &json!({ "name": null })).await;
    assert_eq!(message(&answer.expect(422)), format!("name: {left_out}"));
    let wrong = json!({ "name": "A", "isActive": null });
    let answer = shop.post("products", &wrong).await.expect(422);
    assert_eq!(message(&answer), format!("isActive: {left_out}"));
}

#[tokio::test]
async fn a_bare_array_is_no_batch() {
    let shop = Shop::open().await;
    for (method, path) in [
        (Method::POST, "products/batch"),
        (Method::POST, "option-groups/batch"),
        (Method::PUT, "stock"),
    ] {
        for body in [json!([{ "name": "x" }]), json!([true]), json!([])] {
            let request = Request::new(method.clone(), shop.at(path)).json(&body);
            let answer = shop.send(request).await.expect(422);
            let expected = json!({
                "code": "validation_failed",
                "field": "body",
                "message": "body: must be a JSON object, not an array; send {\"items\": [...]}",
            });
            assert_eq!(error(&answer), expected, "{path}");
        }
    }
    let answer = shop.batch(&json!({ "items": [["abc"]] })).await;
    let result = &answer["results"][0];
    assert_eq!(result["externalId"], Value::Null, "{result}");
    assert_eq!(result["error"]["field"], "item");
}

#[tokio::test]
async fn query_parameters_have_them_too() {
    let shop = Shop::open().await;
    let answer = shop
        .get("products?limit=0&updated_since=x&barcode=&barcode=2")
        .await
        .expect(400);
    assert_eq!(
        fields(&error(&answer)),
        ["limit", "updated_since", "barcode"]
    );
    assert!(
        answer.json()["error"]["details"][1]["message"]
            .as_str()
            .unwrap()
            .contains("; did you mean updatedSince? Allowed: limit, ")
    );
}

/// The same words for a parameter and for a field.
#[tokio::test]
async fn a_word_for_an_id_is_refused_alike() {
    let shop = Shop::open().await;
    let parameter = shop.get("products?categoryId=Soups").await.expect(400);
    let wrong = json!({ "name": "A", "categoryId": "Soups" });
    let field = shop.post("products", &wrong).await.expect(422);
    assert_eq!(message(&parameter), message(&field));
    assert!(message(&field).ends_with("not \"Soups\"; names and codes of your own are no ids"));
}

#[tokio::test]
async fn a_refusal_is_repeated_with_its_details() {
    let shop = Shop::open().await;
    let request = || {
        let body = json!({ "price": 3, "vat": 9 });
        Request::post(shop.at("products"), &body).key("wrong-1")
    };
    let first = shop.send(request()).await.expect(422);
    assert_eq!(fields(&error(&first)), ["price", "vat", "name"]);
    let second = shop.send(request()).await.expect(422);
    assert_eq!(second.header("idempotent-replayed"), Some("true"));
    assert_eq!(second.body, first.body);
}

#[tokio::test]
async fn messages_say_what_was_probably_meant() {
    let shop = Shop::open().await;
    for (body, advice) in [
        (
            r#"{"name":"A","price":345}"#,
            "price: is not a field of this request; did you mean priceCents? Allowed: externalId, ",
        ),
        (
            r#"{"name":"A","zzz":345}"#,
            "zzz: is not a field of this request; allowed: externalId, ",
        ),
        (
            r#"{"name":"A","priceCents":12.50}"#,
            "priceCents: must be a whole number, not 12.50; amounts are in cents: send 1250",
        ),
        (
            r#"{"name":"A","priceCents":0.001}"#,
            "priceCents: must be a whole number, not 0.001; amounts are in cents",
        ),
        (
            r#"{"name":"A","priceCents":"3.45"}"#,
            "priceCents: must be a whole number, not a string; amounts are in cents: send 345",
        ),
        (
            r#"{"name":"A","categoryId":"Bread"}"#,
            "categoryId: must be an id, which is a UUID such as",
        ),
        ("", "body: is empty; send one JSON object in UTF-8"),
        (" \n", "body: is empty; send one JSON object in UTF-8"),
    ] {
        let request = Request::post(shop.at("products"), &json!({})).body(body.to_owned());
        let answer = shop.send(request).await;
        let message = message(&answer);
        assert!(message.starts_with(advice), "{body}: {message}");
    }
    for (path, advice) in [
        ("products/BREAD-1", "\"BREAD-1\" is no id"),
        ("products/", "leave out the slash at the end"),
    ] {
        let message = message(&shop.get(path).await.expect(404));
        assert!(message.contains(advice), "{message}");
    }
    let lost = shop.send(Request::get("/v1/products")).await.expect(404);
    let advice = "there is nothing at /v1/products; name the location, as in \
                  /v1/locations/{location}/products; GET /v1/locations lists the locations";
    assert_eq!(message(&lost), advice);
}

#[tokio::test]
async fn a_token_that_is_refused_has_its_own_reason() {
    let shop = Shop::open().await;
    let expiry = "2026-11-20T10:00:30Z".parse().unwrap();
    let expired = shop.token_until(expiry).await;
    let (revoked, id) = shop.revocable_token().await;
    shop.revoke(id).await;
    shop.clock.set(expiry);
    let unknown = format!("ck_live_{}", "x".repeat(43));
    let make = "; ask the owner of the shop for a token";
    let send = "; send \"Authorization: Bearer\", a blank and the token";
    for (header, reason) in [
        (None, format!("is missing{send}")),
        (
            Some("Basic abc".to_owned()),
            format!("has another scheme, or nothing behind it{send}"),
        ),
        (
            Some(unknown.clone()),
            format!("has no scheme in front{send}"),
        ),
        (
            Some(format!("Bearer dk_{}", "x".repeat(43))),
            format!("the token is the key of a screen, which only the device API takes{make}"),
        ),
        (
            Some("Bearer abc".to_owned()),
            format!(
                "the token is not of the form that a token has: ck_live_ or ck_test_ and 43 \
                 letters and digits{make}"
            ),
        ),
        (
            Some(format!("Bearer {unknown}")),
            format!("the token is unknown: it was mistyped, replaced or deleted{make}"),
        ),
        (
            Some(format!("Bearer {expired}")),
            format!("the token expired on 2026-11-20T10:00:30.000000Z{make}"),
        ),
        (
            Some(format!("Bearer {revoked}")),
            format!("the token was revoked on 2026-11-20T10:00:00.000000Z{make}"),
        ),
    ] {
        let mut request = Request::get("/v1/locations");
        if let Some(header) = &header {
            request = request.header("authorization", header);
        }
        let answer = shop.send_bare(request).await.fails(401, "unauthorized");
        assert_eq!(message(&answer), format!("Authorization: {reason}"));
        let text = String::from_utf8(answer.body.to_vec()).unwrap();
        assert!(!text.contains("xxxx"), "{text}");
    }
}

/// The longest answers that bodies of 2 MB lead to. Names of control characters are six times as long
/// in JSON, and stand in `field` and in `message`.
#[tokio::test]
async fn a_batch_of_faults_has_an_answer_of_bounded_size() {
    let shop = Shop::open().await;
    for (path, method, items, faults) in [
        ("products/batch", Method::POST, 500, 20),
        ("stock", Method::PUT, 1000, 20),
        ("stock", Method::PUT, 1000, 5),
        ("option-groups/batch", Method::POST, 200, 20),
    ] {
        let length = (MAX_BODY_BYTES / items / faults - 6) / 6;
        let name = |n: usize| {
            let digits = format!("{n:05b}")
                .replace('0', "\u{1}")
                .replace('1', "\u{2}");
            digits + &"\u{3}".repeat(length.min(60) - 5)
        };
        let item: serde_json::Map<_, _> = (0..faults).map(|n| (name(n), json!(0))).collect();
        let body = json!({ "items": vec![item; items] });
        let request = Request::new(method, shop.at(path)).json(&body);
        let answer = shop.send(request).await.expect(200);
        let size = answer.body.len();
        let results = answer.data()["results"].clone();
        let results = results.as_array().unwrap();
        let errors = results.iter().map(|item| &item["error"]);
        let listed = errors
            .clone()
            .filter_map(|error| error["details"].as_array());
        let listed: usize = listed.map(Vec::len).sum();
        let spent = MAX_DETAILS_PER_BATCH - 20..=MAX_DETAILS_PER_BATCH;
        assert!(spent.contains(&listed), "{path}: {listed} fields");
        for error in errors {
            let (field, message) = (error["field"].as_str(), error["message"].as_str());
            assert!(message.unwrap().starts_with(field.unwrap()), "{error}");
        }
        assert!(size < MAX_BODY_BYTES, "{path}: {size} bytes");
    }
}
