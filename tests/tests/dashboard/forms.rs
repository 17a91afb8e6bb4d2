//! Forms that are refused: the status, what was filled in, and the problem beside its field.

use connect_tests::{data::DataFolder, http::Answer};
use http::StatusCode;

use super::{
    PROGRAM,
    browser::{Browser, PASSWORD, text},
    demo,
    filled::{account, between, invite, serve},
};

const INVALID: StatusCode = StatusCode::UNPROCESSABLE_ENTITY;

/// Holds that a form was refused for what stands in this input, that it says so beside it, and that what
/// was filled in is still there.
#[track_caller]
fn assert_refused(answer: &Answer, status: StatusCode, input: &str, says: &str, kept: &[&str]) {
    let page = text(answer);
    assert_eq!(answer.status, status, "{page}");
    let inputs: Vec<_> = page
        .split('<')
        .filter(|tag| tag.contains("aria-invalid=\"true\""))
        .collect();
    assert!(!inputs.is_empty(), "{page}");
    for tag in inputs {
        assert!(
            tag.contains(&format!("name=\"{input}\"")),
            "{tag} is not {input}"
        );
        let described = between(tag, "aria-describedby=\"", "\"");
        let id = described.split(' ').next().unwrap();
        let problem = between(&page, &format!("<p class=\"problem\" id=\"{id}\">"), "</p>");
        assert!(problem.contains(says), "{problem}");
    }
    for text in kept {
        assert!(page.contains(text), "{text} is not in {page}");
    }
    assert!(!page.contains(PASSWORD), "no password is shown again");
}

#[tokio::test]
async fn the_account_is_changed_by_forms_that_say_what_is_wrong() {
    let (server, mut owner) = demo().await;
    owner.read("/dashboard/account").await;
    let long = "x".repeat(101);
    let fields = [("name", &*long), ("ownerEmail", "evil@shop.example")];
    let refused = owner.submit("/dashboard/account", &fields).await;
    assert_refused(
        &refused,
        INVALID,
        "name",
        "Name of the business must",
        &[&long],
    );
    // The address is changed by a form of its own alone, which asks for the password.
    let fields = [("name", "Rye & Co"), ("ownerEmail", "evil@shop.example")];
    let saved = owner.submit("/dashboard/account", &fields).await;
    assert_eq!(saved.status, StatusCode::SEE_OTHER);
    let page = owner.read("/dashboard/account").await;
    assert!(page.contains("Rye &amp; Co") && page.contains("owner@korenbloem.example"));

    let to = "/dashboard/account/email";
    owner.read(to).await;
    let email = "noor@rye.example";
    let kept = ["value=\"noor@rye.example\""];
    for current in ["", "a wrong password"] {
        let fields = [("ownerEmail", email), ("currentPassword", current)];
        let refused = owner.submit(to, &fields).await;
        assert_refused(&refused, INVALID, "currentPassword", "is wrong.", &kept);
    }
    let fields = [("ownerEmail", "nobody"), ("currentPassword", PASSWORD)];
    let refused = owner.submit(to, &fields).await;
    let says = "New e-mail address must be an e-mail address, such as";
    assert_refused(&refused, INVALID, "ownerEmail", says, &["value=\"nobody\""]);
    let fields = [("ownerEmail", email), ("currentPassword", PASSWORD)];
    let changed = owner.submit(to, &fields).await;
    assert_eq!(
        changed.header("location"),
        Some("/dashboard/account?done=email-changed")
    );
    assert!(owner.read("/dashboard/account").await.contains(email));

    let to = "/dashboard/account/password";
    owner.read(to).await;
    let passwords = |current: &'static str, password: &'static str, repeated: &'static str| {
        [
            ("currentPassword", current),
            ("password", password),
            ("repeated", repeated),
        ]
    };
    let refused = owner
        .submit(to, &passwords(PASSWORD, "oats and millet", "oats"))
        .await;
    assert_refused(
        &refused,
        INVALID,
        "repeated",
        "New password once more must be the same",
        &[],
    );
    let refused = owner
        .submit(to, &passwords(PASSWORD, "short", "short"))
        .await;
    assert_refused(
        &refused,
        INVALID,
        "password",
        "New password must have at least 10",
        &[],
    );
    // Ten attempts a minute: those above count as well, the passwords that were too weak to be set included.
    for tried in 0..8 {
        let wrong = passwords("x", "oats and millet", "oats and millet");
        let refused = owner.submit(to, &wrong).await;
        if tried >= 5 && refused.status == StatusCode::TOO_MANY_REQUESTS {
            break;
        }
        assert_refused(
            &refused,
            INVALID,
            "currentPassword",
            "Current password is wrong.",
            &[],
        );
    }
    let right = passwords(PASSWORD, "oats and millet", "oats and millet");
    let refused = owner.submit(to, &right).await;
    // The minute may have ended on the way.
    if refused.status != StatusCode::SEE_OTHER {
        assert_eq!(refused.status, StatusCode::TOO_MANY_REQUESTS);
        let wait: i64 = refused.header("retry-after").unwrap().parse().unwrap();
        assert!((1..=60).contains(&wait), "{wait}");
        assert!(text(&refused).contains("role=\"alert\">Too many attempts; wait "));
    }
    server.kill().await;
}

