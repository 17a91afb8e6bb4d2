//! Requests at the same time, at one server and at several on one storage: each is done as if it were alone.

use std::{collections::BTreeSet, sync::Arc};

use connect_core::{RateLimits, storage::memory::MemoryStorage};
use connect_tests::{
    http::{Answer, Request},
    shop::{Device, Setup, Shop, device_path},
};
use futures_util::future::join_all;
use serde_json::{Value, json};

/// Sends requests at once, as they come. Each is judged.
async fn at_once(shops: &[Arc<Shop>], requests: Vec<Request>) -> Vec<Answer> {
    let token = shops[0].token.clone();
    let sent = requests.into_iter().zip(shops.iter().cycle());
    let sent = sent.map(|(request, shop)| {
        let (shop, token) = (shop.clone(), token.clone());
        tokio::spawn(async move { shop.send_as(&token, request).await })
    });
    let answers = join_all(sent.collect::<Vec<_>>()).await.into_iter();
    answers.map(Result::unwrap).collect()
}

/// The number of answers with this status.
fn count(answers: &[Answer], status: u16) -> usize {
    answers.iter().filter(|it| it.status == status).count()
}

async fn one() -> [Arc<Shop>; 1] {
    [Arc::new(Shop::open().await)]
}

/// Servers on one storage, each with a clock of its own: machines do not agree on the time.
async fn three() -> [Arc<Shop>; 3] {
    let storage = Arc::new(MemoryStorage::new());
    let open = async |ahead| {
        let shop = Setup::default().storage(storage.clone()).open().await;
        shop.clock.advance(ahead);
        Arc::new(shop)
    };
    [open(0).await, open(-5).await, open(-10).await]
}

fn post(shop: &Shop, path: &str, body: Value) -> Request {
    Request::post(shop.at(path), &body)
}

