//! Values of sessions and of visitors: planted before a sign-in, kept after it, or of half a sign-in.

use std::time::{SystemTime, UNIX_EPOCH};

use http::StatusCode;
use totp_rs::{Builder, Secret as Seed};

use super::{
    super::{
        browser::{Browser, PASSWORD, text},
        demo,
        filled::between,
    },
    routes::{self, Visitors},
};

const EMAIL: &str = "owner@korenbloem.example";
const SESSION: &str = "connect-session";
const VISITOR: &str = "connect-visitor";

/// Holds that a value is that of no session.
async fn assert_worthless(like: &Browser, value: &str) {
    let mut thief = like.clone();
    thief.set_cookie(SESSION, value);
    let answer = thief.open("/dashboard/account").await;
    assert_eq!(answer.status, StatusCode::SEE_OTHER, "{value}");
    let location = answer.header("location").unwrap();
    assert!(location.starts_with("/dashboard/sign-in"), "{location}");
}

#[tokio::test]
async fn what_was_planted_before_a_sign_in_is_worth_nothing_after_it() {
    let (server, mut owner) = demo().await;
    let new = Browser::at(&server);
    let mut attacker = new.clone();
    attacker.sign_in(EMAIL).await.expect(303);
    let open = attacker.cookie(SESSION).to_owned();
    let mut ended = new.clone();
    ended.sign_in(EMAIL).await.expect(303);
    let over = ended.cookie(SESSION).to_owned();
    ended.read("/dashboard/account").await;
    ended.submit("/dashboard/sign-out", &[]).await.expect(303);
    for planted in ["", "chosen by an attacker", &over, &open] {
        let mut victim = new.clone();
        victim.read("/dashboard/sign-in").await;
        let (token, visitor) = (victim.csrf().to_owned(), victim.cookie(VISITOR).to_owned());
        victim.set_cookie(SESSION, planted);
        let fields = [("email", EMAIL), ("password", PASSWORD)];
        let signed_in = victim.submit("/dashboard/sign-in", &fields).await;
        assert_eq!(
            signed_in.header("location"),
            Some("/dashboard"),
            "{planted}"
        );
        assert_ne!(victim.cookie(SESSION), planted);
        assert_worthless(&new, planted).await;
        // The visitor's cookie is taken back, and its token with it: also where somebody puts the cookie back.
        assert_eq!(victim.cookie(VISITOR), "", "{planted}");
        for cookie in ["", &*visitor] {
            victim.set_cookie(VISITOR, cookie);
            let fields = [("csrf", &*token), ("name", "Evil")];
            let refused = victim.submit_bare("/dashboard/account", &fields).await;
            assert_eq!(refused.status, StatusCode::FORBIDDEN, "{planted}");
        }
        victim.read("/dashboard").await;
    }
    assert!(!owner.read("/dashboard/account").await.contains("Evil"));
    server.kill().await;
}

#[tokio::test]
async fn a_session_that_was_signed_out_is_over_on_the_server() {
    let (server, mut owner) = demo().await;
    owner.read("/dashboard/account").await;
    let (session, token) = (owner.cookie(SESSION).to_owned(), owner.csrf().to_owned());
    let mut copy = owner.clone();
    owner.submit("/dashboard/sign-out", &[]).await.expect(303);
    assert_eq!(owner.cookie(SESSION), "");
    assert_worthless(&owner, &session).await;
    for path in ["account", "account/profile", "sign-out", "products/new"] {
        let fields = [("csrf", &*token), ("name", "Evil"), ("language", "en")];
        let path = format!("/dashboard/{path}");
        let answer = copy.submit_bare(&path, &fields).await;
        assert_eq!(answer.status, StatusCode::SEE_OTHER, "{path}");
        let location = answer.header("location").unwrap();
        assert!(
            location.starts_with("/dashboard/sign-in?done="),
            "{path}: {location}"
        );
    }
    owner.sign_in(EMAIL).await.expect(303);
    assert!(!owner.read("/dashboard/account").await.contains("Evil"));
    server.kill().await;
}

/// The code of an app for the seed on a page.
fn code(page: &str) -> String {
    let is_seed = |word: &&str| {
        let is_base32 = |c: u8| c.is_ascii_uppercase() || (b'2'..=b'7').contains(&c);
        word.len() == 32 && word.bytes().all(is_base32)
    };
    let mut words = page.split(|c: char| !c.is_ascii_alphanumeric());
    let seed = Seed::try_from_base32(words.find(is_seed).unwrap()).unwrap();
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap();
    let totp = Builder::new().with_secret(seed).build().unwrap();
    totp.generate(now.as_secs()).to_string()
}

/// Who has the password alone is at the door, and nowhere else.
#[tokio::test]
async fn half_a_sign_in_opens_no_page_and_takes_no_form() {
    let (server, mut owner) = demo().await;
    let factor = "/dashboard/account/second-factor";
    owner.read(factor).await;
    let begun = owner.submit(factor, &[("currentPassword", PASSWORD)]).await;
    let code = code(&text(&begun.expect(200)));
    let added = owner
        .submit(&format!("{factor}/add"), &[("code", &*code)])
        .await;
    let codes = text(&added.expect(200));
    let recovery = between(&codes, "<ul class=\"codes\"><li><code>", "<").to_owned();
    let before = owner.read_stable("/dashboard/account").await;

    let new = Browser::at(&server);
    let mut half = new.clone();
    let answer = half.sign_in(EMAIL).await;
    let asked = answer.header("location").unwrap().to_owned();
    assert_eq!(asked, "/dashboard/sign-in/code");
    let value = half.cookie(SESSION).to_owned();
    let token = half.csrf().to_owned();
    assert_worthless(&new, &value).await;
    let mut tried = 0;
    for route in routes::all() {
        if route.visitors == Visitors::Anybody || route.path.starts_with("sign-in") {
            continue;
        }
        let address = route.address("019a8c52-8e20-7c42-8a1f-4c2d6e8fab02");
        let file = format!("{address}?format=csv");
        for address in [address, file] {
            half.set_cookie(SESSION, &value);
            let answer = match route.is_form {
                true => {
                    let fields = [("csrf", &*token), ("name", "Evil"), ("language", "en")];
                    half.submit_bare(&address, &fields).await
                }
                false => half.open(&address).await,
            };
            assert_eq!(answer.status, StatusCode::SEE_OTHER, "{address}");
            let location = answer.header("location").unwrap();
            assert!(
                location.starts_with("/dashboard/sign-in"),
                "{address}: {location}"
            );
            assert!(answer.body.is_empty(), "{address}");
            tried += 1;
        }
    }
    assert!(tried > 150, "{tried} pages and forms");
    assert_eq!(owner.read_stable("/dashboard/account").await, before);

    // The rest of the sign-in makes another session. The half is over then.
    half.set_cookie(SESSION, &value);
    half.read(&asked).await;
    let wrong = half.submit(&asked, &[("code", "no code")]).await;
    assert_eq!(wrong.status, StatusCode::UNAUTHORIZED);
    assert_worthless(&new, &value).await;
    let done = half.submit(&asked, &[("code", &*recovery)]).await;
    assert_eq!(done.header("location"), Some("/dashboard"));
    assert_ne!(half.cookie(SESSION), value);
    half.read("/dashboard/account").await;
    let mut thief = new.clone();
    thief.set_cookie(SESSION, &value);
    let over = thief.open(&asked).await;
    assert_eq!(over.header("location"), Some("/dashboard/sign-in"));
    server.kill().await;
}