#[tokio::test]
async fn tokens_webhooks_and_screens_are_made_by_forms_that_say_what_is_wrong() {
    let (server, mut owner) = demo().await;
    let location = server.welcome["locations"][1]["id"].as_str().unwrap();
    let grant = format!("{location} catalog:read");
    let long = "x".repeat(101);
    owner.read("/dashboard/tokens/new").await;

    let fields = [("name", "Sync"), ("expiresAt", "365")];
    let refused = owner.submit("/dashboard/tokens", &fields).await;
    let kept = ["value=\"Sync\"", "<option value=\"365\" selected>"];
    assert_refused(&refused, INVALID, "grant", "Scopes must be chosen", &kept);
    let fields = [("name", &*long), ("grant", &*grant)];
    let refused = owner.submit("/dashboard/tokens", &fields).await;
    let checked = format!("value=\"{grant}\" checked");
    assert_refused(&refused, INVALID, "name", "Name must", &[&long, &checked]);
    for days in ["x", "0", "-1"] {
        let fields = [("name", "Sync"), ("grant", &*grant), ("expiresAt", days)];
        let refused = owner.submit("/dashboard/tokens", &fields).await;
        assert_refused(
            &refused,
            INVALID,
            "expiresAt",
            "Expires must be",
            &[&checked],
        );
    }

    owner.read("/dashboard/webhooks/new").await;
    let fields = [
        ("url", "ftp://x.example/"),
        ("event", "stock.changed"),
        ("location", location),
    ];
    let refused = owner.submit("/dashboard/webhooks", &fields).await;
    let here = format!("value=\"{location}\" checked");
    let kept = [
        "value=\"ftp://x.example/\"",
        "value=\"stock.changed\" checked",
        &here,
    ];
    assert_refused(&refused, INVALID, "url", "Endpoint URL must", &kept);
    let fields = [("url", "http://127.0.0.1:9/x"), ("location", location)];
    let refused = owner.submit("/dashboard/webhooks", &fields).await;
    let kept = ["value=\"http://127.0.0.1:9/x\"", &here];
    assert_refused(
        &refused,
        INVALID,
        "event",
        "At least one event is required.",
        &kept,
    );

    // The same of the form of one that is there.
    let fields = [("url", "http://127.0.0.1:9/"), ("event", "stock.changed")];
    owner.submit("/dashboard/webhooks", &fields).await;
    let webhooks = owner.read("/dashboard/webhooks").await;
    let webhook = between(&webhooks, "class=\"wide\" href=\"", "\"").to_owned();
    let fields = [("url", "http://127.0.0.1:9/x")];
    let refused = owner.submit(&webhook, &fields).await;
    assert_refused(
        &refused,
        INVALID,
        "event",
        "At least one event is required.",
        &["value=\"http://127.0.0.1:9/x\""],
    );

    owner.read("/dashboard/screens").await;
    let kiosk = "<option value=\"order_kiosk\" selected>";
    let here = format!("<option value=\"{location}\" selected>");
    for (name, kind, place, input, says) in [
        ("", "order_kiosk", location, "name", "Name must"),
        (&*long, "order_kiosk", location, "name", "Name must"),
        ("Kiosk", "till", location, "type", "Type must be chosen."),
        (
            "Kiosk",
            "order_kiosk",
            "x",
            "locationId",
            "Location must be chosen.",
        ),
    ] {
        let fields = [("name", name), ("type", kind), ("locationId", place)];
        let refused = owner.submit("/dashboard/screens", &fields).await;
        let name = format!("value=\"{name}\"");
        let mut kept = vec![&*name];
        kept.extend((kind == "order_kiosk").then_some(kiosk));
        kept.extend((place == location).then_some(&*here));
        assert_refused(&refused, INVALID, input, says, &kept);
    }
    server.kill().await;
}

