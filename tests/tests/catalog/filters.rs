//! The filters of the list of products.

use connect_tests::shop::Shop;
use serde_json::{Value, json};

fn names(records: &[Value]) -> Vec<&str> {
    records
        .iter()
        .map(|record| record["name"].as_str().unwrap_or("deleted"))
        .collect()
}

/// Rye and Bun are bread, Rye and Pie share a barcode, each but Bun has a code.
async fn shelf() -> (Shop, String) {
    let shop = Shop::open().await;
    let bread = shop.make("categories", &json!({ "name": "Bread" })).await;
    let bread = bread["id"].as_str().unwrap().to_owned();
    for product in [
        json!({ "name": "Rye", "externalId": "R 1/a", "barcode": "871&=+ é", "categoryId": bread }),
        json!({ "name": "Bun", "categoryId": bread }),
        json!({ "name": "Pie", "externalId": "P-1", "barcode": "871&=+ é" }),
        json!({ "name": "Tea", "externalId": "T-1", "barcode": "871" }),
    ] {
        shop.make("products", &product).await;
    }
    (shop, bread)
}

#[tokio::test]
async fn filters_are_exact_and_go_together() {
    let (shop, bread) = shelf().await;
    let barcode = "barcode=871%26%3D%2B%20%C3%A9";
    for (query, expected) in [
        (barcode.to_owned(), vec!["Rye", "Pie"]),
        ("barcode=871".to_owned(), vec!["Tea"]),
        ("barcode=87".to_owned(), vec![]),
        ("externalId=P-1".to_owned(), vec!["Pie"]),
        ("externalId=p-1".to_owned(), vec![]),
        ("externalId=R+1/a".to_owned(), vec!["Rye"]),
        ("externalId=%F0%9F%A5%90".to_owned(), vec![]),
        (format!("categoryId={bread}"), vec!["Rye", "Bun"]),
        (
            format!("categoryId={}", bread.to_uppercase()),
            vec!["Rye", "Bun"],
        ),
        (
            "categoryId=019a8c52-8e20-7c42-8a1f-4c2d6e8fab02".to_owned(),
            vec![],
        ),
        (format!("categoryId={bread}&{barcode}"), vec!["Rye"]),
        (format!("categoryId={bread}&externalId=P-1"), vec![]),
        (format!("{barcode}&externalId=P-1"), vec!["Pie"]),
        (
            format!("{barcode}&externalId=P-1&categoryId={bread}"),
            vec![],
        ),
        (
            "updatedSince=2099-01-01T00:00:00Z&barcode=871".to_owned(),
            vec![],
        ),
    ] {
        for limit in ["", "&limit=1"] {
            let found = shop.all("products", &format!("{query}{limit}")).await;
            assert_eq!(names(&found), expected, "{query}{limit}");
        }
    }
}

#[tokio::test]
async fn filters_follow_what_products_become() {
    let (shop, bread) = shelf().await;
    let rye = shop.all("products", "externalId=R+1/a").await.remove(0);
    let path = format!("products/{}", rye["id"].as_str().unwrap());
    let change = json!({ "externalId": "R-2", "barcode": "872", "categoryId": null });
    shop.patch(&path, &change).await.expect(200);
    assert!(shop.all("products", "externalId=R+1/a").await.is_empty());
    assert_eq!(
        names(&shop.all("products", "externalId=R-2").await),
        ["Rye"]
    );
    assert_eq!(names(&shop.all("products", "barcode=872").await), ["Rye"]);
    assert_eq!(
        names(&shop.all("products", &format!("categoryId={bread}")).await),
        ["Bun"]
    );
    shop.delete(&path).await.expect(204);
    assert!(shop.all("products", "barcode=872").await.is_empty());
    assert!(shop.all("products", "externalId=R-2").await.is_empty());
}

/// A filtered copy learns of every deletion: what a deleted product was is no longer known.
#[tokio::test]
async fn filters_do_not_hide_deletions() {
    let (shop, _) = shelf().await;
    let tea = shop.all("products", "externalId=T-1").await.remove(0);
    shop.delete(&format!("products/{}", tea["id"].as_str().unwrap()))
        .await
        .expect(204);
    for limit in ["", "&limit=1"] {
        let found = shop
            .all(
                "products",
                &format!("externalId=P-1&includeDeleted=true{limit}"),
            )
            .await;
        assert_eq!(names(&found), ["Pie", "deleted"]);
    }
}

#[tokio::test]
async fn filters_go_together_with_the_time_of_the_change() {
    let (shop, bread) = shelf().await;
    let bun = shop
        .all("products", &format!("categoryId={bread}"))
        .await
        .remove(1);
    let path = format!("products/{}", bun["id"].as_str().unwrap());
    let code = json!({ "externalId": "B-1", "barcode": "873" });
    let bun = shop.patch(&path, &code).await.expect(200).data();
    let at = bun["updatedAt"].as_str().unwrap();
    shop.clock.advance(1);
    let later = shop.make("products", &json!({ "name": "Later" })).await;
    let later = later["updatedAt"].as_str().unwrap();
    for filter in ["externalId=B-1".to_owned(), "barcode=873".to_owned()] {
        let found = shop
            .all("products", &format!("{filter}&updatedSince={at}"))
            .await;
        assert_eq!(found, std::slice::from_ref(&bun), "{filter}");
        let none = shop
            .all("products", &format!("{filter}&updatedSince={later}"))
            .await;
        assert!(none.is_empty(), "{filter}");
    }
    let since = format!("categoryId={bread}&updatedSince={at}");
    assert_eq!(shop.all("products", &since).await, [bun]);
}

#[tokio::test]
async fn many_matches_are_paged_in_order() {
    let shop = Shop::open().await;
    let items: Vec<_> = (0..120)
        .map(|n| json!({ "name": format!("{n}"), "barcode": if n % 2 == 0 { "even" } else { "odd" } }))
        .collect();
    shop.batch(&json!({ "items": items })).await;
    let whole = shop.all("products", "barcode=even&limit=200").await;
    assert_eq!(whole.len(), 60);
    for limit in [1, 7, 59, 60, 61] {
        let paged = shop
            .all("products", &format!("barcode=even&limit={limit}"))
            .await;
        assert_eq!(paged, whole, "limit {limit}");
    }
}

#[tokio::test]
async fn deletions_stand_in_their_place_among_what_a_filter_finds() {
    let shop = Shop::open().await;
    let mut ids = Vec::new();
    for n in 0..12 {
        let barcode = if n % 3 == 0 { "third" } else { "other" };
        let made = json!({ "name": format!("{n}"), "barcode": barcode });
        ids.push(
            shop.make("products", &made).await["id"]
                .as_str()
                .unwrap()
                .to_owned(),
        );
        if n % 3 == 2 {
            shop.delete(&format!("products/{}", ids[n - 1]))
                .await
                .expect(204);
        }
    }
    let query = "barcode=third&includeDeleted=true";
    let whole = shop.all("products", &format!("{query}&limit=200")).await;
    assert_eq!(
        names(&whole),
        [
            "0", "deleted", "3", "deleted", "6", "deleted", "9", "deleted"
        ]
    );
    for limit in 1..9 {
        assert_eq!(
            shop.all("products", &format!("{query}&limit={limit}"))
                .await,
            whole,
            "{limit}"
        );
    }
}

#[tokio::test]
async fn an_empty_query_is_no_query() {
    let (shop, _) = shelf().await;
    for query in ["products?", "products?&", "products?&&limit=200&"] {
        assert_eq!(shop.get(query).await.expect(200).list().len(), 4, "{query}");
    }
}
