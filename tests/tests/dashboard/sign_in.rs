//! Signing in: sessions, and how often passwords can be tried.

use http::StatusCode;

use super::{
    browser::{Browser, PASSWORD},
    demo,
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
