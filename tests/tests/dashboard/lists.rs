//! The lists of a shop begin with what is newest.

use connect_tests::{
    http::{Request, send},
    process::Process,
};
use http::Method;
use serde_json::json;

use super::{
    PROGRAM,
    browser::{Browser, text},
    demo,
};

/// The texts between two marks, in their order.
pub(super) fn between<'p>(page: &'p str, before: &str, after: &str) -> Vec<&'p str> {
    let rest = page.split(before).skip(1);
    rest.map(|rest| rest.split(after).next().unwrap()).collect()
}

/// The address of the next page, if there is one.
pub(super) fn next_page(page: &str) -> Option<String> {
    let (front, _) = page.split_once("\">Next page")?;
    let address = front.rsplit('"').next().unwrap();
    Some(address.replace("&amp;", "&"))
}

/// Simulates trade at the first location of a demo.
pub(super) async fn simulate(server: &Process, what: &str) {
    let location = server.welcome["locations"][0]["id"].as_str().unwrap();
    let path = format!("/sandbox/v1/locations/{location}/{what}");
    let request = Request::new(Method::POST, path).bearer(&server.token());
    let answer = send(server.owner_address, request).await.unwrap();
    assert_eq!(answer.status, 201, "{what}");
}

/// Counts the stock of all products at the first location of a demo.
pub(super) async fn count_all(server: &Process, quantity: u32) {
    let token = server.token();
    let ask = async |request: Request| {
        let answer = send(server.address, request.bearer(&token)).await.unwrap();
        assert_eq!(answer.status, 200, "{}", answer.summary());
        answer
    };
    let products = ask(Request::get(server.at("products?limit=200")))
        .await
        .list();
    let items: Vec<_> = products
        .iter()
        .map(|product| json!({ "productId": product["id"], "quantity": quantity }))
        .collect();
    let body = json!({ "items": items });
    ask(Request::new(Method::PUT, server.at("stock")).json(&body)).await;
}

/// Reads a list to its end: the texts of all its pages.
async fn all_pages(owner: &mut Browser, path: &str) -> Vec<String> {
    let mut pages = vec![owner.read(path).await];
    while let Some(next) = next_page(&pages[pages.len() - 1]) {
        pages.push(owner.read(&next).await);
    }
    pages
}

#[tokio::test]
async fn what_is_newest_comes_first() {
    let (server, mut owner) = demo().await;
    count_all(&server, 500).await;
    for what in ["days?daysAgo=2", "days?daysAgo=1"] {
        simulate(&server, what).await;
    }
    for what in [
        "sales",
        "z-reports",
        "sales",
        "z-reports",
        "orders",
        "orders",
    ] {
        simulate(&server, what).await;
    }
    let pages = all_pages(&mut owner, "/dashboard/journal").await;
    assert!(pages.len() > 2, "{}", pages.len());
    let mut receipts = Vec::new();
    for page in &pages {
        for link in between(page, "/dashboard/journal/", "</a>") {
            let number = link.rsplit('>').next().unwrap();
            receipts.extend(number.parse::<u64>().ok());
        }
    }
    let newest = receipts[0];
    let expected: Vec<u64> = (1..=newest).rev().collect();
    assert_eq!(receipts, expected);

    for path in ["/dashboard/journal/z-reports", "/dashboard/orders"] {
        let page = owner.read(path).await;
        let mut times = between(&page, "<time datetime=\"", "\"");
        assert!(times.len() >= 2, "{path}");
        times.reverse();
        assert!(times.is_sorted(), "{path}: {times:?}");
    }
    let stock = owner.read("/dashboard/stock").await;
    let mut counts = Vec::new();
    for link in between(&stock, "<a href=\"/dashboard/stock/", "\"") {
        let link = link.replace("&amp;", "&");
        let page = owner.read(&format!("/dashboard/stock/{link}")).await;
        let mut times = between(&page, "<time datetime=\"", "\"");
        counts.push(times.len());
        times.reverse();
        assert!(times.is_sorted(), "{times:?}");
    }
    assert!(counts.iter().any(|count| *count > 2), "{counts:?}");
    server.kill().await;
}

/// The lines of the file of a list, without its head.
async fn saved(owner: &mut Browser, list: &str, name: &str) -> Vec<String> {
    let mark = if list.contains('?') { '&' } else { '?' };
    let path = format!("/dashboard/{list}{mark}format=csv");
    let answer = owner.open(&path).await;
    assert_eq!(answer.status, 200, "{path}");
    let content = answer.header("content-type");
    assert_eq!(content, Some("text/csv; charset=utf-8"), "{path}");
    let disposition = answer.header("content-disposition").unwrap();
    assert!(
        disposition.contains(&format!("{name}.csv")),
        "{disposition}"
    );
    let text = text(&answer);
    let lines = text.strip_prefix('\u{FEFF}').unwrap().lines();
    lines.skip(1).map(str::to_owned).collect()
}

