//! Writes that happen at once: each is done as if it were alone.

use std::sync::Arc;

use connect_tests::shop::Shop;
use futures_util::future::join_all;
use serde_json::{Value, json};

fn path(record: &Value) -> String {
    format!("products/{}", record["id"].as_str().unwrap())
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn a_product_is_deleted_once() {
    let shop = Arc::new(Shop::open().await);
    let product = path(&shop.make("products", &json!({ "name": "Rye" })).await);
    let sent = (0..8).map(|_| {
        let (shop, product) = (shop.clone(), product.clone());
        tokio::spawn(async move { shop.delete(&product).await.status.as_u16() })
    });
    let mut statuses: Vec<u16> = join_all(sent)
        .await
        .into_iter()
        .map(Result::unwrap)
        .collect();
    statuses.sort_unstable();
    assert_eq!(statuses, [204, 404, 404, 404, 404, 404, 404, 404]);
    assert_eq!(shop.all("products", "includeDeleted=true").await.len(), 1);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn a_category_that_many_name_is_made_once() {
    let shop = Arc::new(Shop::open().await);
    let sent = (0..12).map(|n| {
        let shop = shop.clone();
        let name = if n % 2 == 0 { "Bread" } else { "BREAD" };
        let body = json!({ "name": format!("Bun {n}"), "categoryName": name });
        tokio::spawn(async move { shop.make("products", &body).await["categoryId"].clone() })
    });
    let categories: Vec<Value> = join_all(sent)
        .await
        .into_iter()
        .map(Result::unwrap)
        .collect();
    assert!(categories.iter().all(|category| *category == categories[0]));
    assert_eq!(shop.all("categories", "").await.len(), 1);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn changes_to_different_fields_are_all_kept() {
    let shop = Arc::new(Shop::open().await);
    let product = path(&shop.make("products", &json!({ "name": "Rye" })).await);
    let changes = [
        json!({ "priceCents": 7 }),
        json!({ "description": "Dark" }),
        json!({ "barcode": "871" }),
        json!({ "externalId": "R-1" }),
        json!({ "isActive": false }),
        json!({ "vatRate": 21 }),
    ];
    let sent = changes.clone().map(|change| {
        let (shop, product) = (shop.clone(), product.clone());
        tokio::spawn(async move { shop.patch(&product, &change).await.expect(200).data() })
    });
    join_all(sent)
        .await
        .into_iter()
        .for_each(|answer| drop(answer.unwrap()));
    let product = shop.get(&product).await.expect(200).data();
    for change in &changes {
        for (field, value) in change.as_object().unwrap() {
            assert_eq!(&product[field], value, "{field}");
        }
    }
}

/// A category may be deleted while products are put into it: none keeps an id of nothing.
#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn no_product_keeps_a_category_that_is_gone() {
    let shop = Arc::new(Shop::open().await);
    for round in 0..10 {
        let category = shop
            .make("categories", &json!({ "name": format!("C {round}") }))
            .await;
        let id = category["id"].as_str().unwrap().to_owned();
        let makers: Vec<_> = (0..4)
            .map(|n| {
                let shop = shop.clone();
                let body = json!({ "name": format!("{round}-{n}"), "categoryId": id });
                tokio::spawn(async move { shop.post("products", &body).await.status.as_u16() })
            })
            .collect();
        shop.delete(&format!("categories/{id}")).await.expect(204);
        for status in join_all(makers).await {
            assert!(matches!(status.unwrap(), 201 | 422));
        }
        assert!(
            shop.all("products", &format!("categoryId={id}"))
                .await
                .is_empty()
        );
        let all = shop.all("products", "limit=200").await;
        assert!(
            all.iter()
                .all(|product| product["categoryId"] != id.as_str())
        );
    }
}
