//! Calls over real HTTP: the bytes on the wire, and the results.

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

/// A call of a service that gives this answer, checked for what all requests have in common. Returns the body
/// that was sent, and what came back.
async fn exchange<T>(
    (status, answer): (u16, Value),
    line: &str,
    call: impl AsyncFnOnce(&Client) -> T,
) -> (Value, T) {
    let (server, client) = service(status, answer).await;
    let back = call(&client).await;
    let mut got = server.received_requests().await.unwrap();
    assert_eq!(got.len(), 1);
    let request: Request = got.remove(0);
    let query = request
        .url
        .query()
        .map_or(String::new(), |q| format!("?{q}"));
    let target = format!("{} {}{query}", request.method, request.url.path());
    assert_eq!(
        target.replace(&format!("/v1/locations/{LOCATION}"), ""),
        line
    );
    let header = |name: &str| Some(request.headers.get(name)?.to_str().unwrap());
    assert_eq!(header("authorization"), Some(&*format!("Bearer {TOKEN}")));
    assert_eq!(header("accept"), Some("application/json"));
    assert!(header("user-agent").unwrap().starts_with("connect-client/"));
    assert_eq!(header("idempotency-key").is_some(), request.method != "GET");
    let has_body = matches!(request.method.as_str(), "POST" | "PATCH");
    let kind = has_body.then_some("application/json");
    assert_eq!(header("content-type"), kind);
    assert_eq!(request.body.is_empty(), !has_body);
    (
        serde_json::from_slice(&request.body).unwrap_or_default(),
        back,
    )
}

#[tokio::test]
async fn locations() {
    let location = json!({
        "id": LOCATION, "name": "Harbour", "timeZone": "Europe/Amsterdam", "currency": "EUR",
        "scopes": ["catalog:read", "catalog:write"],
    });
    let answer = (200, single(json!([location])));
    let (_, (response, limit)) = exchange(answer, "GET /v1/locations", async |client| {
        assert_eq!(client.rate_limit(), None);
        (
            client.locations().send().await.unwrap(),
            client.rate_limit(),
        )
    })
    .await;
    let location = &response.data[0];
    assert_eq!((location.id, &*location.name), (LOCATION.into(), "Harbour"));
    assert_eq!(location.scopes, [Scope::CatalogRead, Scope::CatalogWrite]);
    assert_eq!(
        (response.meta.rate_limit, response.meta.replayed),
        (limit, false)
    );
    assert_eq!(response.meta.request_id.as_deref(), Some("r-1"));
    let limit = limit.unwrap();
    assert_eq!((limit.limit, limit.remaining), (120, 119));
    assert_eq!(limit.reset, Timestamp::from_micros(1_800_000_000_000_000));
}

#[tokio::test]
async fn reads_ask_for_what_their_query_says() {
    let since = time(0).to_string().replace(':', "%3A");
    let line = format!("GET /categories?limit=1&cursor=c-1&updatedSince={since}");
    let answer = (200, page([category("Bread")], Some("c-2")));
    let (_, page_of_one) = exchange(answer, &line, async |client| {
        let sync = SyncQuery {
            limit: Some(1),
            cursor: Some("c-1".to_owned()),
            updated_since: Some(time(0)),
            include_deleted: false,
        };
        categories(client)
            .list(&CategoryQuery { sync, search: None })
            .await
            .unwrap()
    })
    .await;
    assert_eq!(
        (
            &*page_of_one.data[0].name,
            page_of_one.next_cursor.as_deref()
        ),
        ("Bread", Some("c-2"))
    );

    let line = format!("GET /products?barcode=290+1&categoryId={ID}&externalId=A%26B%2F%C3%BC");
    let answer = (200, page([product(1)], None));
    let (_, found) = exchange(answer, &line, async |client| {
        let query = ProductQuery::default()
            .external_id("A&B/ü")
            .category_id(ID)
            .barcode("290 1");
        products(client).list(&query).await.unwrap()
    })
    .await;
    assert_eq!((found.data.len(), found.next_cursor), (1, None));

    let line = format!("GET /categories/{ID}");
    let get = async |client: &Client| categories(client).get(ID).await.unwrap();
    let (_, bread) = exchange((200, single(category("Bread"))), &line, get).await;
    assert_eq!(
        (bread.id, bread.position, bread.updated_at),
        (ID.into(), 3, time(1))
    );

    let line = format!("GET /products/{ID}");
    let get = async |client: &Client| products(client).get(ID).await.unwrap();
    let (_, product) = exchange((200, single(product(1))), &line, get).await;
    assert_eq!(product.external_id.as_deref(), Some("P-1"));
    assert_eq!(product.vat_rate, VatRate::percent(9));
    assert_eq!(product.stock_quantity, Quantity::from_thousandths(1500));
    let day: Date = "2026-11-01".parse().unwrap();
    assert_eq!(
        (product.available_from, product.available_until),
        (Some(day), None)
    );
}