fn path(shop: &Shop, list: &str, record: &Value) -> String {
    shop.at(&format!("{list}/{}", record["id"].as_str().unwrap()))
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn what_can_be_done_once_is_done_once() {
    let shops = one().await;
    let shop = &shops[0];
    let rye = shop.make("products", &json!({ "name": "Rye" })).await;
    let delete = Request::delete(path(shop, "products", &rye));
    let answers = at_once(&shops, vec![delete; 8]).await;
    assert_eq!((count(&answers, 204), count(&answers, 404)), (1, 7));
    assert_eq!(shop.all("products", "includeDeleted=true").await.len(), 1);

    let named =
        |n: usize| json!({ "name": n.to_string(), "categoryName": (["Bread", "BREAD"][n % 2]) });
    let requests = (0..12).map(|n| post(shop, "products", named(n)));
    let answers = at_once(&shops, requests.collect()).await;
    let categories: BTreeSet<_> = answers
        .iter()
        .map(|it| it.data()["categoryId"].to_string())
        .collect();
    assert_eq!(
        (categories.len(), shop.all("categories", "").await.len()),
        (1, 1)
    );

    let keyed = |n: usize| post(shop, "products", json!({ "name": format!("Bun {n}") })).key("k");
    let answers = at_once(&shops, (0..16).map(keyed).collect()).await;
    assert_eq!((count(&answers, 201), count(&answers, 409)), (1, 15));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn changes_to_different_fields_are_all_kept() {
    let shops = one().await;
    let rye = shops[0].make("products", &json!({ "name": "Rye" })).await;
    let changes = json!({ "priceCents": 7, "description": "Dark", "barcode": "871",
                          "externalId": "R-1", "isActive": false, "vatRate": 21 });
    let changes = changes.as_object().unwrap();
    let path = path(&shops[0], "products", &rye);
    let patches = changes
        .iter()
        .map(|(field, value)| Request::patch(&path, &json!({ field: value })));
    for answer in at_once(&shops, patches.collect()).await {
        answer.expect(200);
    }
    let product = shops[0].send(Request::get(path)).await.data();
    assert!(
        changes
            .iter()
            .all(|(field, value)| product[field] == *value),
        "{product}"
    );
}

/// A category may be deleted while products are put into it: none keeps an id of nothing.
#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn no_product_keeps_a_category_that_is_gone() {
    let shops = one().await;
    let shop = &shops[0];
    for round in 0..10 {
        let category = shop
            .make("categories", &json!({ "name": format!("C {round}") }))
            .await;
        let product = json!({ "name": "Rye", "categoryId": category["id"] });
        let mut requests = vec![post(shop, "products", product); 5];
        requests[2] = Request::delete(path(shop, "categories", &category));
        let answers = at_once(&shops, requests).await;
        assert_eq!(count(&answers, 204), 1);
        assert_eq!(count(&answers, 201) + count(&answers, 422), 4);
        let all = shop.all("products", "limit=200").await;
        assert!(
            all.iter()
                .all(|product| product["categoryId"] != category["id"])
        );
    }
}

/// Each batch is one commit.
#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn batches_do_not_get_in_each_others_way() {
    let shops = one().await;
    let batch = |writer: usize| {
        let item =
            |n: usize| json!({ "externalId": format!("S-{n}"), "name": format!("by {writer}") });
        let items: Vec<_> = (0..50).map(item).collect();
        post(&shops[0], "products/batch", json!({ "items": items }))
    };
    let answers = at_once(&shops, (0..8).map(batch).collect()).await;
    let created = answers
        .iter()
        .map(|it| it.data()["created"].as_u64().unwrap());
    assert_eq!(created.sum::<u64>(), 50);
    let products = shops[0].all("products", "limit=200").await;
    for field in ["name", "updatedAt"] {
        assert!(
            products
                .iter()
                .all(|product| product[field] == products[0][field]),
            "{field}"
        );
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn requests_are_counted_exactly() {
    let limits = RateLimits {
        token: 40,
        account: 100,
        address: 100,
        ..RateLimits::default()
    };
    let shops = [Arc::new(Setup::default().limits(limits).open().await)];
    let answers = at_once(&shops, vec![Request::get("/v1/locations"); 100]).await;
    assert_eq!((count(&answers, 200), count(&answers, 429)), (40, 60));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn adjustments_end_exact() {
    let shops = one().await;
    let rye = shops[0].make("products", &json!({ "name": "Rye" })).await;
    let adjust = |n: i64| {
        let body = json!({ "productId": rye["id"], "quantityChange": if n % 2 == 0 { n + 2 } else { -1 } });
        post(&shops[0], "stock/adjustments", body)
    };
    for answer in at_once(&shops, (0..80).map(adjust).collect()).await {
        answer.expect(201);
    }
    let mut after = 0;
    for movement in shops[0].all("stock/movements", "limit=200").await {
        after += movement["quantityChange"].as_i64().unwrap();
        assert_eq!(movement["quantityAfter"], after);
    }
    assert_eq!(after, (2..82).step_by(2).sum::<i64>() - 40);
    assert_eq!(
        shops[0].connect.check(&mut |_| {}).await.unwrap().problems,
        []
    );
}

/// Three registers deliver from their queues, and repeat every third row, as the answer got lost.
#[tokio::test]
async fn queues_of_several_registers_leave_no_gap_and_no_double() {
    let shop = Shop::open().await;
    let registers = [
        shop.register("A").await,
        shop.register("B").await,
        shop.register("C").await,
    ];
    let deliver = async |till: &Device<'_>| {
        for n in 0..30 {
            let mut row = match n % 5 {
                0 => json!({ "type": "cash_in", "totalCents": 100,
                             "payments": [{ "method": "cash", "amountCents": 100 }] }),
                _ => crate::devices::sale("Tea", 200),
            };
            row["createdAt"] = format!("2026-11-19T{:02}:30:00Z", n % 24).into();
            let request = Request::post(device_path("transactions"), &row).key(&format!("row-{n}"));
            let first = till.send(request.clone()).await.expect(201);
            if n % 3 == 0 {
                assert_eq!(till.send(request).await.expect(201).body, first.body);
            }
        }
    };
    join_all(registers.iter().map(deliver)).await;
    let rows = shop.all("transactions", "limit=50").await;
    let numbers: Vec<_> = rows
        .iter()
        .map(|row| row["receiptNumber"].as_u64().unwrap())
        .collect();
    assert_eq!(numbers, (1..=90).collect::<Vec<_>>());
    for till in &registers {
        let report = till.make("z-reports", &json!({})).await;
        let figures = (&report["sales"]["count"], &report["cash"]["inCents"]);
        assert_eq!(figures, (&24.into(), &600.into()), "{report}");
    }
}

#[tokio::test]
async fn what_one_server_writes_the_others_see() {
    let shops = three().await;
    let made = shops[0].make("products", &json!({ "name": "Rye" })).await;
    for shop in &shops {
        assert_eq!(shop.all("products", "").await, std::slice::from_ref(&made));
    }
    let (token, id) = shops[0].revocable_token().await;
    let list = || Request::get("/v1/locations");
    shops[1].send_as(&token, list()).await.expect(200);
    shops[2].revoke(id).await;
    shops[1]
        .send_as(&token, list())
        .await
        .fails(401, "unauthorized");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn servers_have_one_order_of_changes_and_give_a_key_or_a_code_once() {
    let shops = three().await;
    let writes = (0..60).map(|n| post(&shops[0], "products", json!({ "name": n.to_string() })));
    let made = at_once(&shops, writes.collect()).await;
    let times: BTreeSet<_> = made
        .iter()
        .map(|it| it.data()["updatedAt"].to_string())
        .collect();
    assert_eq!(times.len(), 60, "two commits have the same time");
    let lists = join_all(shops.iter().map(|shop| shop.all("products", "limit=7"))).await;
    assert!(
        lists
            .iter()
            .all(|list| *list == lists[0] && list.len() == 60)
    );
    for round in 0..10 {
        let body = json!({ "name": "Bun", "externalId": format!("C-{round}") });
        let coded = post(&shops[0], "products", body);
        let keyed = coded.clone().key(&format!("k-{round}"));
        let answers = at_once(&shops, vec![keyed; 9]).await;
        assert!(
            answers
                .iter()
                .all(|it| it.status == 201 && it.body == answers[0].body)
        );
        let is_first = |it: &&Answer| it.header("idempotent-replayed").is_none();
        assert_eq!(answers.iter().filter(is_first).count(), 1);
        let answers = at_once(&shops, vec![coded; 6]).await;
        assert_eq!(count(&answers, 409), 6);
    }
}
