//! Pages and cursors.

use connect_tests::{http::Answer, shop::Shop};
use serde_json::{Value, json};

fn id(record: &Value) -> String {
    record["id"].as_str().unwrap().to_owned()
}

/// A shop with so many products, made in two batches.
async fn shop_with(products: usize) -> Shop {
    let shop = Shop::open().await;
    let items: Vec<_> = (0..products)
        .map(|n| json!({ "name": format!("Bun {n}"), "externalId": format!("B-{n}") }))
        .collect();
    for half in items.chunks(products.div_ceil(2).max(1)) {
        shop.batch(&json!({ "items": half })).await;
    }
    shop
}

#[tokio::test]
async fn pages_hold_every_record_once_in_the_order_of_the_list() {
    let shop = shop_with(23).await;
    let whole = shop.all("products", "limit=200").await;
    assert_eq!(whole.len(), 23);
    // All of a batch have one time, so here the ids decide.
    let place = |r: &Value| (r["updatedAt"].as_str().unwrap().to_owned(), id(r));
    assert!(whole.is_sorted_by(|a, b| place(a) < place(b)));
    for limit in [1, 2, 7, 22, 23, 24] {
        assert_eq!(
            shop.all("products", &format!("limit={limit}")).await,
            whole,
            "limit {limit}"
        );
    }
}

#[tokio::test]
async fn a_page_has_50_records_unless_asked_otherwise_and_200_at_most() {
    let shop = shop_with(201).await;
    let first = shop.get("products").await;
    assert_eq!(first.list().len(), 50);
    assert!(first.next_cursor().is_some());
    let full = shop.get("products?limit=200").await;
    assert_eq!(full.list().len(), 200);
    let last = format!("products?limit=200&cursor={}", full.next_cursor().unwrap());
    let last = shop.get(&last).await;
    assert_eq!((last.list().len(), last.next_cursor()), (1, None));
}

#[tokio::test]
async fn a_page_that_ends_with_the_list_has_no_next_one() {
    let shop = shop_with(4).await;
    for (limit, has_next) in [(3, true), (4, false), (5, false)] {
        let page = shop.get(&format!("products?limit={limit}")).await;
        assert_eq!(page.next_cursor().is_some(), has_next, "limit {limit}");
    }
    let nothing = shop.get("categories").await;
    assert_eq!((nothing.list().len(), nothing.next_cursor()), (0, None));
}

#[tokio::test]
async fn the_limit_may_change_from_page_to_page() {
    let shop = shop_with(9).await;
    let whole = shop.all("products", "limit=200").await;
    let first = shop.get("products?limit=2").await;
    let second = format!("products?limit=5&cursor={}", first.next_cursor().unwrap());
    let second = shop.get(&second).await;
    let third = shop
        .get(&format!(
            "products?cursor={}",
            second.next_cursor().unwrap()
        ))
        .await;
    let paged: Vec<Value> = [first, second, third]
        .iter()
        .flat_map(|page| page.list())
        .collect();
    assert_eq!(paged, whole);
}

#[tokio::test]
async fn a_cursor_may_be_used_again_and_its_page_is_the_same() {
    let shop = shop_with(6).await;
    let cursor = shop.get("products?limit=2").await.next_cursor().unwrap();
    let page = format!("products?limit=2&cursor={cursor}");
    let once = shop.get(&page).await;
    assert_eq!(once.body, shop.get(&page).await.body);
    shop.clock.advance(3600 * 24 * 365);
    assert_eq!(once.body, shop.get(&page).await.body);
}

#[tokio::test]
async fn a_cursor_survives_the_record_it_was_made_at() {
    let shop = shop_with(6).await;
    let whole = shop.all("products", "limit=200").await;
    let first = shop.get("products?limit=2").await;
    let cursor = first.next_cursor().unwrap();
    shop.delete(&format!("products/{}", id(&whole[1])))
        .await
        .expect(204);
    let rest = shop.get(&format!("products?cursor={cursor}")).await.list();
    assert_eq!(rest, whole[2..]);
}

/// A record that changes while somebody pages moves to the end: it may be seen twice, but what
/// does not change is never missed.
#[tokio::test]
async fn nothing_is_missed_while_records_change() {
    let shop = shop_with(12).await;
    let whole = shop.all("products", "limit=200").await;
    let mut seen = Vec::new();
    let mut query = "products?limit=3".to_owned();
    for round in 0.. {
        let page = shop.get(&query).await;
        seen.extend(page.list().iter().map(id));
        let Some(cursor) = page.next_cursor() else {
            break;
        };
        query = format!("products?limit=3&cursor={cursor}");
        if round < 3 {
            // One that was seen and one that was not.
            for at in [round, 11 - round] {
                let one = format!("products/{}", id(&whole[at]));
                shop.patch(&one, &json!({ "priceCents": 100 + round }))
                    .await
                    .expect(200);
            }
        }
    }
    for product in &whole {
        assert!(seen.contains(&id(product)), "{product} was missed");
    }
}

#[tokio::test]
async fn a_cursor_goes_with_filters_however_they_are_written() {
    let shop = Shop::open().await;
    for n in 0..3 {
        shop.make(
            "products",
            &json!({ "name": format!("Bun {n}"), "barcode": "871" }),
        )
        .await;
    }
    let first = shop
        .get("products?limit=1&barcode=871&updatedSince=2026-11-20T00:00:00Z")
        .await;
    let cursor = first.next_cursor().unwrap();
    // The same time with an offset, the parameters in another order, an escape: the same list.
    let same = format!(
        "products?updatedSince=2026-11-20T01:00:00.000%2B01:00&cursor={cursor}&barcode=%38%37%31"
    );
    assert_eq!(shop.get(&same).await.expect(200).list().len(), 2);
    let plain = format!("products?cursor={cursor}&barcode=871");
    shop.get(&plain).await.fails(400, "validation_failed");
    let explicit = format!(
        "products?barcode=871&updatedSince=2026-11-20T00:00:00Z&includeDeleted=false&cursor={cursor}"
    );
    assert_eq!(shop.get(&explicit).await.expect(200).list().len(), 2);
}

/// By it a walk knows when it has seen all that there was when it began.
#[tokio::test]
async fn a_page_says_when_the_location_last_changed_before_it() {
    let shop = shop_with(5).await;
    let state = |answer: &Answer| answer.header("connect-state").map(str::to_owned);
    let updated_at = |record: &Value| Some(record["updatedAt"].as_str().unwrap().to_owned());
    let whole = shop.all("products", "limit=200").await;
    let first = shop.get("products?limit=2").await;
    assert_eq!(state(&first), updated_at(&whole[4]));
    // It is the location's, not the list's: a new category shows in the list of products.
    let category = shop.make("categories", &json!({ "name": "Late" })).await;
    let next = format!("products?limit=2&cursor={}", first.next_cursor().unwrap());
    assert_eq!(state(&shop.get(&next).await), updated_at(&category));
    assert_eq!(state(&shop.get("categories").await), updated_at(&category));
    let one = format!("products/{}", id(&whole[0]));
    assert_eq!(state(&shop.get(&one).await), None);
}
