//! The SDK against the service. Everything between them is held against the document.

use std::{collections::HashMap, time::Duration};

use connect_client::{
    Client, GaveUp, IdempotencyKey, RetryPolicy,
    wire::{
        BatchStatus, Category, CategoryInput, Date, Entry, ErrorCode, Field, ImageStatus, MatchBy,
        Product, ProductBatch, ProductInput, Scope, VatRate, query::ProductQuery,
    },
};
use connect_core::RateLimits;
use connect_tests::{
    shop::{Setup, Shop},
    watch::Watch,
};
use futures_util::TryStreamExt;

/// A client that sends again at once what may be sent again.
fn client(watch: &Watch, token: &str) -> Client {
    let at_once = RetryPolicy::default().backoff(Duration::ZERO, Duration::ZERO);
    Client::builder(&watch.base_url, token)
        .retry(at_once)
        .build()
        .unwrap()
}

async fn open() -> (Shop, Watch, Client) {
    let shop = Shop::open().await;
    let watch = Watch::over(&shop).await;
    let client = client(&watch, &shop.token);
    (shop, watch, client)
}

fn coded(code: &str, name: &str) -> ProductInput {
    ProductInput {
        external_id: Field::Value(code.to_owned()),
        ..ProductInput::named(name)
    }
}

#[tokio::test]
async fn locations_are_read() {
    let (shop, _watch, client) = open().await;
    let locations = client.locations().await.unwrap();
    assert_eq!(locations.len(), 2);
    assert_eq!(
        (locations[0].id, &*locations[0].name),
        (shop.here, "Harbour")
    );
    assert!(locations[0].scopes.contains(&Scope::CatalogWrite));
    assert!(client.rate_limit().is_some());
}

#[tokio::test]
async fn categories_are_made_read_changed_listed_and_deleted() {
    let (shop, _watch, client) = open().await;
    let categories = client.location(shop.here).categories();
    let made = categories
        .create(&CategoryInput::named("Bread"))
        .await
        .unwrap();
    assert_eq!(categories.get(made.id).await.unwrap(), made);
    let move_it = CategoryInput {
        position: Field::Value(7),
        ..CategoryInput::default()
    };
    let moved = categories.update(made.id, &move_it).await.unwrap();
    assert_eq!((moved.position, &moved.name), (7, &made.name));
    let listed: Vec<Category> = categories
        .stream(&Default::default())
        .try_collect()
        .await
        .unwrap();
    assert_eq!(listed, [moved]);
    categories.delete(made.id).await.unwrap();
    let gone = categories.get(made.id).await.unwrap_err();
    assert_eq!(
        (gone.status(), gone.code()),
        (Some(404), Some(&ErrorCode::NotFound))
    );
}

#[tokio::test]
async fn a_product_comes_back_as_it_was_written() {
    let (shop, _watch, client) = open().await;
    let products = client.location(shop.here).products();
    let day = |text: &str| text.parse::<Date>().unwrap();
    let input = ProductInput {
        external_id: Field::Value("RYE 1".into()),
        name: Field::Value("Rye 🥖".into()),
        description: Field::Value("Two\nlines".into()),
        price_cents: Field::Value(425),
        vat_rate: Field::Value(VatRate::from_hundredths(1234).unwrap()),
        barcode: Field::Value("871".into()),
        category_name: Field::Value("Bread".into()),
        is_active: Field::Value(false),
        available_from: Field::Value(day("2026-01-01")),
        available_until: Field::Value(day("2026-12-31")),
        image_url: Field::Value("https://img.example/rye.png".into()),
        option_group_ids: Field::Value(Vec::new()),
        ..ProductInput::default()
    };
    let made = products.create(&input).await.unwrap();
    assert_eq!(made.external_id.as_deref(), Some("RYE 1"));
    assert_eq!(made.vat_rate.hundredths(), 1234);
    assert_eq!(made.image_status, Some(ImageStatus::Pending));
    assert_eq!(made.available_until, Some(day("2026-12-31")));
    assert!(made.category_id.is_some());

    let change = ProductInput {
        description: Field::Null,
        price_cents: Field::Value(450),
        ..ProductInput::default()
    };
    let changed = products.update(made.id, &change).await.unwrap();
    let expected = Product {
        description: None,
        price_cents: 450,
        updated_at: changed.updated_at,
        ..made.clone()
    };
    assert_eq!(changed, expected);
    products.delete(made.id).await.unwrap();
    assert_eq!(
        products.delete(made.id).await.unwrap_err().code(),
        Some(&ErrorCode::NotFound)
    );
}

#[tokio::test]
async fn a_batch_tells_what_became_of_each_item() {
    let (shop, _watch, client) = open().await;
    let products = client.location(shop.here).products();
    let items = vec![coded("A", "Rye"), coded("B", " "), coded("A", "Dark rye")];
    let dry = ProductBatch {
        dry_run: true,
        ..ProductBatch::new(items.clone())
    };
    let rehearsed = products.batch(&dry).await.unwrap();
    let done = products.batch(&ProductBatch::new(items)).await.unwrap();
    assert_eq!(
        (rehearsed.created, rehearsed.updated, rehearsed.failed),
        (1, 1, 1)
    );
    assert_eq!((done.created, done.updated, done.failed), (1, 1, 1));
    let error = done.results[1].error.as_ref().unwrap();
    assert_eq!(error.code, ErrorCode::ValidationFailed);
    assert!(
        error.message.starts_with("items[1].name"),
        "{}",
        error.message
    );
    assert_eq!(done.results[2].id, done.results[0].id);
}

