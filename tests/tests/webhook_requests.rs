//! Webhook requests of every type of event, held against the document.

use std::{collections::BTreeSet, sync::Arc};

use connect_core::{NewWebhook, wire::EventType};
use connect_tests::{
    check::Checker, document::Document, http::Request, kept_requests::KeptRequests, shop::Shop,
};
use serde_json::{Value, json};

/// Changes whatever there are events about.
async fn change_everything(shop: &Shop) {
    let id = |record: &Value| record["id"].as_str().unwrap().to_owned();
    let category = shop.make("categories", &json!({ "name": "Bread" })).await;
    let sauces = json!({ "name": "Sauces", "options": [{ "name": "Garlic" }] });
    let group = shop.make("option-groups", &sauces).await;
    let groups = json!({ "items": [{ "name": "Sizes", "options": [{ "name": "Large" }] }] });
    let batch = shop.post("option-groups/batch", &groups).await;
    assert_eq!(batch.expect(200).data()["created"], 1);
    let rye = json!({ "name": "Rye", "externalId": "RYE", "categoryId": category["id"] });
    let rye = shop.make("products", &rye).await;
    let bun = shop.make("products", &json!({ "name": "Bun" })).await;
    shop.batch(&json!({ "items": [{ "name": "Wrap" }] })).await;
    let link = json!({ "productIds": [rye["id"]], "add": [{ "id": group["id"] }] });
    shop.post("products/option-groups", &link).await.expect(200);

    let delivery = json!({ "productId": rye["id"], "quantityChange": 2.5 });
    shop.post("stock/adjustments", &delivery).await.expect(201);
    let counts = json!({ "items": [{ "productId": rye["id"], "quantity": 7.25 }] });
    let count = Request::new(http::Method::PUT, shop.at("stock")).json(&counts);
    shop.send(count).await.expect(200);

    let (till, kiosk) = (shop.register("Till").await, shop.kiosk("Kiosk").await);
    let line = json!({
        "name": "Rye", "quantity": 1, "unitPriceCents": 425, "totalCents": 425, "vatRate": 9,
    });
    let order = json!({ "fulfilment": "dine_in", "lines": [line] });
    let order = kiosk.make("orders", &order).await;
    let accepted = json!({ "status": "accepted" });
    till.patch(&id(&order), &accepted).await.expect(200);
    let sale = json!({
        "type": "sale", "totalCents": 425, "lines": [line],
        "payments": [{ "method": "card", "amountCents": 425 }],
    });
    till.make("transactions", &sale).await;
    till.make("z-reports", &json!({ "countedCents": null }))
        .await;

    for (list, record) in [
        ("products", &bun),
        ("option-groups", &group),
        ("categories", &category),
    ] {
        let gone = shop.delete(&format!("{list}/{}", id(record))).await;
        gone.expect(204);
    }
}

#[tokio::test]
async fn every_request_is_as_the_document_says() {
    let shop = Shop::open().await;
    let new = NewWebhook {
        url: "https://hooks.example/in".to_owned(),
        events: EventType::KNOWN.to_vec(),
        location_ids: Vec::new(),
    };
    let made = shop.connect.create_webhook(shop.account, new).await;
    let webhook = made.unwrap().webhook.id;
    change_everything(&shop).await;
    // For a day it is signed twice.
    let connect = &shop.connect;
    let rolled = connect.roll_webhook_secret(shop.account, webhook).await;
    rolled.unwrap();
    connect.test_webhook(shop.account, webhook).await.unwrap();
    // Tests of a type have the form of real events.
    for kind in EventType::KNOWN {
        let sent = connect.test_webhook_event(shop.account, webhook, kind);
        sent.await.unwrap();
    }
    let kept = Arc::new(KeptRequests::default());
    let worker = connect.webhook_worker(kept.clone(), None);
    worker.tick().await.unwrap();

    let (document, checker) = (Document::v1(), Checker::v1());
    let webhooks = document.root()["webhooks"].as_object().unwrap();
    let mut seen = BTreeSet::new();
    let mut forms = BTreeSet::new();
    for request in &kept.all() {
        let event: Value = serde_json::from_slice(&request.body).unwrap();
        let kind = event["type"].as_str().unwrap().to_owned();
        let described = &webhooks[&kind]["post"];
        let body = described.pointer("/requestBody/content/application~1json/schema");
        let faults = checker.schema_faults(body.unwrap(), &event);
        assert!(faults.is_empty(), "{kind}: {faults:?} in {event}");
        for parameter in described["parameters"].as_array().unwrap() {
            let parameter = document.resolve(parameter);
            let name = parameter["name"].as_str().unwrap().to_lowercase();
            let mut headers = request.headers.iter();
            let (_, value) = headers.find(|(header, _)| *header == name).unwrap();
            let faults = checker.schema_faults(&parameter["schema"], &value.as_str().into());
            assert!(faults.is_empty(), "{kind}, {name}: {faults:?}");
        }
        forms.insert((kind.clone(), event["data"]["deleted"].clone().to_string()));
        seen.insert(kind);
    }
    // There is one of each type, and of each form that a type has.
    let described: BTreeSet<_> = webhooks.keys().cloned().collect();
    assert_eq!(seen, described);
    for (kind, deleted) in [
        ("catalog.product.changed", "false"),
        ("catalog.product.changed", "true"),
        ("catalog.category.changed", "true"),
        ("catalog.optiongroup.changed", "true"),
        ("catalog.optiongroup.changed", "null"),
    ] {
        let form = (kind.to_owned(), deleted.to_owned());
        assert!(
            forms.contains(&form),
            "{kind}, deleted {deleted}: {forms:?}"
        );
    }
}
