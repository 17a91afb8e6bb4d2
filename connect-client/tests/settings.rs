//! What a client can be made from, and what its parts show.

use std::time::Duration;

use connect_client::{
    Client, ErrorKind, SettingsError,
    wire::{CategoryInput, ProductInput},
};

use crate::support::{
    LOCATION, TOKEN, builder, categories, products,
    script::{Script, json},
};

fn refused(made: Result<Client, connect_client::Error>) -> SettingsError {
    let error = made.unwrap_err();
    assert!(!error.retryable() && error.status().is_none());
    match error.kind() {
        ErrorKind::Settings(error) => error.clone(),
        other => panic!("{other:?}"),
    }
}

#[test]
fn plain_http_is_for_this_machine_only() {
    for base in [
        "http://127.0.0.1:8080/v1",
        "http://localhost:8080/v1/",
        "http://[::1]/v1",
        "https://pos.example.com/v1",
    ] {
        Client::builder(base, TOKEN).build().unwrap();
    }
    for base in [
        "http://pos.example.com/v1",
        "http://10.0.0.1/v1",
        "http://0.0.0.0/v1",
    ] {
        assert_eq!(
            refused(Client::builder(base, TOKEN).build()),
            SettingsError::PlainHttp,
            "{base}"
        );
        Client::builder(base, TOKEN)
            .allow_plain_http()
            .build()
            .unwrap();
    }
}

#[test]
fn settings_that_cannot_be_are_refused_without_a_secret() {
    let secret = "https://me:hunter2@pos.example.com/v1";
    for made in [
        Client::builder(secret, TOKEN),
        Client::builder("pos.example.com", TOKEN),
        Client::builder("ftp://pos.example.com", TOKEN),
        Client::builder("https://pos.example.com/v1?x=hunter2", TOKEN),
    ] {
        assert!(!format!("{made:?}").contains("hunter2"));
        let refused = refused(made.build());
        assert!(matches!(refused, SettingsError::BaseUrl(_)), "{refused}");
        assert!(!refused.to_string().contains("hunter2"));
    }
    for token in ["", "two words", "line\nfeed", "ключ"] {
        let made = Client::builder("https://pos.example.com/v1", token).build();
        assert_eq!(refused(made), SettingsError::Token, "{token:?}");
    }
    assert_eq!(
        refused(builder().user_agent("a\nb").build()),
        SettingsError::UserAgent
    );
    let proxied = builder().proxy("http://me:hunter2@");
    assert!(!format!("{proxied:?}").contains("hunter2"));
    assert_eq!(refused(proxied.build()), SettingsError::Proxy);
    for pem in [
        "",
        "no pem",
        "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n",
    ] {
        let made = refused(builder().root_certificate(pem).build());
        let expected = matches!(made, SettingsError::Certificate(_) | SettingsError::Http(_));
        assert!(expected, "{pem:?}: {made:?}");
    }
}

#[test]
fn a_given_way_out_brings_its_own_connection_settings() {
    let script = Script::new([]);
    let limit = Duration::from_secs(1);
    let made = builder().connect_timeout(limit).transport(script.clone());
    let contradiction = SettingsError::Contradiction("connect_timeout");
    assert_eq!(refused(made.build()), contradiction);
    let made = builder().no_proxy().transport(script.clone());
    let contradiction = SettingsError::Contradiction("proxy");
    assert_eq!(refused(made.build()), contradiction);
    let made = builder().root_certificate("").transport(script.clone());
    let contradiction = SettingsError::Contradiction("root_certificate");
    assert_eq!(refused(made.build()), contradiction);
    let made = builder().client_certificate("").transport(script);
    let contradiction = SettingsError::Contradiction("client_certificate");
    assert_eq!(refused(made.build()), contradiction);
}

#[tokio::test]
async fn the_token_is_in_no_debug_output() {
    let script = Script::new([]);
    let builder = builder().user_agent("menu-sync/1").transport(script);
    let shown = format!("{builder:?} {builder:#?}");
    let client = builder.build().unwrap();
    let categories = categories(&client);
    let call = categories.create(&CategoryInput::named("Bread"));
    let stream = categories.stream(&Default::default());
    let changes = categories.changes_since(None);
    let upsert = products(&client).upsert_all(Vec::<ProductInput>::new());
    for shown in [
        shown,
        format!("{client:?} {client:#?}"),
        format!("{categories:?} {:?}", client.location(LOCATION)),
        format!("{call:?} {call:#?}"),
        format!("{stream:?} {changes:?} {upsert:?}"),
    ] {
        assert!(!shown.contains("ck_test"), "{shown}");
    }
}

#[tokio::test]
async fn requests_carry_what_was_set() {
    let script = Script::new([json(200, &serde_json::json!({ "data": [] }))]);
    let client = script.client_with(|b| b.user_agent("menu-sync/1"));
    client.locations().await.unwrap();
    let sent = script.finish().remove(0);
    assert!(sent.request.headers()["authorization"].is_sensitive());
    let agent = sent.header("user-agent").unwrap();
    assert!(agent.starts_with("menu-sync/1 connect-client/"), "{agent}");
    assert!(!format!("{:?}", sent.request).contains("ck_test"));
}