#[tokio::test]
async fn a_batch_of_any_length_is_sent_in_pieces() {
    let (shop, watch, client) = open().await;
    let products = client.location(shop.here).products();
    let items: Vec<_> = (0..1234)
        .map(|n| coded(&format!("B-{n}"), &format!("Bun {n}")))
        .collect();
    let first = products.upsert_all(&items).run().await.unwrap();
    assert_eq!(
        (first.created, first.failed, first.results.len()),
        (1234, 0, 1234)
    );
    assert!(
        first
            .results
            .iter()
            .enumerate()
            .all(|(at, result)| result.index == at)
    );
    assert_eq!(watch.passed().len(), 3);
    let second = products.upsert_all(&items).run().await.unwrap();
    assert_eq!((second.unchanged, second.created), (1234, 0));

    // Long texts: now it is the 2 MB that cut.
    let long = |n: usize| ProductInput {
        description: Field::Value("é".repeat(2000)),
        ..coded(&format!("L-{n}"), "Long")
    };
    watch.passed();
    let third = products.upsert_all((0..600).map(long)).run().await.unwrap();
    assert_eq!(third.created, 600);
    let sizes: Vec<usize> = watch
        .passed()
        .iter()
        .map(|answer| answer.request.body.bytes().len())
        .collect();
    assert!(sizes.iter().all(|size| *size <= 2_000_000), "{sizes:?}");
    assert!(sizes.len() >= 2, "{sizes:?}");
}

#[tokio::test]
async fn a_barcode_or_an_id_can_be_the_key_of_a_batch() {
    let (shop, _watch, client) = open().await;
    let products = client.location(shop.here).products();
    let rye = ProductInput {
        barcode: Field::Value("871".into()),
        ..ProductInput::named("Rye")
    };
    let made = products.create(&rye).await.unwrap();
    let dearer = ProductInput {
        barcode: Field::Value("871".into()),
        price_cents: Field::Value(5),
        ..ProductInput::default()
    };
    let by_barcode = products
        .upsert_all([&dearer])
        .match_by(MatchBy::Barcode)
        .run()
        .await
        .unwrap();
    assert_eq!(by_barcode.results[0].status, BatchStatus::Updated);
    assert_eq!(by_barcode.results[0].id, Some(made.id));
    let renamed = ProductInput {
        id: Field::Value(made.id),
        ..ProductInput::named("Dark rye")
    };
    let by_id = products
        .upsert_all([renamed])
        .match_by(MatchBy::Id)
        .run()
        .await
        .unwrap();
    assert_eq!(by_id.updated, 1);
    let unknown = [coded("new", "New")];
    let none = products
        .upsert_all(&unknown)
        .create_missing(false)
        .run()
        .await
        .unwrap();
    assert_eq!(
        none.results[0].error.as_ref().unwrap().code,
        ErrorCode::NotFound
    );
}

#[tokio::test]
async fn a_list_is_read_page_by_page() {
    let (shop, watch, client) = open().await;
    let products = client.location(shop.here).products();
    let items: Vec<_> = (0..450)
        .map(|n| ProductInput {
            barcode: Field::Value(if n % 3 == 0 { "third" } else { "other" }.into()),
            ..coded(&format!("B-{n}"), "Bun")
        })
        .collect();
    products.upsert_all(&items).run().await.unwrap();
    watch.passed();
    let all = products
        .stream(&ProductQuery::default())
        .all()
        .await
        .unwrap();
    assert_eq!(all.len(), 450);
    assert_eq!(watch.passed().len(), 3);
    let third = ProductQuery {
        barcode: Some("third".into()),
        ..ProductQuery::default()
    };
    assert_eq!(products.stream(&third).all().await.unwrap().len(), 150);
    let one = ProductQuery {
        external_id: Some("B-7".into()),
        ..ProductQuery::default()
    };
    let page = products.list(&one).await.unwrap();
    assert_eq!((page.data.len(), page.next_cursor), (1, None));
}

#[tokio::test]
async fn changes_are_followed_with_deletions() {
    let (shop, _watch, client) = open().await;
    let products = client.location(shop.here).products();
    let mut copy: HashMap<_, Product> = HashMap::new();
    let mut since = None;
    let mut ids = Vec::new();
    for round in 0..4 {
        ids.push(
            products
                .create(&ProductInput::named(format!("Bun {round}")))
                .await
                .unwrap()
                .id,
        );
        if round % 2 == 1 {
            products.delete(ids.remove(0)).await.unwrap();
        }
        let mut changes = products.changes_since(since);
        while let Some(entry) = changes.next().await {
            match entry.unwrap() {
                Entry::Live(product) => copy.insert(product.id, product),
                Entry::Deleted(tombstone) => copy.remove(&tombstone.id),
            };
        }
        since = changes.since();
        let live = products
            .stream(&ProductQuery::default())
            .all()
            .await
            .unwrap();
        let live: HashMap<_, _> = live
            .into_iter()
            .map(|product| (product.id, product))
            .collect();
        assert_eq!(copy, live, "after round {round}");
    }
}

