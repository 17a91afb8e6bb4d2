//! Signing in: sessions, and how often passwords can be tried.

use http::StatusCode;

use super::{
    browser::{Browser, PASSWORD, text},
    demo,
    filled::between,
};

const EMAIL: &str = "owner@korenbloem.example";

#[tokio::test]
async fn a_session_is_made_anew_and_ends() {
    let (server, mut owner) = demo().await;
    let session = owner.cookie("connect-session").to_owned();
    // A session that somebody else prepared is not taken over by signing in.
    let mut victim = Browser::at(&server);
    victim.set_cookie("connect-session", "chosen by an attacker");
    victim.open("/dashboard/sign-in").await;
    let fields = [("email", EMAIL), ("password", PASSWORD)];
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

/// Whoever was not signed in came to the overview, whatever page was asked for; and a form was lost without a
/// word.
#[tokio::test]
async fn a_session_that_has_ended_is_told_and_taken_up_again() {
    let (server, mut owner) = demo().await;
    owner.read("/dashboard/account").await;
    owner.set_cookie("connect-session", "one that has ended");
    let lost = owner.submit("/dashboard/account", &[("name", "Rye")]).await;
    let location = lost.header("location").unwrap().to_owned();
    let page = owner.read(&location).await;
    assert!(page.contains("Your session has ended"), "{page}");
    let out = owner.submit("/dashboard/sign-out", &[]).await;
    let location = out.header("location").unwrap();
    assert_eq!(location, "/dashboard/sign-in?done=signed-out");

    let asked = "/dashboard/day?date=2026-11-20&at=";
    let first = owner
        .open(asked)
        .await
        .header("location")
        .unwrap()
        .to_owned();
    let page = owner.read(&first).await;
    assert!(!page.contains("Your session has ended"), "nothing was lost");
    let next = between(&page, "name=\"next\" value=\"", "\"").replace("&amp;", "&");
    assert_eq!(next, asked);
    // It is kept where the password is wrong.
    let fields = [("email", EMAIL), ("password", "wrong"), ("next", &*next)];
    let refused = text(&owner.submit("/dashboard/sign-in", &fields).await);
    assert!(
        refused.contains("name=\"next\" value=\"/dashboard/day?"),
        "{refused}"
    );
    let fields = [("email", EMAIL), ("password", PASSWORD), ("next", &*next)];
    let signed_in = owner.submit("/dashboard/sign-in", &fields).await;
    assert_eq!(signed_in.header("location"), Some(asked));
    // In a second tab, which had asked for the form before.
    assert_eq!(owner.open(&first).await.header("location"), Some(asked));
    server.kill().await;
}

#[tokio::test]
async fn signing_in_leads_to_no_other_site() {
    let (server, mut owner) = demo().await;
    for hostile in [
        "//evil.example/dashboard",
        "/\\evil.example/dashboard",
        "https://evil.example/dashboard",
        "%2f%2fevil.example/dashboard",
        "/dashboard/..//evil.example",
        "/\t/evil.example/dashboard",
        "\r\nset-cookie: a=b",
        "javascript:alert(1)",
    ] {
        let query: String = form_urlencoded::byte_serialize(hostile.as_bytes()).collect();
        let path = format!("/dashboard/sign-in?next={query}");
        assert_eq!(
            owner.open(&path).await.header("location"),
            Some("/dashboard")
        );
        let mut visitor = Browser::at(&server);
        let page = visitor.read(&path).await;
        assert!(
            !page.contains("name=\"next\"") && !page.contains("evil"),
            "{page}"
        );
        let fields = [("email", EMAIL), ("password", PASSWORD), ("next", hostile)];
        let signed_in = visitor.submit("/dashboard/sign-in", &fields).await;
        assert_eq!(
            signed_in.header("location"),
            Some("/dashboard"),
            "{hostile}"
        );
        assert_eq!(signed_in.headers.get_all("set-cookie").iter().count(), 2);
    }
    server.kill().await;
}

/// Two tabs showed the form: the session of the first sign-in stayed in the store for a week, and nobody
/// could end it.
#[tokio::test]
async fn signing_in_anew_ends_the_session_before() {
    let (server, mut owner) = demo().await;
    let first = owner.cookie("connect-session").to_owned();
    // The second tab, of a browser that was not signed in when it was opened.
    let mut tab = Browser::at(&server);
    tab.open("/dashboard/sign-in").await;
    tab.set_cookie("connect-session", &first);
    let fields = [("email", EMAIL), ("password", "a wrong password")];
    let refused = tab.submit("/dashboard/sign-in", &fields).await;
    assert_eq!(refused.status, StatusCode::UNAUTHORIZED);
    owner.read("/dashboard").await;

    let fields = [("email", EMAIL), ("password", PASSWORD)];
    let signed_in = tab.submit("/dashboard/sign-in", &fields).await;
    assert_eq!(signed_in.header("location"), Some("/dashboard"));
    assert_ne!(tab.cookie("connect-session"), first);
    tab.read("/dashboard").await;
    let ended = owner.open("/dashboard").await;
    assert_eq!(ended.header("location"), Some("/dashboard/sign-in"));
    server.kill().await;
}

#[tokio::test]
async fn passwords_cannot_be_tried_without_end() {
    let (server, _) = demo().await;
    let mut guesser = Browser::at(&server);
    guesser.open("/dashboard/sign-in").await;
    let mut statuses = Vec::new();
    // The minute may end on the way: 10 are tried in each.
    while statuses.len() < 12 || (statuses.len() < 21 && !statuses.contains(&429)) {
        let guess = format!("guess number {}", statuses.len());
        let fields = [("email", EMAIL), ("password", &*guess)];
        let answer = guesser.submit("/dashboard/sign-in", &fields).await;
        statuses.push(answer.status.as_u16());
        let wait = answer
            .header("retry-after")
            .map(|seconds| seconds.parse().unwrap());
        let waits = answer.status == StatusCode::TOO_MANY_REQUESTS;
        assert_eq!(
            wait.is_some_and(|seconds| (1..=60).contains(&seconds)),
            waits,
            "{wait:?}"
        );
        assert!(
            !text(&answer).contains(&guess),
            "a password is not shown again"
        );
    }
    let refused = statuses.iter().filter(|status| **status == 429).count();
    assert!(
        refused >= 1 && statuses.iter().all(|status| [401, 429].contains(status)),
        "{statuses:?}"
    );
    server.kill().await;
}
