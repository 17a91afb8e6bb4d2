//! The owner's dashboard over a socket. A real browser works with it in `tests/browser`.

mod browser;
mod cost;
mod listener;
mod lists;
mod names;
mod owners;
mod products;
mod sandbox;
mod sandbox_clock;
mod webhooks;

use connect_tests::{http::Request, process::Process};
use http::{Method, StatusCode};

use self::browser::{Browser, PASSWORD, text};

pub(crate) const PROGRAM: &str = env!("CARGO_BIN_EXE_server-under-test");

/// The pages of an owner.
const PAGES: [&str; 15] = [
    "",
    "/day",
    "/journal",
    "/journal/z-reports",
    "/orders",
    "/products",
    "/stock",
    "/tokens",
    "/tokens/new",
    "/webhooks",
    "/webhooks/new",
    "/screens",
    "/screens/names",
    "/account",
    "/sandbox",
];

/// A demo, and its owner.
async fn demo() -> (Process, Browser) {
    let server = Process::start_on(PROGRAM, "memory", &[]).await.unwrap();
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
        assert_eq!(
            unsigned.header("location"),
            Some("/dashboard/sign-in"),
            "{path}"
        );
        assert!(unsigned.body.is_empty());
    }
    let unknown = nobody.open("/dashboard/nothing").await;
    assert_eq!(unknown.header("location"), Some("/dashboard/sign-in"));
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
    let fields = [("name", "Sync"), ("expiry", "")];
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
    let from = |site: &str| {
        Request::new(Method::POST, "/dashboard/sign-out")
            .header("content-type", "application/x-www-form-urlencoded")
            .header("sec-fetch-site", site)
            .body(format!("csrf={csrf}"))
    };
    for site in ["cross-site", "same-site"] {
        assert_eq!(owner.send(from(site)).await.status, StatusCode::FORBIDDEN);
    }
    assert_eq!(
        owner.send(from("same-origin")).await.status,
        StatusCode::SEE_OTHER
    );
    server.kill().await;
}

