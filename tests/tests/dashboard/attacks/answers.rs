//! The headers of every kind of answer: `Browser` holds each one to those of `../guarded.rs`.

use std::collections::BTreeSet;

use connect_tests::http::Request;
use http::{Method, StatusCode};

use super::{
    super::{
        PAGES,
        browser::{Browser, form, text},
        demo,
        filled::between,
        lists::{count_all, simulate},
    },
    routes::{self, Visitors},
};

const NOTHING: &str = "019a8c52-8e20-7c42-8a1f-4c2d6e8fab02";
const HTML: &str = "text/html; charset=utf-8";
const CSS: &str = "text/css; charset=utf-8";
const CSV: &str = "text/csv; charset=utf-8";

/// A request for what a form of a browser is not.
fn odd(method: Method, kind: &str, body: String) -> Request {
    let request = Request::new(method, "/dashboard/account");
    request.header("content-type", kind).body(body)
}

#[tokio::test]
async fn each_kind_of_answer_is_guarded() {
    let (server, mut owner) = demo().await;
    let page = owner.read("/dashboard").await;
    let style = between(&page, "href=\"/dashboard/style.css?v=", "\"");
    let style = format!("/dashboard/style.css?v={style}");
    let long = format!("/dashboard/search?q={}", "x".repeat(101));
    for (path, status, kind) in [
        ("/", 303, HTML),
        ("/dashboard", 200, HTML),
        ("/dashboard/sign-in", 303, HTML),
        ("/dashboard/nothing", 404, HTML),
        ("/dashboard/products?cursor=x", 400, HTML),
        (&*long, 422, HTML),
        ("/dashboard/products?format=csv", 200, CSV),
        ("/dashboard/style.css", 200, CSS),
        (&*style, 200, CSS),
    ] {
        let answer = owner.open(path).await;
        assert_eq!(answer.status.as_u16(), status, "{path}");
        assert_eq!(answer.header("content-type"), Some(kind), "{path}");
        let is_kept = answer.header("cache-control") != Some("no-store");
        assert_eq!(is_kept, path == style, "{path}");
    }
    owner.read("/dashboard/account").await;
    let grant = format!(
        "{} catalog:read",
        server.welcome["locations"][0]["id"].as_str().unwrap()
    );
    let token = [("name", "Sync"), ("grant", &*grant)];
    for (path, fields, status) in [
        ("account", &[("name", "")][..], 422),
        ("account", &[("name", "Rye")], 303),
        ("nothing", &[], 404),
        ("tokens", &token, 200),
        ("tokens", &token, 409),
        ("privacy/export", &[], 200),
    ] {
        let answer = owner.submit(&format!("/dashboard/{path}"), fields).await;
        assert_eq!(answer.status.as_u16(), status, "{path}");
        let is_file = answer.header("content-disposition").is_some();
        assert_eq!(is_file, path == "privacy/export", "{path}");
    }
    let urlencoded = "application/x-www-form-urlencoded";
    for (request, status) in [
        (form("/dashboard/account", &[]), 403),
        (odd(Method::PUT, urlencoded, String::new()), 405),
        (odd(Method::POST, "application/json", "{}".to_owned()), 400),
        (odd(Method::POST, urlencoded, "a&".repeat(100_000)), 413),
        (Request::new(Method::HEAD, "/dashboard"), 200),
    ] {
        let answer = owner.send(request).await;
        assert_eq!(answer.status.as_u16(), status, "{}", answer.summary());
    }

    let mut visitor = Browser::at(&server);
    for (path, status) in [
        ("/", 303),
        ("/dashboard", 303),
        ("/dashboard/tokens?format=csv", 303),
        ("/dashboard/sign-in", 200),
        ("/dashboard/sign-in/code", 303),
        ("/dashboard/sign-in/passkey", 200),
        (&*format!("/dashboard/sign-in/with/{NOTHING}"), 404),
        (&*format!("/dashboard/sign-in/callback/{NOTHING}"), 400),
        ("/dashboard/forgotten", 200),
        ("/dashboard/invitations/x", 410),
    ] {
        let answer = visitor.open(path).await;
        assert_eq!(answer.status.as_u16(), status, "{path}");
    }
    let wrong = [("email", "owner@korenbloem.example"), ("password", "wrong")];
    let refused = visitor.submit("/dashboard/sign-in", &wrong).await;
    assert_eq!(refused.status, StatusCode::UNAUTHORIZED);
    server.kill().await;
}

/// Each page of the demo without an id, and the file of each that has one.
#[tokio::test]
async fn each_page_and_each_file_of_a_table_is_guarded() {
    let (server, mut owner) = demo().await;
    let named = PAGES.iter().map(|page| page.split('?').next().unwrap());
    let named: BTreeSet<_> = named.map(|page| page.trim_start_matches('/')).collect();
    for route in routes::all() {
        let is_elsewhere = route.visitors == Visitors::Anybody
            || route.path.contains("{}")
            || route.path.starts_with("sign-in");
        let is_tried = route.is_form || is_elsewhere || named.contains(route.path);
        assert!(is_tried, "{} is not among PAGES", route.path);
    }
    count_all(&server, 500).await;
    for what in ["sales", "z-reports", "orders"] {
        simulate(&server, what).await;
    }
    let mut files = 0;
    for page in PAGES {
        let page = owner.read(&format!("/dashboard{page}")).await;
        let Some((before, _)) = page.split_once("format=csv\"") else {
            continue;
        };
        let address = before.rsplit('"').next().unwrap().replace("&amp;", "&");
        let file = owner.open(&format!("{address}format=csv")).await;
        assert_eq!(file.header("content-type"), Some(CSV), "{address}");
        let name = file.header("content-disposition").unwrap();
        assert!(name.ends_with(".csv\""), "{address}: {name}");
        assert!(text(&file).starts_with('\u{FEFF}'), "{address}");
        files += 1;
    }
    assert!(files >= 10, "{files} files");
    server.kill().await;
}