#[tokio::test]
async fn writes_send_what_was_set_and_tell_absent_from_null() {
    let bread = || (201, single(category("Bread")));
    let (sent, made) = exchange(bread(), "POST /categories", async |client| {
        let input = CategoryInput {
            position: Field::Value(3),
            ..CategoryInput::named("Bread")
        };
        categories(client).create(&input).send().await.unwrap()
    })
    .await;
    assert_eq!((made.meta.status, made.data.id), (201, ID.into()));
    assert_eq!(sent, json!({ "name": "Bread", "position": 3 }));
    let line = format!("PATCH /categories/{ID}");
    let (sent, _) = exchange(bread(), &line, async |client| {
        let input = CategoryInput {
            is_active: Field::Value(false),
            ..CategoryInput::default()
        };
        categories(client).update(ID, &input).await.unwrap()
    })
    .await;
    assert_eq!(sent, json!({ "isActive": false }));
    let (sent, _) = exchange(
        (201, single(product(1))),
        "POST /products",
        async |client| {
            let input = ProductInput {
                external_id: Field::Value("P-1".to_owned()),
                price_cents: Field::Value(345),
                vat_rate: VatRate::from_hundredths(950).unwrap().into(),
                category_name: Field::Value("Brood & meer — ü".to_owned()),
                option_group_ids: Field::Value(Vec::new()),
                ..ProductInput::named("Product 1")
            };
            products(client).create(&input).await.unwrap()
        },
    )
    .await;
    let expected = json!({
        "externalId": "P-1", "name": "Product 1", "priceCents": 345, "vatRate": 9.5,
        "categoryName": "Brood & meer — ü", "optionGroupIds": [],
    });
    assert_eq!(sent, expected);
    let line = format!("PATCH /products/{ID}");
    let (sent, _) = exchange((200, single(product(1))), &line, async |client| {
        let input = ProductInput {
            barcode: Field::Null,
            price_cents: Field::Value(0),
            ..ProductInput::default()
        };
        products(client).update(ID, &input).await.unwrap()
    })
    .await;
    assert_eq!(sent, json!({ "barcode": null, "priceCents": 0 }));
    let line = format!("DELETE /products/{ID}");
    let delete = async |client: &Client| products(client).delete(ID).send().await.unwrap();
    let (_, gone) = exchange((204, Value::Null), &line, delete).await;
    assert_eq!(gone.meta.status, 204);
}

#[tokio::test]
async fn a_batch_is_sent_with_its_settings() {
    let answer = json!({ "data": {
        "created": 1, "updated": 0, "unchanged": 0, "failed": 1, "imagesQueued": 0,
        "results": [
            { "index": 0, "status": "created", "id": ID, "externalId": "P-1" },
            { "index": 1, "status": "failed",
              "error": { "code": "validation_failed", "message": "name: is required" } },
        ],
    } });
    let (sent, result) = exchange((200, answer), "POST /products/batch", async |client| {
        let batch = ProductBatch {
            match_by: MatchBy::Barcode,
            dry_run: true,
            ..ProductBatch::new(vec![ProductInput::named("A"), ProductInput::default()])
        };
        products(client).batch(&batch).await.unwrap()
    })
    .await;
    assert_eq!((result.created, result.failed), (1, 1));
    assert_eq!(result.results[1].status, BatchStatus::Failed);
    let expected = json!({
        "matchBy": "barcode", "createMissing": true, "dryRun": true,
        "items": [{ "name": "A" }, {}],
    });
    assert_eq!(sent, expected);
}