#[tokio::test]
async fn a_lost_answer_is_asked_for_again_and_nothing_happens_twice() {
    let (shop, watch, client) = open().await;
    let products = client.location(shop.here).products();
    watch.lose_answers(2);
    let made = products
        .create(&ProductInput::named("Rye"))
        .send()
        .await
        .unwrap();
    assert_eq!((made.meta.attempts, made.meta.replayed), (3, true));
    let sent = watch.passed();
    assert_eq!(sent.len(), 3);
    let key = |at: usize| sent[at].request.headers.get("idempotency-key").cloned();
    assert!(key(0).is_some() && key(0) == key(1) && key(1) == key(2));

    watch.lose_answers(1);
    products.delete(made.data.id).await.unwrap();
    watch.lose_answers(1);
    let items: Vec<_> = (0..700).map(|n| coded(&format!("B-{n}"), "Bun")).collect();
    let total = products.upsert_all(&items).run().await.unwrap();
    assert_eq!((total.created, total.unchanged), (700, 0));
    assert_eq!(
        products
            .stream(&ProductQuery::default())
            .all()
            .await
            .unwrap()
            .len(),
        700
    );
}

#[tokio::test]
async fn a_key_of_ones_own_is_used_and_guards() {
    let (shop, _watch, client) = open().await;
    let products = client.location(shop.here).products();
    let key = || IdempotencyKey::new("import-1").unwrap();
    let make = |name: &str| {
        products
            .create(&ProductInput::named(name))
            .idempotency_key(key())
    };
    let first = make("Rye").send().await.unwrap();
    let second = make("Rye").send().await.unwrap();
    assert_eq!((first.meta.replayed, second.meta.replayed), (false, true));
    assert_eq!(first.data, second.data);
    let other = make("Bun").await.unwrap_err();
    assert_eq!(
        (other.status(), other.code()),
        (Some(409), Some(&ErrorCode::Conflict))
    );
    assert!(!other.retryable());
}

#[tokio::test]
async fn refusals_are_reported_once_and_in_full() {
    let (shop, watch, client) = open().await;
    let products = client.location(shop.here).products();
    let wrong = ProductInput {
        price_cents: Field::Value(-1),
        ..ProductInput::named("Rye")
    };
    let error = products.create(&wrong).await.unwrap_err();
    assert_eq!((error.status(), error.attempts()), (Some(422), 1));
    assert_eq!(error.code(), Some(&ErrorCode::ValidationFailed));
    assert!(error.api().unwrap().message.starts_with("priceCents: "));
    let passed = watch.passed();
    assert_eq!(error.request_id(), passed[0].header("x-request-id"));

    let nobody = self::client(&watch, "ck_test_nobody");
    let error = nobody.locations().await.unwrap_err();
    assert_eq!((error.status(), error.attempts()), (Some(401), 1));
    let reader = self::client(
        &watch,
        &shop.token_for(shop.here, &[Scope::CatalogRead]).await,
    );
    let error = reader
        .location(shop.here)
        .products()
        .create(&wrong)
        .await
        .unwrap_err();
    assert_eq!(error.code(), Some(&ErrorCode::ForbiddenScope));
    let error = reader
        .location(shop.there)
        .products()
        .get(shop.there)
        .await
        .unwrap_err();
    assert_eq!(error.code(), Some(&ErrorCode::ForbiddenLocation));
}

#[tokio::test]
async fn a_limit_that_outlasts_the_budget_is_reported_with_its_wait() {
    let limits = RateLimits {
        token: 1,
        account: 100,
        address: 100,
    };
    let shop = Setup::default().limits(limits).open().await;
    let watch = Watch::over(&shop).await;
    shop.clock.set("2026-11-20T10:00:20Z".parse().unwrap());
    let policy = RetryPolicy::default().budget(Duration::from_secs(5));
    let client = Client::builder(&watch.base_url, &shop.token)
        .retry(policy)
        .build()
        .unwrap();
    client.locations().await.unwrap();
    let error = client.locations().await.unwrap_err();
    assert_eq!(
        (error.status(), error.code()),
        (Some(429), Some(&ErrorCode::RateLimited))
    );
    assert_eq!(error.retry_after(), Some(Duration::from_secs(40)));
    assert_eq!(
        (error.gave_up(), error.attempts()),
        (Some(GaveUp::RetryAfter), 1)
    );
    assert!(error.retryable());
    let limit = client.rate_limit().unwrap();
    assert_eq!((limit.limit, limit.remaining), (1, 0));
    assert_eq!(limit.reset, "2026-11-20T10:01:00Z".parse().unwrap());
}
