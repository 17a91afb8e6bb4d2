//! The processor time that a page takes with a large catalog.
//!
//! It takes minutes, so it is run by hand: `cargo test -p connect-tests --release -- --ignored
//! --nocapture pages_are_cheap`. The time is that of the whole server process, as the system counts it.

use std::fs;

use connect_tests::{
    http::{Request, send},
    process::Process,
};
use http::Method;
use serde_json::{Value, json};

use super::{
    PROGRAM,
    browser::Browser,
    lists::{between, simulate},
};

const PRODUCTS: usize = 100_000;
const LOADS: u32 = 40;
/// The most that a page may take, in milliseconds.
const MOST: f64 = 20.0;

/// The processor time that a process has taken so far, in milliseconds. Linux counts it in hundredths
/// of a second.
fn processor_time(server: &Process) -> f64 {
    let stat = fs::read_to_string(format!("/proc/{}/stat", server.id())).unwrap();
    let (_, behind_name) = stat.rsplit_once(')').unwrap();
    let fields: Vec<&str> = behind_name.split_whitespace().collect();
    let ticks = |at: usize| fields[at].parse::<f64>().unwrap();
    (ticks(11) + ticks(12)) * 10.0
}

/// Fills the first location with products in 40 categories, a tenth of them with stock.
async fn fill(server: &Process) -> String {
    let token = server.token();
    let post = async |path: String, body: Value| {
        let request = Request::post(path, &body).bearer(&token);
        let answer = send(server.address, request).await.unwrap();
        assert!(answer.status.is_success(), "{}", answer.summary());
        answer.data()
    };
    let mut categories = Vec::new();
    for number in 0..40 {
        let body = json!({ "name": format!("Shelf {number}") });
        let made = post(server.at("categories"), body).await;
        categories.push(made["id"].as_str().unwrap().to_owned());
    }
    for start in (0..PRODUCTS).step_by(500) {
        let items: Vec<Value> = (start..start + 500)
            .map(|number| {
                json!({
                    "name": format!("Product {number}"), "externalId": format!("P-{number}"),
                    "barcode": format!("{}", 1_000_000 + number / 60), "priceCents": number,
                    "categoryId": categories[number % categories.len()],
                })
            })
            .collect();
        let body = json!({ "items": items, "matchBy": "externalId" });
        post(server.at("products/batch"), body).await;
    }
    for start in (0..PRODUCTS / 10).step_by(500) {
        let items: Vec<Value> = (start..start + 500)
            .map(|number| json!({ "externalId": format!("P-{number}"), "quantity": 10 }))
            .collect();
        let request =
            Request::new(Method::PUT, server.at("stock")).json(&json!({ "items": items }));
        let answer = send(server.address, request.bearer(&token)).await.unwrap();
        assert!(answer.status.is_success(), "{}", answer.summary());
    }
    categories.swap_remove(0)
}

#[tokio::test]
#[ignore = "it takes minutes"]
async fn pages_are_cheap_with_a_hundred_thousand_products() {
    let limits = ["--token-limit", "100000", "--account-limit", "100000"];
    let folder = tempfile::tempdir().unwrap();
    let server = Process::start(PROGRAM, &folder.path().join("store"), &limits)
        .await
        .unwrap();
    let link = server.welcome["invitationUrl"].as_str().unwrap().to_owned();
    let mut owner = Browser::of_owner(&server, &link).await;
    let category = fill(&server).await;
    for day in 1..14 {
        simulate(&server, &format!("days?daysAgo={day}")).await;
    }
    for _ in 0..30 {
        simulate(&server, "orders").await;
    }
    let stock = owner.read("/dashboard/stock").await;
    let product = between(&stock, "<a href=\"/dashboard/stock/", "?")[0].to_owned();
    let mut dear = Vec::new();
    for path in [
        "".to_owned(),
        "/products".to_owned(),
        format!("/products?category={category}"),
        "/products?code=P-99999".to_owned(),
        "/products?code=1000100".to_owned(),
        "/stock".to_owned(),
        format!("/stock/{product}"),
        "/day".to_owned(),
        "/journal".to_owned(),
        "/journal/z-reports".to_owned(),
        "/orders".to_owned(),
        "/orders?status=cancelled".to_owned(),
        "/tokens".to_owned(),
        "/webhooks".to_owned(),
        "/screens".to_owned(),
    ] {
        let path = format!("/dashboard{path}");
        owner.read(&path).await;
        let before = processor_time(&server);
        for _ in 0..LOADS {
            owner.read(&path).await;
        }
        let each = (processor_time(&server) - before) / f64::from(LOADS);
        eprintln!("{each:6.2} ms  {path}");
        if each > MOST {
            dear.push(path);
        }
    }
    assert_eq!(dear, [""; 0], "these took more than {MOST} ms");
    server.kill().await;
}
