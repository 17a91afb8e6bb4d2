//! Every method over real HTTP: what goes over the wire, and what comes back.

use connect_client::{
    Client,
    wire::{
        BatchStatus, CategoryInput, Date, Field, MatchBy, ProductBatch, ProductInput, Quantity,
        Scope, Timestamp, VatRate,
        query::{CategoryQuery, ProductQuery, SyncQuery},
    },
};
use serde_json::{Value, json};
use wiremock::{Mock, MockServer, Request, ResponseTemplate, matchers::any};

use crate::support::{
    ID, LOCATION, TOKEN, categories, products,
    records::{category, page, product, single, time},
};

/// A service that answers everything alike, and a client of it.
async fn service(status: u16, body: Value) -> (MockServer, Client) {
    let server = MockServer::start().await;
    let mut reply = ResponseTemplate::new(status)
        .insert_header("x-request-id", "r-1")
        .insert_header("x-ratelimit-limit", "120")
        .insert_header("x-ratelimit-remaining", "119")
        .insert_header("x-ratelimit-reset", "1800000000");
    if status != 204 {
        reply = reply.set_body_json(body);
    }
    Mock::given(any()).respond_with(reply).mount(&server).await;
    let client = Client::builder(format!("{}/v1/", server.uri()), TOKEN);
    (server, client.build().unwrap())
}

/// The one request that the service got: checked for what all have in common.
async fn only(server: &MockServer, line: &str) -> Request {
    let mut got = server.received_requests().await.unwrap();
    assert_eq!(got.len(), 1);
    let request = got.remove(0);
    let query = request
        .url
        .query()
        .map_or(String::new(), |q| format!("?{q}"));
    let target = format!("{} {}{query}", request.method, request.url.path());
    assert_eq!(target, line);
    let header = |name: &str| Some(request.headers.get(name)?.to_str().unwrap());
    assert_eq!(header("authorization"), Some(&*format!("Bearer {TOKEN}")));
    assert_eq!(header("accept"), Some("application/json"));
    assert!(header("user-agent").unwrap().starts_with("connect-client/"));
    let is_write = request.method != "GET";
    assert_eq!(header("idempotency-key").is_some(), is_write);
    let has_body = matches!(request.method.as_str(), "POST" | "PATCH");
    assert_eq!(
        header("content-type"),
        has_body.then_some("application/json")
    );
    assert_eq!(request.body.is_empty(), !has_body);
    request
}

fn body(request: &Request) -> Value {
    serde_json::from_slice(&request.body).unwrap()
}

#[tokio::test]
async fn locations() {
    let location = json!({
        "id": LOCATION, "name": "Harbour", "timeZone": "Europe/Amsterdam", "currency": "EUR",
        "scopes": ["catalog:read", "catalog:write"],
    });
    let (server, client) = service(200, single(json!([location]))).await;
    assert_eq!(client.rate_limit(), None);
    let response = client.locations().send().await.unwrap();
    let location = &response.data[0];
    assert_eq!(
        (location.id, location.name.as_str()),
        (LOCATION.into(), "Harbour")
    );
    assert_eq!(location.scopes, [Scope::CatalogRead, Scope::CatalogWrite]);
    let limit = response.meta.rate_limit.unwrap();
    assert_eq!((limit.limit, limit.remaining), (120, 119));
    assert_eq!(limit.reset, Timestamp::from_micros(1_800_000_000_000_000));
    assert_eq!(client.rate_limit(), Some(limit));
    assert_eq!(response.meta.request_id.as_deref(), Some("r-1"));
    assert!(!response.meta.replayed);
    only(&server, "GET /v1/locations").await;
}

#[tokio::test]
async fn categories_list() {
    let (server, client) = service(200, page([category("Bread")], Some("c-2"))).await;
    let query = CategoryQuery {
        sync: SyncQuery {
            limit: Some(1),
            cursor: Some("c-1".to_owned()),
            updated_since: Some(time(0)),
            include_deleted: false,
        },
    };
    let page = categories(&client).list(&query).await.unwrap();
    assert_eq!(page.data[0].name, "Bread");
    assert_eq!(page.next_cursor.as_deref(), Some("c-2"));
    let since = time(0).to_string().replace(':', "%3A");
    let query = format!("limit=1&cursor=c-1&updatedSince={since}");
    only(
        &server,
        &format!("GET /v1/locations/{LOCATION}/categories?{query}"),
    )
    .await;
}

#[tokio::test]
async fn categories_get() {
    let (server, client) = service(200, single(category("Bread"))).await;
    let category = categories(&client).get(ID).await.unwrap();
    assert_eq!((category.id, category.position), (ID.into(), 3));
    assert_eq!(category.updated_at, time(1));
    only(
        &server,
        &format!("GET /v1/locations/{LOCATION}/categories/{ID}"),
    )
    .await;
}

#[tokio::test]
async fn categories_create() {
    let (server, client) = service(201, single(category("Bread"))).await;
    let input = CategoryInput {
        position: Field::Value(3),
        ..CategoryInput::named("Bread")
    };
    let response = categories(&client).create(&input).send().await.unwrap();
    assert_eq!((response.meta.status, response.data.id), (201, ID.into()));
    let sent = only(
        &server,
        &format!("POST /v1/locations/{LOCATION}/categories"),
    )
    .await;
    assert_eq!(body(&sent), json!({ "name": "Bread", "position": 3 }));
}

