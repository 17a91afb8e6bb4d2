//! The owner's dashboard over a socket. A real browser works with it in `tests/browser`.

mod attacks;
mod audit;
pub(crate) mod browser;
mod filled;
mod guarded;
mod import;
mod kept;
mod listener;
mod lists;
mod minimums;
mod once;
mod owners;
mod sandbox;
mod sandbox_clock;
mod search;
mod sign_in;
mod stored;
mod texts;
mod today;
mod tokens;
mod webhooks;

use connect_tests::{
    http::{Answer, Request},
    process::{PLENTY, Process},
};
use http::{Method, StatusCode};

use self::browser::{Browser, text};

pub(crate) const PROGRAM: &str = env!("CARGO_BIN_EXE_server-under-test");

/// The pages of an owner.
const PAGES: [&str; 30] = [
    "",
    "/usage",
    "/search",
    "/components",
    "/journal",
    "/journal/z-reports",
    "/orders",
    "/products",
    "/products?edit=new",
    "/products/import",
    "/stock",
    "/stock/count",
    "/requests",
    "/tokens",
    "/tokens/new",
    "/webhooks",
    "/webhooks/new",
    "/screens",
    "/screens/names",
    "/users",
    "/activity",
    "/account",
    "/account/email",
    "/account/password",
    "/account/second-factor",
    "/account/passkeys",
    "/account/single-sign-on",
    "/privacy",
    "/privacy/export",
    "/sandbox",
];

/// A demo, and its owner.
async fn demo() -> (Process, Browser) {
    let server = Process::start_on(PROGRAM, "memory", &PLENTY).await.unwrap();
    let link = server.welcome["invitationUrl"].as_str().unwrap().to_owned();
    let owner = Browser::of_owner(&server, &link).await;
    (server, owner)
}

#[tokio::test]
async fn every_page_is_held_to_the_same_policy() {
    let (server, mut owner) = demo().await;
    let mut nobody = Browser::at(&server);
    for page in PAGES {
        let path = format!("/dashboard{page}");
        let answer = owner.open(&path).await;
        assert_eq!(answer.status, StatusCode::OK, "{path}");
        let policy = answer.header("content-security-policy").unwrap();
        for part in [
            "default-src 'none'",
            "form-action 'self'",
            "frame-ancestors 'none'",
        ] {
            assert!(policy.contains(part), "{path}: {policy}");
        }
        for unsafe_source in ["unsafe-inline", "unsafe-eval", "*", "http"] {
            assert!(!policy.contains(unsafe_source), "{path}: {policy}");
        }
        assert_eq!(answer.header("cache-control"), Some("no-store"), "{path}");
        assert_eq!(
            answer.header("referrer-policy"),
            Some("no-referrer"),
            "{path}"
        );
        let page = text(&answer);
        for forbidden in ["<script", "style=\"", "onclick", "<style"] {
            assert!(!page.contains(forbidden), "{path} has {forbidden}");
        }
        // Who is not signed in learns nothing, not even which pages there are.
        let unsigned = nobody.open(&path).await;
        let location = unsigned.header("location").unwrap();
        let form = location.split('?').next();
        assert_eq!(form, Some("/dashboard/sign-in"), "{path}");
        assert!(unsigned.body.is_empty());
    }
    // The page to ask a browser for a passkey has the only script, by its hash.
    let asking = nobody.open("/dashboard/sign-in/passkey").await;
    let policy = asking.header("content-security-policy").unwrap();
    let (rest, sources) = policy.split_once("; script-src ").unwrap();
    assert!(rest.contains("default-src 'none'"), "{policy}");
    assert!(
        sources.starts_with("'sha256-") && !sources.contains(' '),
        "{policy}"
    );
    assert_eq!(text(&asking).matches("<script").count(), 1);
    let unknown = nobody.open("/dashboard/nothing").await;
    assert_eq!(
        unknown.header("location"),
        Some("/dashboard/sign-in?next=%2Fdashboard%2Fnothing")
    );
    assert_eq!(
        owner.open("/dashboard/nothing").await.status,
        StatusCode::NOT_FOUND
    );
    let root = nobody.open("/").await;
    assert_eq!(root.header("location"), Some("/dashboard"));
    server.kill().await;
}

