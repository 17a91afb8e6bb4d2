//! The search over everything: each kind is found by those alone who may see it.

use std::fs::File;

use connect_tests::{
    data::DataFolder,
    http::{Request, send},
    process::Process,
};
use http::{Method, StatusCode};
use serde_json::json;

use super::{
    PROGRAM,
    browser::{Browser, text},
    demo,
    filled::{Filled, command, fill, id, serve},
};

/// The address of the hits of a text.
fn address(sought: &str) -> String {
    let sought: String = form_urlencoded::byte_serialize(sought.as_bytes()).collect();
    format!("/dashboard/search?q={sought}")
}

/// The content of a page, without its frame.
fn content(page: &str) -> &str {
    page.split_once("<main").unwrap().1
}

/// Searches for a text, and returns what the page says of it.
async fn search(browser: &mut Browser, sought: &str) -> String {
    content(&browser.read(&address(sought)).await).to_owned()
}

/// The page of each kind of record, with texts by which it is found.
fn kinds(of: &Filled) -> Vec<(&'static str, String, Vec<String>)> {
    let Filled {
        location,
        token,
        user,
        product,
        receipt,
        order,
        webhook,
        delivery,
        ..
    } = of;
    let texts = |texts: &[&str]| texts.iter().map(|text| (*text).to_owned()).collect();
    let page = |path: &str, id: &str| format!("href=\"/dashboard/{path}/{id}");
    let upper = product.to_uppercase();
    vec![
        (
            "product",
            page("stock", product),
            texts(&["ryestone", "RYEST", product, &upper]),
        ),
        (
            "category",
            format!("href=\"/dashboard/products?at={location}&amp;category="),
            texts(&["ryestone", "ryest"]),
        ),
        (
            "group",
            "<h2>Option groups</h2>".to_owned(),
            texts(&["ryestone"]),
        ),
        (
            "receipt",
            page("journal", receipt),
            texts(&["1", "#1", receipt]),
        ),
        (
            "order",
            format!("href=\"/dashboard/orders?at={location}&amp;date="),
            texts(&["1", "#1", order]),
        ),
        (
            "webhook",
            page("webhooks", &format!("{webhook}\"")),
            texts(&["ryest", "http://127.0.0.1", webhook]),
        ),
        (
            "delivery",
            page("webhooks", &format!("{webhook}/deliveries/{delivery}")),
            texts(&[delivery]),
        ),
        (
            "token",
            page("tokens", token),
            texts(&["Ryestone", "estone", "ck_live_", token]),
        ),
        (
            "user",
            page("users", user),
            texts(&["ryestone", "mryestone@", user]),
        ),
    ]
}

/// The kinds that a role does not find.
const HIDDEN: [(&str, &[&str], &str); 3] = [
    ("manager", &["user"], "users by a part"),
    (
        "accountant",
        &["webhook", "delivery", "token", "user"],
        "webhooks by a part",
    ),
    (
        "developer",
        &["receipt", "order", "user"],
        "receipts and orders",
    ),
];

#[tokio::test]
async fn each_kind_is_found_by_those_who_may_see_it() {
    let data = DataFolder::new(PROGRAM, "account");
    let server = serve(&data).await;
    let mut rye = fill(
        &data,
        &server,
        "Ryestone",
        "Ryestone",
        "ryestone@shops.example",
    )
    .await;
    let mut oat = fill(
        &data,
        &server,
        "Oatfield",
        "Oatfield",
        "oatfield@shops.example",
    )
    .await;

    for (kind, hit, texts) in kinds(&rye) {
        for sought in texts {
            let page = search(&mut rye.browser, &sought).await;
            assert!(page.contains(&hit), "{kind} by {sought}: {page}");
            // Another account has none of it, and no word of it on its page.
            let page = search(&mut oat.browser, &sought).await;
            assert!(!page.contains(&hit), "{kind} by {sought}: {page}");
            if sought.len() == 36 {
                assert!(page.contains("Nothing was found"), "{kind}: {page}");
            }
        }
    }

    let hints = search(&mut rye.browser, "").await;
    let users = command(&data, &["user", "list"]).await;
    let mut users = users.as_array().unwrap().iter();
    let owner = users.find(|user| user["id"] == *rye.owner).unwrap();
    let account = owner["accountId"].as_str().unwrap();
    for (role, hidden, hint) in HIDDEN {
        let email = format!("{role}@shops.example");
        let create = ["user", "create", "--account", account, "--name", role];
        let create = [&create[..], &["--role", role, "--email", &email]].concat();
        let made = id(&command(&data, &create).await[0]);
        let invited = command(&data, &["user", "invite", &made]).await;
        let link = invited["link"].as_str().unwrap();
        let mut user = Browser::of_owner(&server, link).await;
        for (kind, hit, texts) in kinds(&rye) {
            for sought in texts {
                let page = search(&mut user, &sought).await;
                let is_hidden = hidden.contains(&kind);
                assert_eq!(
                    !page.contains(&hit),
                    is_hidden,
                    "{role}: {kind} by {sought}"
                );
            }
        }
        // Nor is it offered.
        let own = search(&mut user, "").await;
        assert!(hints.contains(hint) && !own.contains(hint), "{role}: {own}");
    }
    server.kill().await;
}