/// Two accounts with one address: the second owner cannot come in, and is not told of the first.
#[tokio::test]
async fn an_invitation_says_what_is_wrong_and_nothing_of_others() {
    let data = DataFolder::new(PROGRAM, "account");
    let server = serve(&data).await;
    let mut links = Vec::new();
    for name in ["Rye", "Oat"] {
        let account = account(&data, name, "noor@shops.example").await;
        links.push(invite(&data, &account).await);
    }
    Browser::of_owner(&server, &links[0]).await;

    let mut second = Browser::at(&server);
    let path = &links[1][links[1].find("/dashboard").unwrap()..];
    second.read(path).await;
    for (password, repeated, input, says) in [
        (
            "oats and millet",
            "oats",
            "repeated",
            "Password once more must be the same",
        ),
        (
            "short",
            "short",
            "password",
            "Password must have at least 10 characters",
        ),
    ] {
        let fields = [("password", password), ("repeated", repeated)];
        let refused = second.submit(path, &fields).await;
        assert_refused(&refused, INVALID, input, says, &["You are invited"]);
    }
    let fields = [
        ("password", "oats and millet"),
        ("repeated", "oats and millet"),
    ];
    let refused = second.submit(path, &fields).await;
    assert_eq!(refused.status, StatusCode::CONFLICT);
    let page = text(&refused);
    assert!(
        page.contains("This e-mail address is not available"),
        "{page}"
    );
    assert!(!page.contains("Rye"), "{page}");
    server.kill().await;
}

/// Compressed pages have lengths that tell what is repeated in them: a token that stays the same could be
/// guessed piece by piece.
#[tokio::test]
async fn no_two_forms_have_the_same_token() {
    let (server, mut owner) = demo().await;
    let mut seen = std::collections::HashSet::new();
    for _ in 0..2 {
        let page = owner.read("/dashboard/screens").await;
        let tokens = page.split("name=\"csrf\" value=\"").skip(1);
        let tokens: Vec<_> = tokens.map(|rest| rest.split('"').next().unwrap()).collect();
        assert!(tokens.len() > 5, "{page}");
        for token in tokens {
            assert_eq!(token.len(), 128);
            // Neither half is that of another, nor the digest under the mask.
            let (mask, rest) = token.split_at(64);
            assert!(seen.insert(mask.to_owned()) && seen.insert(rest.to_owned()));
        }
    }
    let first = owner.csrf().to_owned();
    owner.read("/dashboard/screens").await;
    assert_ne!(owner.csrf(), first);
    // All of them are good.
    let fields = [("csrf", &*first), ("name", "Rye")];
    let saved = owner.submit_bare("/dashboard/account", &fields).await;
    assert_eq!(saved.status, StatusCode::SEE_OTHER);
    server.kill().await;
}
