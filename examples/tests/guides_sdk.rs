//! The Rust code and the errors of the guides for the SDK.
//! These are the guides to sync, import, errors, idempotency and going live.

use std::{collections::HashMap, fs, path::Path, time::Duration};

use connect_client::{
    Client, IdempotencyKey, Method, RetryPolicy,
    wire::{Entry, ErrorCode, Id, Location, Product, ProductInput, Timestamp, query::ProductQuery},
};
use tokio::{
    io::{AsyncReadExt as _, AsyncWriteExt as _},
    net::TcpStream,
};

use crate::service::Service;

type Error = Box<dyn std::error::Error>;
type Copy = HashMap<Id<Product>, Product>;

/// `docs/sync.md`: the changes since a pass, then the next change.
async fn sync(
    client: &Client,
    location_id: Id<Location>,
    since: Option<Timestamp>,
    copy: &mut Copy,
) -> Result<Entry<Product>, Error> {
    let products = client.location(location_id).products();
    let mut changes = products.changes_since(since);
    while let Some(entry) = changes.next().await {
        match entry? {
            Entry::Live(product) => _ = copy.insert(product.id, product),
            Entry::Deleted(gone) => _ = copy.remove(&gone.id.into()),
        }
    }
    let since = changes.since(); // store it together with the copy

    let late = ProductInput::named("Late").external_id("LATE-1");
    products.create(&late).await?;

    let mut watch = products.watch(since, Duration::from_secs(30));
    let change = watch.next().await.ok_or("a watch has no end")??;
    Ok(change)
}

/// `docs/bulk-import.md`.
/// Returns the numbers of created and refused products, the same in the dry run and after it.
async fn import(client: &Client, location_id: Id<Location>) -> Result<[usize; 2], Error> {
    let menu = [
        ProductInput::named("Tomato soup")
            .external_id("SOUP-1")
            .price_cents(650)
            .category_name("Soups"),
        ProductInput::named("Lentil soup")
            .external_id("SOUP-2")
            .price_cents(-1)
            .category_name("Soups"),
    ];
    let products = client.location(location_id).products();
    let plan = products.upsert_all(&menu).dry_run(true).run().await?;
    println!("{} to create, {} refused", plan.created, plan.failed);
    let planned = [plan.created, plan.failed];

    let done = products.upsert_all(&menu).run().await?;
    for item in done.results {
        if let Some(error) = item.error {
            println!("item {}: {}", item.index, error.message);
        }
    }
    assert_eq!([done.created, done.failed], planned);

    let key = "menu-2026-11-20";
    let import = products.upsert_all(&menu).idempotency_key_prefix(key);
    match import.run().await {
        Ok(done) => println!(
            "{} unchanged, {} done before",
            done.unchanged, done.replayed
        ),
        Err(stopped) => println!("{stopped}; go on at item {}", stopped.resume_from()),
    }

    // Its answers are stored under its keys. Without them the price would be set back now.
    let dearer = ProductInput::default().external_id("SOUP-1");
    let dearer = [dearer.price_cents(700)];
    assert_eq!(products.upsert_all(&dearer).run().await?.updated, 1);
    let again = products.upsert_all(&menu).idempotency_key_prefix(key);
    let again = again.run().await?;
    assert_eq!([again.updated, again.unchanged, again.failed], [0, 1, 1]);
    assert_eq!(again.replayed, 2);
    let error = again.results[1].error.as_ref().ok_or("item 1 failed")?;
    assert_eq!(error.field.as_deref(), Some("priceCents"));
    let soups = names(client, location_id).await?;
    let soups = soups.iter().filter(|name| name.ends_with(" soup"));
    assert_eq!(soups.count(), 1);
    Ok(planned)
}

/// The names of all products of a location.
async fn names(client: &Client, location_id: Id<Location>) -> Result<Vec<String>, Error> {
    let products = client.location(location_id).products();
    let all = products.stream(&ProductQuery::default()).all().await?;
    Ok(all.into_iter().map(|product| product.name).collect())
}

/// `docs/errors.md` and `docs/idempotency.md`.
async fn write(client: &Client, location_id: Id<Location>) -> Result<(), Error> {
    let products = client.location(location_id).products();
    let before = names(client, location_id).await?.len();

    let soup = ProductInput::named("Soup").price_cents(-1);
    if let Err(error) = products.create(&soup).await {
        match error.code() {
            _ if error.is_conflict() => println!("somebody was faster: {error}"),
            Some(ErrorCode::ValidationFailed) => println!("{:?} is wrong", error.field()),
            _ if error.retryable() => println!("later, with key {:?}", error.idempotency_key()),
            _ => println!("{error}"), // with request, status, code, message and request id
        }
    }

    let error = products.create(&soup).await.unwrap_err();
    assert_eq!(error.code(), Some(&ErrorCode::ValidationFailed));
    assert_eq!(error.field(), Some("priceCents"));
    assert!(!error.is_conflict() && !error.retryable());
    assert_eq!(names(client, location_id).await?.len(), before);

    let key = IdempotencyKey::new("menu-2026-11-20/rye")?;
    let rye = ProductInput::named("Rye loaf");
    let made = products.create(&rye).idempotency_key(key.clone()).await?;
    let again = products.create(&rye).idempotency_key(key).await?;
    assert_eq!(made.id, again.id); // there is one
    assert_eq!(names(client, location_id).await?.len(), before + 1);
    Ok(())
}

