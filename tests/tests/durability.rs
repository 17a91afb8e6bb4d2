//! The server killed in the middle of its work: what was answered is there afterwards.

use std::{
    process::{Command, Stdio},
    sync::{
        Arc, Mutex,
        atomic::{AtomicUsize, Ordering},
    },
};

use connect_tests::{
    check::Checker,
    http::{Answer, Request, send},
    process::{PLENTY, Process},
};
use serde_json::{Value, json};

const PROGRAM: &str = env!("CARGO_BIN_EXE_server-under-test");

/// A write that was sent, and its answer if one came.
type Sent = (Request, Option<Answer>);

/// The writer's `n`th write of a round: mostly single products, some batches. Each has a key.
/// `products` is the path of the products.
fn write(products: &str, name: &str, n: usize) -> Request {
    let request = if n % 5 == 4 {
        let items: Vec<_> = (0..20)
            .map(|item| json!({ "externalId": format!("{name}-{n}-{item}"), "name": "In a batch" }))
            .collect();
        Request::post(format!("{products}/batch"), &json!({ "items": items }))
    } else {
        let body = json!({ "externalId": format!("{name}-{n}"), "name": "Alone", "priceCents": n });
        Request::post(products, &body)
    };
    request.key(&format!("{name}-{n}"))
}

/// Lets eight writers write until so many writes are answered, then kills the server.
async fn write_until_killed(
    server: Process,
    token: &str,
    round: usize,
    answers: usize,
) -> Vec<Sent> {
    let (address, products) = (server.address, server.at("products"));
    let answered = Arc::new(AtomicUsize::new(0));
    let sent = Arc::new(Mutex::new(Vec::new()));
    let writers: Vec<_> = (0..8)
        .map(|writer| {
            let (products, token) = (products.clone(), token.to_owned());
            let (answered, sent) = (answered.clone(), sent.clone());
            tokio::spawn(async move {
                for n in 0.. {
                    let request =
                        write(&products, &format!("r{round}-w{writer}"), n).bearer(&token);
                    let answer = send(address, request.clone()).await.ok();
                    let is_over = answer.is_none();
                    answered.fetch_add(usize::from(!is_over), Ordering::SeqCst);
                    sent.lock().unwrap().push((request, answer));
                    if is_over {
                        return;
                    }
                }
            })
        })
        .collect();
    while answered.load(Ordering::SeqCst) < answers {
        tokio::task::yield_now().await;
        tokio::time::sleep(std::time::Duration::from_millis(1)).await;
    }
    server.kill().await;
    for writer in writers {
        writer.await.unwrap();
    }
    std::mem::take(&mut *sent.lock().unwrap())
}

async fn find(server: &Process, token: &str, external_id: &str) -> Vec<Value> {
    let list = Request::get(server.at(&format!("products?externalId={external_id}")));
    server.send(token, list).await.expect(200).list()
}

