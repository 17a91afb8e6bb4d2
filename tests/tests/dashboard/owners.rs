//! Several owners on one server: each sees the own account and nothing else.

use connect_tests::{
    data::DataFolder,
    process::{Process, run},
};
use http::StatusCode;
use serde_json::Value;

use super::{
    PROGRAM,
    browser::{Browser, text},
};

/// An account that commands have made, with one of everything that has an id.
struct Owned {
    name: String,
    location: String,
    token: String,
    screen: String,
    browser: Browser,
}

/// Runs a command; the JSON that it prints.
async fn command(data: &DataFolder, words: &[&str]) -> Value {
    let more = ["--json", "--data", data.path().to_str().unwrap()];
    let done = run(PROGRAM, &[words, &more].concat()).await;
    assert_eq!(done.code, Some(0), "{words:?}: {done:?}");
    serde_json::from_str(&done.output).unwrap()
}

fn id(of: &Value) -> String {
    of["id"].as_str().unwrap().to_owned()
}

async fn owned(data: &DataFolder, server: &Process, name: &str) -> Owned {
    let email = format!("{name}@shops.example");
    let account = id(&command(
        data,
        &["account", "create", "--name", name, "--email", &email],
    )
    .await);
    let place = format!("{name} Square");
    let location = [
        "location",
        "create",
        "--account",
        &account,
        "--name",
        &place,
    ];
    let location = id(&command(data, &location).await);
    let till = format!("{name} till");
    let screen = [
        "screen",
        "create",
        "--location",
        &location,
        "--type",
        "pos",
        "--name",
        &till,
    ];
    let screen = id(&command(data, &screen).await[0]);
    let sync = format!("{name} sync");
    let token = [
        "token",
        "create",
        "--account",
        &account,
        "--name",
        &sync,
        "--all-scopes",
    ];
    let token = id(&command(data, &token).await);
    let invitation = command(data, &["account", "invite", &account]).await;
    assert_eq!(invitation["ownerEmail"], email);
    let link = invitation["link"].as_str().unwrap();
    assert!(
        link.starts_with(server.welcome["adminUrl"].as_str().unwrap()),
        "{link}"
    );
    Owned {
        name: name.to_owned(),
        location,
        token,
        screen,
        browser: Browser::of_owner(server, link).await,
    }
}

#[tokio::test]
async fn what_is_of_another_owner_is_not_there() {
    let data = DataFolder::new(PROGRAM, "account");
    let storage = format!("redb:{}", data.store().display());
    let server = Process::start_as(PROGRAM, "serve", &storage, &[])
        .await
        .unwrap();
    let (mut rye, oat) = (
        owned(&data, &server, "Rye").await,
        owned(&data, &server, "Oat").await,
    );

    for section in [
        "",
        "/day",
        "/journal",
        "/orders",
        "/products",
        "/stock",
        "/tokens",
        "/webhooks",
        "/screens",
        "/account",
    ] {
        for at in [String::new(), format!("?at={}", oat.location)] {
            let page = rye.browser.read(&format!("/dashboard{section}{at}")).await;
            assert!(page.contains("Rye"), "{section}{at}");
            for theirs in [&oat.name, &oat.location, &oat.token, &oat.screen] {
                assert!(!page.contains(&**theirs), "{section}{at} has {theirs}");
            }
        }
    }
    rye.browser.read("/dashboard/account").await;
    let (token, screen) = (&oat.token, &oat.screen);
    assert_eq!(
        rye.browser
            .open(&format!("/dashboard/tokens/{token}"))
            .await
            .status,
        StatusCode::NOT_FOUND
    );
    for action in [
        format!("tokens/{token}/revoke"),
        format!("screens/{screen}/key"),
        format!("screens/{screen}/revoke"),
        format!("screens/{screen}/delete"),
        format!("webhooks/{token}/delete"),
    ] {
        let refused = rye
            .browser
            .submit(&format!("/dashboard/{action}"), &[])
            .await;
        assert_eq!(refused.status, StatusCode::NOT_FOUND, "{action}");
    }
    // A token or a screen for a location of another account.
    let grant = format!("{} catalog:read", oat.location);
    let refused = rye
        .browser
        .submit("/dashboard/tokens", &[("name", "x"), ("grant", &grant)])
        .await;
    assert_eq!(refused.status, StatusCode::UNPROCESSABLE_ENTITY);
    let fields = [
        ("name", "x"),
        ("type", "pos"),
        ("locationId", &*oat.location),
    ];
    let refused = rye.browser.submit("/dashboard/screens", &fields).await;
    assert_eq!(refused.status, StatusCode::UNPROCESSABLE_ENTITY);
    assert!(!text(&refused).contains("Oat"));

    let mut oat = oat;
    let page = oat.browser.read("/dashboard/tokens").await;
    assert!(page.contains("Oat sync") && !page.contains("revoked or expired"));
    assert!(
        oat.browser
            .read("/dashboard/screens")
            .await
            .contains("Oat till")
    );
    server.kill().await;
}

#[tokio::test]
async fn an_invitation_without_a_server_has_a_path_alone() {
    let data = DataFolder::new(PROGRAM, "account");
    let storage = format!("redb:{}", data.store().display());
    let server = Process::start_as(PROGRAM, "serve", &storage, &[])
        .await
        .unwrap();
    let create = [
        "account",
        "create",
        "--name",
        "Rye",
        "--email",
        "noor@rye.example",
    ];
    let account = id(&command(&data, &create).await);
    assert_eq!(server.stop().await, Some(0));
    let invitation = command(&data, &["account", "invite", &account]).await;
    let path = invitation["link"].as_str().unwrap();
    assert!(path.starts_with("/dashboard/invitations/"), "{path}");

    let folder = data.path().to_str().unwrap();
    let told = run(PROGRAM, &["account", "invite", &account, "--data", folder]).await;
    assert!(
        told.output.contains("Send this link to noor@rye.example"),
        "{told:?}"
    );
    assert!(
        told.output
            .contains("put the address of its owner's listener in front"),
        "{told:?}"
    );
    let missing = "019a8c52-8e20-7c42-8a1f-4c2d6e8fab02";
    let told = run(PROGRAM, &["account", "invite", missing, "--data", folder]).await;
    assert_eq!(told.code, Some(1));
    assert!(told.said.contains("there is no account"), "{told:?}");

    // It is good with the next server, for one use.
    let server = Process::start_as(PROGRAM, "serve", &storage, &[])
        .await
        .unwrap();
    let mut browser = Browser::at(&server);
    let replaced = browser.open(path).await;
    assert_eq!(
        replaced.status,
        StatusCode::GONE,
        "the command after it made another"
    );
    server.kill().await;
}