#[tokio::test]
async fn forms_that_are_not_ours_are_refused() {
    let (server, mut owner) = demo().await;
    let fields = [("name", "Sync"), ("expiresAt", "")];
    let mut other = Browser::at(&server);
    other.open("/dashboard/sign-in").await;
    // A visitor's token is good for no action of an owner, whoever planted the visitor's cookie.
    owner.set_cookie("connect-visitor", other.cookie("connect-visitor"));
    for csrf in ["", "0000", other.csrf(), other.cookie("connect-visitor")] {
        let fields = [&[("csrf", csrf)], &fields[..]].concat();
        let refused = owner.submit_bare("/dashboard/tokens", &fields).await;
        assert_eq!(refused.status, StatusCode::FORBIDDEN);
        assert!(text(&refused).contains("This form is too old"));
    }
    // Also with the right token, when the browser says where the form came from.
    let page = owner.read("/dashboard/tokens/new").await;
    let csrf = page.split("name=\"csrf\" value=\"").nth(1).unwrap();
    let csrf = csrf.split('"').next().unwrap().to_owned();
    let saying = |path: &str, header: &'static str, value: &str| {
        Request::new(Method::POST, path)
            .header("content-type", "application/x-www-form-urlencoded")
            .header(header, value)
            .body(format!("csrf={csrf}"))
    };
    let own = format!("http://{}", server.owner_address);
    for (header, value) in [
        ("sec-fetch-site", "cross-site"),
        ("sec-fetch-site", "same-site"),
        ("origin", "https://evil.example"),
        ("origin", "http://127.0.0.1:1"),
    ] {
        // Nothing of the form is judged, so it is not refused for its empty name.
        for path in ["/dashboard/sign-out", "/dashboard/account"] {
            let refused = owner.send(saying(path, header, value)).await;
            assert_eq!(refused.status, StatusCode::FORBIDDEN, "{header}: {value}");
        }
    }
    for value in [&*own, "null"] {
        let judged = owner.send(saying("/dashboard/account", "origin", value));
        let status = judged.await.status;
        assert_eq!(status, StatusCode::UNPROCESSABLE_ENTITY, "{value}");
    }
    let out = saying("/dashboard/sign-out", "sec-fetch-site", "same-origin");
    assert_eq!(owner.send(out).await.status, StatusCode::SEE_OTHER);
    server.kill().await;
}

/// Sends what no form of a browser is.
fn post(kind: &str, body: impl Into<String>) -> Request {
    Request::new(Method::POST, "/dashboard/account")
        .header("content-type", kind)
        .body(body.into())
}

#[tokio::test]
async fn requests_that_no_browser_sends_are_refused() {
    const FORM: &str = "application/x-www-form-urlencoded";
    let (server, mut owner) = demo().await;
    for method in [Method::PUT, Method::DELETE, Method::PATCH] {
        let refused = owner.send(Request::new(method, "/dashboard/account")).await;
        assert_eq!(refused.header("allow"), Some("GET, HEAD, POST"));
        assert_page(&refused, StatusCode::METHOD_NOT_ALLOWED, "is not allowed");
    }
    let problem = "Content-Type: must be application/x-www-form-urlencoded.";
    let json = owner.send(post("application/json", "{}")).await;
    assert_page(&json, StatusCode::BAD_REQUEST, problem);
    let gzip = owner
        .send(post(FORM, "a=b").header("content-encoding", "gzip"))
        .await;
    assert_page(&gzip, StatusCode::BAD_REQUEST, "must be left out");
    for body in ["a&".repeat(100_000), "a".repeat(2_000_001)] {
        let large = owner.send(post(FORM, body)).await;
        assert_page(&large, StatusCode::PAYLOAD_TOO_LARGE, "bytes");
    }
    let head = owner.send(Request::new(Method::HEAD, "/dashboard")).await;
    assert_eq!((head.status, head.body.len()), (StatusCode::OK, 0));
    for id in ["x", "%00", "019a8c52-8e20-7c42-8a1f-4c2d6e8fab02"] {
        for section in ["journal", "webhooks", "tokens", "users"] {
            let answer = owner.open(&format!("/dashboard/{section}/{id}")).await;
            assert_page(&answer, StatusCode::NOT_FOUND, "There is no");
        }
    }
    for query in [
        "cursor=x",
        "date=x",
        "status=x",
        "category=x",
        "before=x",
        "%ff=%ff",
    ] {
        for section in ["products", "stock", "journal", "orders", "usage"] {
            let path = format!("/dashboard/{section}?{query}");
            let status = owner.open(&path).await.status.as_u16();
            // A cursor that is none is told; all else is as if it were not there.
            assert_eq!(
                status,
                if query == "cursor=x" && section != "usage" {
                    400
                } else {
                    200
                },
                "{path}"
            );
        }
    }
    server.kill().await;
}

/// Holds that an answer is a page for people, which says this.
#[track_caller]
fn assert_page(answer: &Answer, status: StatusCode, says: &str) {
    assert_eq!(answer.status, status);
    assert_eq!(
        answer.header("content-type"),
        Some("text/html; charset=utf-8")
    );
    assert!(answer.header("content-security-policy").is_some());
    let page = text(answer);
    assert!(
        page.starts_with("<!DOCTYPE html>") && page.contains(says),
        "{page}"
    );
    assert!(page.contains("<a href=\"/dashboard\">"), "{page}");
}