#[tokio::test]
async fn a_token_is_found_by_no_more_than_its_visible_beginning() {
    let (server, mut owner) = demo().await;
    let value = server.token();
    for (sought, is_found) in [
        (&value[..8], true),
        (&value[..12], true),
        (&value[..13], false),
        (&value[..30], false),
        (&*value, false),
        (&value[8..12], false),
        (&value[12..], false),
    ] {
        let page = search(&mut owner, sought).await;
        let hit = "href=\"/dashboard/tokens/";
        assert_eq!(page.contains(hit), is_found, "{sought}: {page}");
    }
    server.kill().await;
}

#[tokio::test]
async fn a_text_is_checked_and_escaped() {
    let (server, mut owner) = demo().await;
    let page = search(&mut owner, "\"><script>alert(1)</script>").await;
    assert!(!page.contains("<script"), "{page}");
    assert!(page.contains("value=\"&quot;&gt;&lt;script&gt;"), "{page}");
    assert!(
        page.contains("Nothing was found for “&quot;&gt;&lt;script"),
        "{page}"
    );
    for (sought, status, says) in [
        (" ".to_owned(), StatusCode::OK, "You can search for"),
        ("?!".to_owned(), StatusCode::OK, "Nothing was found"),
        ("\0".to_owned(), StatusCode::OK, "Nothing was found"),
        ("0".to_owned(), StatusCode::OK, "Search"),
        ("9".repeat(100), StatusCode::OK, "Nothing was found"),
        (
            "9".repeat(101),
            StatusCode::UNPROCESSABLE_ENTITY,
            "Search must have at most 100 characters.",
        ),
    ] {
        let answer = owner.open(&address(&sought)).await;
        let page = text(&answer);
        assert_eq!(answer.status, status, "{sought:?}");
        assert!(content(&page).contains(says), "{sought:?}: {page}");
        // What was typed is still there.
        let value = format!(" value=\"{}\"", sought.trim());
        assert!(content(&page).contains(&value), "{sought:?}: {page}");
    }
    let elsewhere = owner.open("/dashboard/search?q=x&at=x").await;
    assert_eq!(elsewhere.status, StatusCode::NOT_FOUND);
    server.kill().await;
}

#[tokio::test]
async fn the_form_of_each_page_keeps_the_location_whose_hits_come_first() {
    let (server, mut owner) = demo().await;
    let locations = server.welcome["locations"].as_array().unwrap();
    let [first, second] = [0, 1].map(|place| id(&locations[place]));
    for location in [&first, &second] {
        let items = (1..=12).map(|number| json!({ "name": format!("Searched {number}") }));
        let batch = json!({ "items": items.collect::<Vec<_>>() });
        let path = format!("/v1/locations/{location}/products/batch");
        let request = Request::new(Method::POST, path).json(&batch);
        let made = send(server.address, request.bearer(&server.token())).await;
        made.unwrap().expect(200);
    }
    for path in [
        "/dashboard/orders",
        "/dashboard/account",
        "/dashboard/search",
    ] {
        for (at, is_kept) in [(&*second, true), ("x", false), ("", false)] {
            let answer = owner.open(&format!("{path}?at={at}")).await;
            if answer.status == StatusCode::NOT_FOUND {
                continue;
            }
            let page = text(&answer);
            let forms: Vec<_> = page.split(" role=\"search\">").skip(1).collect();
            assert_eq!(forms.len(), 1, "{path}: {page}");
            let hidden = format!("<input type=\"hidden\" name=\"at\" value=\"{second}\">");
            assert_eq!(forms[0].starts_with(&hidden), is_kept, "{path} {at}");
        }
    }
    for (at, other) in [(&first, &second), (&second, &first)] {
        let path = format!("{}&at={at}", address("searched"));
        let page = owner.read(&path).await;
        let page = content(&page);
        assert_eq!(page.matches("<li>").count(), 10, "{page}");
        assert_eq!(page.matches(&format!("?at={at}\"")).count(), 10, "{page}");
        assert!(page.contains("come first"), "{page}");
        for location in [at, other] {
            let whole = format!("<p><a href=\"/dashboard/products?at={location}&amp;q=searched\">");
            assert!(page.contains(&whole), "{whole}: {page}");
        }
    }
    server.kill().await;
}

#[tokio::test]
async fn a_sought_text_is_in_no_log() {
    let data = tempfile::tempdir().unwrap();
    let log = data.path().join("log");
    let file = File::create(&log).unwrap();
    let server = Process::start_logged(PROGRAM, &data.path().join("store"), file).await;
    let server = server.unwrap();
    let link = server.welcome["invitationUrl"].as_str().unwrap().to_owned();
    let mut owner = Browser::of_owner(&server, &link).await;
    owner.read(&address("Zuurdesem")).await;
    assert_eq!(server.stop().await, Some(0));
    let log = std::fs::read_to_string(log).unwrap();
    assert!(log.contains("/dashboard/search"), "{log}");
    assert!(!log.contains("Zuurdesem"), "{log}");
}