#[tokio::test]
async fn requests_that_no_browser_sends_are_refused() {
    let (server, mut owner) = demo().await;
    for method in [Method::PUT, Method::DELETE, Method::PATCH] {
        let refused = owner.send(Request::new(method, "/dashboard/account")).await;
        assert_eq!(refused.status, StatusCode::METHOD_NOT_ALLOWED);
        assert_eq!(refused.header("allow"), Some("GET, HEAD, POST"));
    }
    let json = Request::new(Method::POST, "/dashboard/account")
        .header("content-type", "application/json")
        .body("{}");
    assert_eq!(owner.send(json).await.status, StatusCode::BAD_REQUEST);
    let gzip = Request::new(Method::POST, "/dashboard/account")
        .header("content-type", "application/x-www-form-urlencoded")
        .header("content-encoding", "gzip")
        .body("a=b");
    assert_eq!(owner.send(gzip).await.status, StatusCode::BAD_REQUEST);
    let long = Request::new(Method::POST, "/dashboard/account")
        .header("content-type", "application/x-www-form-urlencoded")
        .body("a&".repeat(100_000));
    assert_eq!(owner.send(long).await.status, StatusCode::BAD_REQUEST);
    let large = Request::new(Method::POST, "/dashboard/account")
        .header("content-type", "application/x-www-form-urlencoded")
        .body("a".repeat(2_000_001));
    assert_eq!(
        owner.send(large).await.status,
        StatusCode::PAYLOAD_TOO_LARGE
    );
    let head = owner.send(Request::new(Method::HEAD, "/dashboard")).await;
    assert_eq!((head.status, head.body.len()), (StatusCode::OK, 0));
    for id in ["x", "%00", "019a8c52-8e20-7c42-8a1f-4c2d6e8fab02"] {
        for section in ["journal", "webhooks", "tokens"] {
            let path = format!("/dashboard/{section}/{id}");
            assert_eq!(
                owner.open(&path).await.status,
                StatusCode::NOT_FOUND,
                "{path}"
            );
        }
    }
    for query in [
        "cursor=x",
        "at=x",
        "date=x",
        "status=x",
        "category=x",
        "before=x",
        "%ff=%ff",
    ] {
        for section in ["products", "stock", "journal", "orders", "day"] {
            let path = format!("/dashboard/{section}?{query}");
            let status = owner.open(&path).await.status.as_u16();
            // A cursor that is none is told; all else is as if it were not there.
            assert_eq!(
                status,
                if query == "cursor=x" && section != "day" {
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

#[tokio::test]
async fn a_session_is_made_anew_and_ends() {
    let (server, mut owner) = demo().await;
    let session = owner.cookie("connect-session").to_owned();
    // A session that somebody else prepared is not taken over by signing in.
    let mut victim = Browser::at(&server);
    victim.set_cookie("connect-session", "chosen by an attacker");
    victim.open("/dashboard/sign-in").await;
    let fields = [
        ("email", "owner@korenbloem.example"),
        ("password", PASSWORD),
    ];
    let signed_in = victim.submit("/dashboard/sign-in", &fields).await;
    assert_eq!(signed_in.header("location"), Some("/dashboard"));
    let other = victim.cookie("connect-session").to_owned();
    assert!(other != session && other != "chosen by an attacker");

    owner.read("/dashboard/account").await;
    owner.submit("/dashboard/sign-out", &[]).await;
    owner.set_cookie("connect-session", &session);
    let ended = owner.open("/dashboard").await;
    assert_eq!(ended.header("location"), Some("/dashboard/sign-in"));
    victim.read("/dashboard").await;
    server.kill().await;
}

/// Enter in a field presses the first button of its form, which took the products out of their category.
#[tokio::test]
async fn nothing_is_done_to_products_that_was_not_chosen() {
    let (server, mut owner) = demo().await;
    let page = owner.read("/dashboard/products").await;
    let form = page
        .split("action=\"/dashboard/products/bulk")
        .nth(1)
        .unwrap();
    let button = form.split("<button").nth(1).unwrap();
    assert!(
        button.contains("name=\"do\" value=\"\""),
        "{}",
        &button[..80]
    );
    let id = form
        .split("name=\"id\" value=\"")
        .nth(1)
        .unwrap()
        .split('"')
        .next()
        .unwrap()
        .to_owned();
    for (action, field) in [
        ("", ""),
        ("category", ""),
        ("price", "x"),
        ("vat", "101"),
        ("x", ""),
    ] {
        let fields = [
            ("id", &*id),
            ("do", action),
            ("category", field),
            ("price", field),
            ("vat", field),
        ];
        let refused = owner.submit("/dashboard/products/bulk", &fields).await;
        assert!(text(&refused).contains("Nothing was changed"), "{action}");
    }
    assert_eq!(owner.read("/dashboard/products").await, page);
    server.kill().await;
}

#[tokio::test]
async fn passwords_cannot_be_tried_without_end() {
    let (server, _) = demo().await;
    let mut guesser = Browser::at(&server);
    guesser.open("/dashboard/sign-in").await;
    let mut statuses = Vec::new();
    for guess in 0..12 {
        let guess = format!("guess number {guess}");
        let fields = [("email", "owner@korenbloem.example"), ("password", &*guess)];
        let answer = guesser.submit("/dashboard/sign-in", &fields).await;
        statuses.push(answer.status.as_u16());
        assert!(
            !text(&answer).contains(&guess),
            "a password is not shown again"
        );
    }
    // The minute may end on the way.
    let refused = statuses.iter().filter(|status| **status == 429).count();
    assert!(
        refused >= 1 && statuses.iter().all(|status| [401, 429].contains(status)),
        "{statuses:?}"
    );
    server.kill().await;
}
