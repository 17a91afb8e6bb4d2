//! Several servers on one storage, each with a clock of its own.

use std::{collections::BTreeSet, sync::Arc};

use connect_core::storage::memory::MemoryStorage;
use connect_tests::{
    http::{Answer, Request},
    shop::{Setup, Shop},
};
use futures_util::future::join_all;
use serde_json::{Value, json};

async fn open(count: usize) -> Vec<Arc<Shop>> {
    let storage = Arc::new(MemoryStorage::new());
    let mut shops = Vec::new();
    for server in 0..count {
        let shop = Setup::default().storage(storage.clone()).open().await;
        // Machines do not agree on the time.
        shop.clock.advance(-5 * server as i64);
        shops.push(Arc::new(shop));
    }
    shops
}

#[tokio::test]
async fn what_one_server_writes_the_others_see() {
    let shops = open(3).await;
    let made = shops[0]
        .make("products", &json!({ "name": "Rye", "externalId": "R-1" }))
        .await;
    for shop in &shops {
        assert_eq!(shop.all("products", "").await, std::slice::from_ref(&made));
        // A token of one opens the others.
        shop.send_as(&shops[0].token, Request::get("/v1/locations"))
            .await
            .expect(200);
    }
    let (token, id) = shops[0].revocable_token().await;
    shops[1]
        .send_as(&token, Request::get("/v1/locations"))
        .await
        .expect(200);
    shops[2].revoke(id).await;
    shops[1]
        .send_as(&token, Request::get("/v1/locations"))
        .await
        .fails(401, "unauthorized");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn changes_have_one_order_over_all_servers() {
    let shops = open(3).await;
    let writes = (0..60).map(|n| {
        let shop = shops[n % 3].clone();
        tokio::spawn(async move {
            shop.make("products", &json!({ "name": format!("{n}") }))
                .await
        })
    });
    let made: Vec<Value> = join_all(writes)
        .await
        .into_iter()
        .map(Result::unwrap)
        .collect();
    let times: BTreeSet<String> = made
        .iter()
        .map(|product| product["updatedAt"].to_string())
        .collect();
    assert_eq!(times.len(), 60, "two commits have the same time");
    let lists = join_all(shops.iter().map(|shop| shop.all("products", "limit=7"))).await;
    assert!(
        lists
            .iter()
            .all(|list| *list == lists[0] && list.len() == 60)
    );
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn one_key_at_all_servers_at_once_is_done_once() {
    let shops = open(3).await;
    let token = shops[0].token.clone();
    for round in 0..10 {
        let sent = (0..9).map(|n| {
            let (shop, token) = (shops[n % 3].clone(), token.clone());
            let body = json!({ "name": format!("Bun {round}") });
            let request = Request::post(shop.at("products"), &body).key(&format!("k-{round}"));
            tokio::spawn(async move { shop.send_as(&token, request).await.expect(201) })
        });
        let answers: Vec<Answer> = join_all(sent)
            .await
            .into_iter()
            .map(Result::unwrap)
            .collect();
        let first = |answer: &&Answer| answer.header("idempotent-replayed").is_none();
        assert_eq!(answers.iter().filter(first).count(), 1);
        assert!(answers.iter().all(|answer| answer.body == answers[0].body));
    }
    assert_eq!(shops[1].all("products", "").await.len(), 10);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn a_code_is_given_once_whoever_asks() {
    let shops = open(3).await;
    for round in 0..10 {
        let sent = (0..6).map(|n| {
            let shop = shops[n % 3].clone();
            let body = json!({ "name": format!("{n}"), "externalId": format!("C-{round}") });
            tokio::spawn(async move { shop.post("products", &body).await.status.as_u16() })
        });
        let mut statuses: Vec<u16> = join_all(sent)
            .await
            .into_iter()
            .map(Result::unwrap)
            .collect();
        statuses.sort_unstable();
        assert_eq!(statuses, [201, 409, 409, 409, 409, 409]);
    }
}