#[tokio::test]
async fn a_list_is_sorted_and_saved_as_a_file_of_all_its_pages() {
    let (server, mut owner) = demo().await;
    count_all(&server, 500).await;
    for what in ["days?daysAgo=1", "sales", "z-reports", "orders"] {
        simulate(&server, what).await;
    }
    let stock = owner.read("/dashboard/stock").await;
    let product = between(&stock, "<a href=\"/dashboard/stock/", "?")[0];
    let movements = format!("stock/{product}");
    for (list, name) in [
        ("journal", "receipts"),
        ("journal/z-reports", "z-reports"),
        ("orders", "orders"),
        (&*movements, "stock-movements"),
        ("users", "users"),
        ("screens", "screens"),
        ("activity", "activity"),
    ] {
        let lines = saved(&mut owner, list, name).await;
        assert!(!lines.is_empty(), "{list}");
        let page = owner.read(&format!("/dashboard/{list}")).await;
        let sorting = format!("href=\"/dashboard/{list}?sort=");
        assert!(page.contains(&sorting), "{list}: {page}");
        let saving = format!("href=\"/dashboard/{list}?format=csv\"");
        assert!(page.contains(&saving), "{list}: {page}");
    }
    // Every receipt, in the order of the address; the page has fewer.
    let numbers = |lines: &[String]| -> Vec<u64> {
        let first = lines.iter().map(|line| line.split(',').next().unwrap());
        first.map(|number| number.parse().unwrap()).collect()
    };
    let lines = saved(&mut owner, "journal?sort=number", "receipts").await;
    let all = u64::try_from(lines.len()).unwrap();
    assert!(all > 50, "{all}");
    assert_eq!(numbers(&lines), (1..=all).collect::<Vec<_>>());
    // A period is a filter of the file as of the page.
    let lines = saved(&mut owner, "journal?period=day", "receipts").await;
    let page = owner.read("/dashboard/journal?period=day").await;
    let shown = between(&page, "/dashboard/journal/", "</a>");
    let shown = shown.iter().map(|link| link.rsplit('>').next().unwrap());
    let shown: Vec<u64> = shown.filter_map(|number| number.parse().ok()).collect();
    assert_eq!(numbers(&lines), shown);
    assert!(!shown.is_empty() && lines.len() < 50, "{shown:?}");
    // A page is sorted by itself, and the next one in the same order.
    let page = owner.read("/dashboard/journal?sort=-number").await;
    assert!(page.contains("aria-sort=\"descending\""), "{page}");
    assert!(page.contains("Sorted within this page."), "{page}");
    let next = next_page(&page).unwrap();
    assert!(next.contains("sort=-number"), "{next}");
    // So is the period before.
    let page = owner
        .read("/dashboard/journal?period=day&sort=-number")
        .await;
    let (front, _) = page.split_once("\">Previous").unwrap();
    let before = front.rsplit('"').next().unwrap();
    assert!(before.contains("sort=-number"), "{before}");
    server.kill().await;
}

#[tokio::test]
async fn of_many_tokens_that_have_ended_the_newest_are_shown() {
    let (server, mut owner) = demo().await;
    let location = server.welcome["locations"][0]["id"].as_str().unwrap();
    let grant = format!("{location} catalog:read");
    for number in 0..101 {
        owner.read("/dashboard/tokens/new").await;
        let name = format!("Ended {number}");
        let fields = [("name", &*name), ("grant", &*grant), ("expiresAt", "1")];
        let made = owner.submit("/dashboard/tokens", &fields).await;
        assert_eq!(made.status, 200, "{name}");
    }
    let body = json!({ "advanceBySeconds": 24 * 3600 + 1 });
    let ahead = Request::post("/sandbox/v1/clock", &body).bearer(&server.token());
    let ahead = send(server.owner_address, ahead).await.unwrap();
    assert_eq!(ahead.status, 200);
    let page = owner.read("/dashboard/tokens").await;
    assert!(page.contains("101 revoked or expired"), "{page}");
    assert!(page.contains("The newest 100 of them are shown."), "{page}");
    let shown = between(&page, ">Ended ", "<");
    let expected: Vec<_> = (1..=100).rev().map(|number| number.to_string()).collect();
    assert_eq!(shown, expected);
    server.kill().await;
}

#[tokio::test]
async fn every_category_can_be_chosen() {
    let limits = ["--token-limit", "10000", "--account-limit", "10000"];
    let server = Process::start_on(PROGRAM, "memory", &limits).await.unwrap();
    let link = server.welcome["invitationUrl"].as_str().unwrap().to_owned();
    let mut owner = Browser::of_owner(&server, &link).await;
    for number in 0..230 {
        let body = json!({ "name": format!("Shelf {number:03}") });
        let request = Request::post(server.at("categories"), &body).bearer(&server.token());
        assert_eq!(send(server.address, request).await.unwrap().status, 201);
    }
    let page = owner.read("/dashboard/products").await;
    for number in 0..230 {
        let option = format!(">Shelf {number:03}</option>");
        // In the filter, and among the actions.
        assert_eq!(page.matches(&option).count(), 2, "{option}");
    }
    server.kill().await;
}
