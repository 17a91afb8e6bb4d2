//! Movements of stock, and their consequences.

use connect_core::{
    Error, ScreenType,
    wire::{
        Id, MovementType, Product, ProductInput, StockLevel, TransactionInput,
        query::{StockLevelQuery, StockMovementQuery, SyncQuery},
    },
};
use serde::de::DeserializeOwned;
use serde_json::json;

use crate::shop::Shop;

fn input<T: DeserializeOwned>(body: serde_json::Value) -> T {
    serde_json::from_str(&body.to_string()).unwrap()
}

async fn open() -> (Shop, Id<Product>) {
    let shop = Shop::open().await;
    let bread = ProductInput::named("Bread").external_id("B-1");
    let bread = shop.products().create(bread).await.unwrap().id;
    (shop, bread)
}

async fn count(
    shop: &Shop,
    product: Id<Product>,
    body: serde_json::Value,
) -> Result<StockLevel, Error> {
    let stock = shop.connect.location(&shop.at).stock();
    stock.count(product, input(body)).await
}

#[tokio::test]
async fn a_movement_says_why_and_by_whom() {
    let (shop, bread) = open().await;
    count(&shop, bread, json!({ "quantity": 5 })).await.unwrap();
    let (token, _) = shop.token().await;
    let till = shop.screen(ScreenType::Pos, "Till 2").await;
    for (at, kind) in [(&shop.at, "delivery"), (&token, "correction")] {
        let body = json!({ "productId": bread, "quantityChange": 2, "type": kind });
        let stock = shop.connect.location(at).stock();
        stock.adjust(input(body)).await.unwrap();
    }
    for (kind, pieces) in [("sale", 1), ("refund", -1)] {
        let body = json!({
            "type": kind,
            "totalCents": 250 * pieces,
            "payments": [{ "method": "card", "amountCents": 250 * pieces }],
            "lines": [{ "name": "Bread", "productId": bread, "quantity": pieces,
                        "unitPriceCents": 250, "totalCents": 250 * pieces, "vatRate": 9 }],
        });
        let row = TransactionInput::from_json(body.to_string().as_bytes()).unwrap();
        let journal = shop.connect.location(&till).transactions();
        journal.write(row).await.unwrap();
    }
    let movements = shop.connect.location(&shop.at).stock().movements();
    let page = movements
        .list(&StockMovementQuery::default())
        .await
        .unwrap();
    let told: Vec<_> = page
        .data
        .into_iter()
        .map(|moved| (moved.kind, moved.source))
        .collect();
    let expected = [
        (MovementType::Count, "Dashboard"),
        (MovementType::Delivery, "Dashboard"),
        (MovementType::Correction, "API: Sync"),
        (MovementType::Sale, "Register: Till 2"),
        (MovementType::Refund, "Register: Till 2"),
    ];
    let expected = expected.map(|(kind, source)| (kind, source.to_owned()));
    assert_eq!(told, expected);
}

#[tokio::test]
async fn movements_are_listed_by_their_time() {
    let (shop, bread) = open().await;
    let mut times = Vec::new();
    for quantity in 1..=3 {
        let level = count(&shop, bread, json!({ "quantity": quantity })).await;
        times.push(level.unwrap().updated_at);
        shop.clock.advance(3600);
    }
    let movements = shop.connect.location(&shop.at).stock().movements();
    let mut query = StockMovementQuery::default();
    query.period.from = times[1].to_string().parse().ok();
    query.period.to = times[2].to_string().parse().ok();
    let page = movements.list(&query).await.unwrap();
    assert_eq!(page.data.len(), 1);
    assert_eq!(page.data[0].created_at, times[1]);
}

/// A level changes with the code of its product, so whoever follows the levels learns of it.
#[tokio::test]
async fn a_level_follows_the_code_of_its_product() {
    let (shop, bread) = open().await;
    let before = count(&shop, bread, json!({ "quantity": 5 })).await.unwrap();
    shop.clock.advance(10);
    let renamed = ProductInput::default().external_id("B-2");
    let product = shop.products().update(bread, renamed).await.unwrap();
    let stock = shop.connect.location(&shop.at).stock();
    let level = stock.get(bread).await.unwrap();
    let mut expected = before.clone();
    expected.external_id = Some("B-2".into());
    expected.updated_at = product.updated_at;
    assert_eq!(level, expected);
    let since = StockLevelQuery {
        sync: SyncQuery {
            updated_since: Some(before.updated_at.plus_seconds(1)),
            ..SyncQuery::default()
        },
    };
    assert_eq!(
        stock.list(&since).await.unwrap().data,
        std::slice::from_ref(&level)
    );
    // Other changes of the product leave it alone.
    let cheaper = ProductInput::default().price_cents(1);
    shop.clock.advance(10);
    shop.products().update(bread, cheaper).await.unwrap();
    assert_eq!(stock.get(bread).await.unwrap(), level);
    let report = shop.connect.check(&mut |_| {}).await.unwrap();
    assert_eq!(report.problems, []);
}

#[tokio::test]
async fn a_count_may_expect_what_was_there() {
    let (shop, bread) = open().await;
    for (body, is_taken) in [
        (json!({ "quantity": 5, "expectedQuantity": 1 }), false),
        (json!({ "quantity": 5 }), true),
        (json!({ "quantity": 6, "expectedQuantity": 4 }), false),
        (json!({ "quantity": 6, "expectedQuantity": 5 }), true),
    ] {
        let counted = count(&shop, bread, body.clone()).await;
        match counted {
            Ok(_) => assert!(is_taken, "{body}"),
            Err(Error::Conflict(_)) => assert!(!is_taken, "{body}"),
            Err(other) => panic!("{other:?}"),
        }
    }
}

#[tokio::test]
async fn counts_of_many_are_added_up() {
    let (shop, bread) = open().await;
    for number in 0..5 {
        let product = ProductInput::named("Bun").external_id(format!("C-{number}"));
        shop.products().create(product).await.unwrap();
    }
    count(&shop, bread, json!({ "quantity": 1 })).await.unwrap();
    count(&shop, bread, json!({ "quantity": 2 })).await.unwrap();
    let code = |code: &str, quantity: i64| json!({ "externalId": code, "quantity": quantity });
    let items = [
        code("B-1", 2),
        code("B-1", 2),
        code("C-0", 1),
        code("C-1", 1),
        code("C-2", 1),
        code("no such", 1),
        code("no other", 1),
        code("C-3", -1),
        code("", 1),
    ];
    let stock = shop.connect.location(&shop.at).stock();
    let counts = serde_json::to_vec(&json!({ "items": items })).unwrap();
    let answer = stock
        .json()
        .count_many(connect_core::Request::json(counts))
        .await;
    let done: connect_core::wire::StockCountsResult = answer.unwrap().decode().unwrap();
    assert_eq!((done.unchanged, done.updated, done.failed), (2, 3, 4));
}