/// A process that is still ending holds its store's lock, and the next start would be refused.
#[tokio::test]
async fn a_kill_waits_for_the_end_of_the_process() {
    let data = tempfile::tempdir().unwrap();
    let server = Process::start(PROGRAM, &data.path().join("s"), &[])
        .await
        .unwrap();
    let id = server.id();
    server.kill().await;
    let mut is_there = Command::new("kill");
    let is_there = is_there.args(["-0", &id]).stderr(Stdio::null()).status();
    assert!(!is_there.unwrap().success(), "process {id} is still there");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_was_answered_survives_a_kill_on_redb() {
    what_was_answered_survives_a_kill("redb").await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_was_answered_survives_a_kill_on_sled() {
    what_was_answered_survives_a_kill("sled").await;
}

async fn what_was_answered_survives_a_kill(engine: &str) {
    let data = tempfile::tempdir().unwrap();
    let store = format!("{engine}:{}", data.path().join("store").display());
    let mut server = Process::start_on(PROGRAM, &store, &PLENTY).await.unwrap();
    let token = server.token();
    // The demo would revoke the token.
    let start = || Process::start_as(PROGRAM, "serve", &store, &PLENTY);
    let mut last_change = String::new();
    for round in 0..4 {
        let sent = write_until_killed(server, &token, round, 40 + 30 * round).await;
        server = start().await.unwrap();
        let (mut answered, mut unanswered) = (0, 0);
        for (request, answer) in sent {
            // The same write again: what was answered is answered again from the store, so the
            // record of the key survived with the change. What was not answered is done now, if
            // it was not done before.
            let again = server.send(&token, request.clone()).await;
            let Some(answer) = answer else {
                assert!(again.status.is_success(), "{}", again.summary());
                unanswered += 1;
                continue;
            };
            Checker::v1().judge(&answer);
            assert_eq!(
                again.header("idempotent-replayed"),
                Some("true"),
                "{}",
                again.summary()
            );
            assert_eq!((again.status, &again.body), (answer.status, &answer.body));
            answered += 1;
            let data = answer.data();
            let one = data["externalId"]
                .as_str()
                .or(data["results"][7]["externalId"].as_str());
            let found = find(&server, &token, one.unwrap()).await;
            assert_eq!(found.len(), 1, "{} is lost", answer.summary());
            if data["id"].is_string() {
                assert_eq!(found[0], data);
            }
        }
        assert!(
            answered >= 40 && unanswered >= 1,
            "{answered} answered, {unanswered} not"
        );
        // Changes after the restart are later than any before it.
        let name = format!("Category {round}");
        let made = Request::post(server.at("categories"), &json!({ "name": name }));
        let made = server.send(&token, made).await.expect(201).data();
        let changed = made["updatedAt"].as_str().unwrap().to_owned();
        let newer = Request::get(server.at(&format!("products?updatedSince={changed}")));
        assert!(
            server
                .send(&token, newer)
                .await
                .expect(200)
                .list()
                .is_empty()
        );
        assert!(changed > last_change);
        last_change = changed;
    }
    assert_eq!(server.stop().await, Some(0));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_batch_survives_whole_or_not_at_all_on_redb() {
    a_batch_survives_whole_or_not_at_all("redb").await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_batch_survives_whole_or_not_at_all_on_sled() {
    a_batch_survives_whole_or_not_at_all("sled").await;
}

/// Every product is there whole or not at all, and each index agrees with the list.
async fn a_batch_survives_whole_or_not_at_all(engine: &str) {
    let data = tempfile::tempdir().unwrap();
    let store = format!("{engine}:{}", data.path().join("store").display());
    let server = Process::start_on(PROGRAM, &store, &PLENTY).await.unwrap();
    let token = server.token();
    write_until_killed(server, &token, 0, 60).await;
    // The demo would revoke the token.
    let server = Process::start_as(PROGRAM, "serve", &store, &PLENTY)
        .await
        .unwrap();
    let mut seen = std::collections::HashMap::<String, usize>::new();
    let mut query = "products?limit=200".to_owned();
    loop {
        let page = server
            .send(&token, Request::get(server.at(&query)))
            .await
            .expect(200);
        for product in page.list() {
            let Some(code) = product["externalId"].as_str() else {
                continue;
            };
            if product["name"] == "In a batch" {
                let (batch, _) = code.rsplit_once('-').unwrap();
                *seen.entry(batch.to_owned()).or_default() += 1;
            }
            assert_eq!(
                find(&server, &token, &code.replace(' ', "%20")).await,
                [product]
            );
        }
        match page.next_cursor() {
            Some(cursor) => query = format!("products?limit=200&cursor={cursor}"),
            None => break,
        }
    }
    assert!(!seen.is_empty());
    assert!(seen.values().all(|items| *items == 20), "{seen:?}");
    assert_eq!(server.stop().await, Some(0));
}
