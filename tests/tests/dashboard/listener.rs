//! The listener of owners where others can reach it: TLS or a trusted proxy, and no commands.

use connect_tests::{
    data::DataFolder,
    http::{Request, send},
    process::{Process, run},
};
use http::{Method, StatusCode};
use serde_json::Value;

use super::PROGRAM;

/// A server whose owners come through a proxy, in a data folder.
async fn behind_a_proxy() -> (DataFolder, Process) {
    let data = DataFolder::new(PROGRAM, "account");
    let store = format!("redb:{}", data.store().display());
    let server = Process::start_as(
        PROGRAM,
        "serve",
        &store,
        &[
            "--admin-listen",
            "0.0.0.0:0",
            "--admin-url",
            "https://owner.example",
            "--trusted-proxy",
            "127.0.0.1",
        ],
    );
    let server = server.await.unwrap();
    (data, server)
}

async fn command(data: &DataFolder, words: &[&str]) -> Value {
    let done = data.run(&[words, &["--json"]].concat()).await;
    assert_eq!(done.code, Some(0), "{words:?}: {done:?}");
    serde_json::from_str(&done.output).unwrap()
}

#[tokio::test]
async fn owners_come_in_through_a_proxy_and_commands_do_not() {
    let (data, server) = behind_a_proxy().await;
    let words = ["create", "--name", "Rye", "--email", "rye@shops.example"];
    let account = command(&data, &words).await;
    let account = account["id"].as_str().unwrap();
    let invited = command(&data, &["invite", account]).await;
    let link = invited["link"].as_str().unwrap();
    assert!(
        link.starts_with("https://owner.example/dashboard/"),
        "{link}"
    );

    let pass: Value = serde_json::from_slice(&std::fs::read(data.pass()).unwrap()).unwrap();
    let commands_at = pass["url"].as_str().unwrap();
    assert!(
        commands_at.starts_with("http://127.0.0.1:"),
        "{commands_at}"
    );
    let key = pass["key"].as_str().unwrap();
    let request = |at: &str| {
        Request::new(Method::POST, at)
            .header("content-type", "application/json")
            .bearer(key)
            .body(r#"{"screen":"list"}"#)
    };
    let here = send(server.owner_address, request("/admin/v1/commands")).await;
    assert_eq!(here.unwrap().status, StatusCode::NOT_FOUND);

    let page = |proto: &str| {
        let request = Request::get("/dashboard/sign-in").header("x-forwarded-for", "192.0.2.7");
        let request = request.header("x-forwarded-proto", proto);
        send(server.owner_address, request)
    };
    let secure = page("https").await.unwrap();
    assert_eq!(secure.status, StatusCode::OK);
    let cookie = secure.header("set-cookie").unwrap();
    assert!(
        cookie.starts_with("__Host-") && cookie.ends_with("; Secure"),
        "{cookie}"
    );
    let refused = page("http").await.unwrap();
    assert!(refused.status.is_client_error(), "{refused:?}");
    server.kill().await;
}

#[tokio::test]
async fn owners_are_not_let_in_from_elsewhere_over_plain_http() {
    let words = [
        "serve",
        "--storage",
        "memory",
        "--listen",
        "0",
        "--admin-listen",
        "0.0.0.0:0",
    ];
    let refused = run(PROGRAM, &words).await;
    assert_eq!(refused.code, Some(1), "{refused:?}");
    assert!(refused.said.contains("--trusted-proxy"), "{refused:?}");
    let words = ["config", "--admin-url", "https://owner.example/shop"];
    let refused = run(PROGRAM, &words).await;
    assert_eq!(refused.code, Some(2), "{refused:?}");
    assert!(refused.said.contains("without a path"), "{refused:?}");
}