/// `docs/errors.md`: settings of a client, and a request without a method.
async fn settings(url: String, token: String, location_id: Id<Location>) -> Result<(), Error> {
    let client = Client::builder(&url, &token)
        .retry(RetryPolicy::default().max_attempts(3))
        .on_retry(|retry| eprintln!("{}: {}, again in {:?}", retry.path, retry.error, retry.wait))
        .pacing(false) // at the rate limit a request is refused instead of held back
        .build()?;
    let limit = Duration::from_secs(5);
    let locations = client.locations().timeout(limit).await?;
    assert!(locations.iter().any(|location| location.id == location_id));

    let found: serde_json::Value = client
        .request(Method::GET, format!("/locations/{location_id}/products"))
        .query("externalId", "SOUP-1")
        .json()
        .await?;
    println!("{}", found["data"][0]["name"]);
    assert_eq!(found["data"][0]["name"], "Tomato soup");
    Ok(())
}

#[tokio::test]
async fn they_run() {
    let service = Service::start().await;
    let (client, at) = (service.client(), service.locations[0]);
    let mut copy = Copy::new();
    let change = sync(&client, at, None, &mut copy).await.unwrap();
    assert!(copy.len() > 20, "{} products", copy.len());
    assert!(matches!(change, Entry::Live(product) if product.name == "Late"));
    assert_eq!(import(&client, at).await.unwrap(), [1, 1]);
    write(&client, at).await.unwrap();
    let (url, token) = (service.url.clone(), service.token.clone());
    settings(url, token, at).await.unwrap();
}

/// Sends a request to create a product; returns head and body.
async fn create(service: &Service, key: &str, body: &str) -> (String, serde_json::Value) {
    let address = service.url.strip_prefix("http://").unwrap();
    let (address, _) = address.split_once('/').unwrap();
    let mut socket = TcpStream::connect(address).await.unwrap();
    let request = format!(
        "POST /v1/locations/{}/products HTTP/1.1\r\nHost: {address}\r\nConnection: close\r\n\
         Authorization: Bearer {}\r\nContent-Type: application/json\r\nIdempotency-Key: {key}\r\n\
         Content-Length: {}\r\n\r\n{body}",
        service.locations[0],
        service.token,
        body.len()
    );
    socket.write_all(request.as_bytes()).await.unwrap();
    let mut answer = String::new();
    socket.read_to_string(&mut answer).await.unwrap();
    let (head, body) = answer.split_once("\r\n\r\n").unwrap();
    (head.to_lowercase(), serde_json::from_str(body).unwrap())
}

/// The bodies in `docs/errors.md` are the answers of the service.
#[tokio::test]
async fn the_errors_are_these() {
    let service = Service::start().await;
    let page = Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs/errors.md");
    let page = fs::read_to_string(page).unwrap();
    let shown = page.split("```json\n").skip(1);
    let shown: Vec<serde_json::Value> = shown
        .map(|rest| serde_json::from_str(rest.split("```").next().unwrap()).unwrap())
        .collect();
    let sent = [
        r#"{ "name": "Soup", "priceCents": -1 }"#,
        r#"{ "name": "Soup", "priceCents": -1, "vatRate": 900 }"#,
    ];
    assert_eq!(shown.len(), sent.len());
    for (shown, sent) in shown.iter().zip(sent) {
        let (head, body) = create(&service, &sent.len().to_string(), sent).await;
        assert!(head.starts_with("http/1.1 422 "), "{head}");
        assert!(&body == shown, "{body:#}");
    }
}

/// A repeated request, as in `docs/idempotency.md`.
#[tokio::test]
async fn a_repeated_write_is_replayed() {
    let service = Service::start().await;
    let rye = r#"{ "name": "Rye loaf" }"#;
    let (head, made) = create(&service, "order-4711", rye).await;
    assert!(!head.contains("idempotent-replayed"), "{head}");
    let (head, again) = create(&service, "order-4711", rye).await;
    assert!(head.contains("idempotent-replayed: true"), "{head}");
    assert_eq!(made, again);
    let (head, other) = create(&service, "order-4711", r#"{ "name": "Rye" }"#).await;
    assert!(head.starts_with("http/1.1 409 "), "{head}");
    assert_eq!(other["error"]["code"], "conflict");
    let (head, _) = create(&service, "order-4712", r#"{ "name": 1 }"#).await;
    assert!(head.starts_with("http/1.1 422 "), "{head}");
    let (head, _) = create(&service, "order-4712", r#"{ "name": 1 }"#).await;
    assert!(head.contains("idempotent-replayed: true"), "{head}");
}