#[tokio::test]
async fn categories_update() {
    let (server, client) = service(200, single(category("Bread"))).await;
    let input = CategoryInput {
        is_active: Field::Value(false),
        ..CategoryInput::default()
    };
    categories(&client).update(ID, &input).await.unwrap();
    let line = format!("PATCH /v1/locations/{LOCATION}/categories/{ID}");
    assert_eq!(
        body(&only(&server, &line).await),
        json!({ "isActive": false })
    );
}

#[tokio::test]
async fn categories_delete() {
    let (server, client) = service(204, Value::Null).await;
    let response = categories(&client).delete(ID).send().await.unwrap();
    assert_eq!(response.meta.status, 204);
    only(
        &server,
        &format!("DELETE /v1/locations/{LOCATION}/categories/{ID}"),
    )
    .await;
}

#[tokio::test]
async fn products_list() {
    let (server, client) = service(200, page([product(1)], None)).await;
    let query = ProductQuery::default()
        .external_id("A&B/ü")
        .category_id(ID)
        .barcode("290 1");
    let page = products(&client).list(&query).await.unwrap();
    assert_eq!((page.data.len(), page.next_cursor), (1, None));
    let query = format!("barcode=290+1&categoryId={ID}&externalId=A%26B%2F%C3%BC");
    only(
        &server,
        &format!("GET /v1/locations/{LOCATION}/products?{query}"),
    )
    .await;
}

#[tokio::test]
async fn products_get() {
    let (server, client) = service(200, single(product(1))).await;
    let product = products(&client).get(ID).await.unwrap();
    assert_eq!(product.external_id.as_deref(), Some("P-1"));
    assert_eq!(product.vat_rate, VatRate::percent(9));
    assert_eq!(product.stock_quantity, Quantity::from_thousandths(1500));
    let day: Date = "2026-11-01".parse().unwrap();
    assert_eq!(
        (product.available_from, product.available_until),
        (Some(day), None)
    );
    only(
        &server,
        &format!("GET /v1/locations/{LOCATION}/products/{ID}"),
    )
    .await;
}

#[tokio::test]
async fn products_create() {
    let (server, client) = service(201, single(product(1))).await;
    let input = ProductInput {
        external_id: Field::Value("P-1".to_owned()),
        price_cents: Field::Value(345),
        vat_rate: VatRate::from_hundredths(950).unwrap().into(),
        category_name: Field::Value("Brood & meer — ü".to_owned()),
        option_group_ids: Field::Value(Vec::new()),
        ..ProductInput::named("Product 1")
    };
    products(&client).create(&input).await.unwrap();
    let sent = only(&server, &format!("POST /v1/locations/{LOCATION}/products")).await;
    let expected = json!({
        "externalId": "P-1", "name": "Product 1", "priceCents": 345, "vatRate": 9.5,
        "categoryName": "Brood & meer — ü", "optionGroupIds": [],
    });
    assert_eq!(body(&sent), expected);
}

#[tokio::test]
async fn products_update_tells_absent_from_null() {
    let (server, client) = service(200, single(product(1))).await;
    let input = ProductInput {
        barcode: Field::Null,
        price_cents: Field::Value(0),
        ..ProductInput::default()
    };
    products(&client).update(ID, &input).await.unwrap();
    let line = format!("PATCH /v1/locations/{LOCATION}/products/{ID}");
    let expected = json!({ "barcode": null, "priceCents": 0 });
    assert_eq!(body(&only(&server, &line).await), expected);
}

#[tokio::test]
async fn products_delete() {
    let (server, client) = service(204, Value::Null).await;
    products(&client).delete(ID).await.unwrap();
    only(
        &server,
        &format!("DELETE /v1/locations/{LOCATION}/products/{ID}"),
    )
    .await;
}

#[tokio::test]
async fn products_batch() {
    let answer = json!({ "data": {
        "created": 1, "updated": 0, "unchanged": 0, "failed": 1, "imagesQueued": 0,
        "results": [
            { "index": 0, "status": "created", "id": ID, "externalId": "P-1" },
            { "index": 1, "status": "failed",
              "error": { "code": "validation_failed", "message": "name: is required" } },
        ],
    } });
    let (server, client) = service(200, answer).await;
    let batch = ProductBatch {
        match_by: MatchBy::Barcode,
        dry_run: true,
        ..ProductBatch::new(vec![ProductInput::named("A"), ProductInput::default()])
    };
    let result = products(&client).batch(&batch).await.unwrap();
    assert_eq!((result.created, result.failed), (1, 1));
    assert_eq!(result.results[1].status, BatchStatus::Failed);
    let sent = only(
        &server,
        &format!("POST /v1/locations/{LOCATION}/products/batch"),
    )
    .await;
    let expected = json!({
        "matchBy": "barcode", "createMissing": true, "dryRun": true,
        "items": [{ "name": "A" }, {}],
    });
    assert_eq!(body(&sent), expected);
}
