//! The program: `connect-server demo`.

use connect_tests::{
    http::Request,
    process::{Process, run},
};
use serde_json::{Value, json};
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::TcpStream,
};

const PROGRAM: &str = env!("CARGO_BIN_EXE_server-under-test");

#[tokio::test]
async fn its_document_names_the_public_address() {
    let data = tempfile::tempdir().unwrap();
    let public = ["--public-url", "https://shop.example"];
    let server = Process::start(PROGRAM, &data.path().join("s"), &public)
        .await
        .unwrap();
    let token = server.token();
    let document = server.send(&token, Request::get("/v1/openapi.json")).await;
    let document: Value = serde_json::from_slice(&document.expect(200).body).unwrap();
    assert_eq!(document["servers"][0]["url"], "https://shop.example/v1");
}

#[tokio::test]
async fn it_says_where_it_is_and_what_opens_it() {
    let data = tempfile::tempdir().unwrap();
    let server = Process::start(PROGRAM, &data.path().join("s"), &[])
        .await
        .unwrap();
    let welcome = server.welcome.as_object().unwrap().clone();
    let mut names: Vec<_> = welcome.keys().map(String::as_str).collect();
    names.sort_unstable();
    assert_eq!(
        names,
        [
            "accountId",
            "adminUrl",
            "baseUrl",
            "invitationUrl",
            "locations",
            "screens",
            "token"
        ]
    );
    let admin = welcome["adminUrl"].as_str().unwrap();
    let invitation = welcome["invitationUrl"].as_str().unwrap();
    let path = invitation.strip_prefix(admin).unwrap();
    assert!(path.starts_with("/dashboard/invitations/"), "{path}");
    assert!(welcome["token"].as_str().unwrap().starts_with("ck_test_"));
    assert!(
        welcome["adminUrl"]
            .as_str()
            .unwrap()
            .starts_with("http://127.0.0.1:")
    );

    let token = server.token();
    let locations = server
        .send(&token, Request::get("/v1/locations"))
        .await
        .expect(200)
        .list();
    assert_eq!(locations.len(), 2);
    let shown: Vec<&Value> = welcome["locations"]
        .as_array()
        .unwrap()
        .iter()
        .map(|l| &l["id"])
        .collect();
    assert!(
        locations
            .iter()
            .all(|location| shown.contains(&&location["id"]))
    );
    for location in &locations {
        assert_eq!(location["scopes"].as_array().unwrap().len(), 6);
        let id = location["id"].as_str().unwrap();
        let list = Request::get(format!("/v1/locations/{id}/products?limit=200"));
        let products = server.send(&token, list).await.expect(200).list();
        assert!(products.len() >= 24, "{} products", products.len());
        assert!(
            products
                .iter()
                .all(|product| product["categoryId"].is_string())
        );
    }
    assert_eq!(server.stop().await, Some(0));
}

#[tokio::test]
async fn started_again_it_finds_everything() {
    let data = tempfile::tempdir().unwrap();
    let store = data.path().join("s");
    let first = Process::start(PROGRAM, &store, &[]).await.unwrap();
    let (old, welcome) = (first.token(), first.welcome.clone());
    let rye = Request::post(first.at("products"), &json!({ "name": "Rye of my own" }));
    let rye = first.send(&old, rye).await.expect(201).data();
    assert_eq!(first.stop().await, Some(0));

    let second = Process::start(PROGRAM, &store, &[]).await.unwrap();
    assert_eq!(second.welcome["accountId"], welcome["accountId"]);
    assert_eq!(second.welcome["locations"], welcome["locations"]);
    assert_ne!(second.token(), old);
    let one = second.at(&format!("products/{}", rye["id"].as_str().unwrap()));
    let found = second.send(&second.token(), Request::get(&one)).await;
    assert_eq!(found.expect(200).data(), rye);
    // Programs go on with the token that they were given.
    let found = second.send(&old, Request::get(&one)).await;
    assert_eq!(found.expect(200).data(), rye);
}

#[tokio::test]
async fn the_limits_are_settings() {
    let data = tempfile::tempdir().unwrap();
    let limits = [
        "--token-limit",
        "7",
        "--account-limit",
        "9",
        "--ip-limit",
        "5",
    ];
    let server = Process::start(PROGRAM, &data.path().join("s"), &limits)
        .await
        .unwrap();
    let list = || Request::get("/v1/locations");
    let limit = async |token: &str| server.send(token, list()).await.number("x-ratelimit-limit");
    assert_eq!(limit(&server.token()).await, 7);
    assert_eq!(limit("ck_test_nobody").await, 5);
}

#[tokio::test]
async fn a_store_that_is_in_use_is_a_clear_error() {
    let data = tempfile::tempdir().unwrap();
    let store = data.path().join("s");
    let first = Process::start(PROGRAM, &store, &[]).await.unwrap();
    let second = Process::start(PROGRAM, &store, &[]).await;
    let Err(refused) = second else {
        panic!("two servers on one store")
    };
    assert!(refused.code.is_some_and(|code| code != 0), "{refused:?}");
    assert!(refused.said.contains("use"), "{refused:?}");
    let locations = first
        .send(&first.token(), Request::get("/v1/locations"))
        .await;
    locations.expect(200);
}

/// The server says `100 Continue` when it begins to read the body: from then on the request is
/// under way, and the signal must not take it away.
#[tokio::test]
async fn a_request_under_way_is_finished_before_the_end() {
    let data = tempfile::tempdir().unwrap();
    let mut server = Process::start(PROGRAM, &data.path().join("s"), &[])
        .await
        .unwrap();
    let body = r#"{"name":"Rye"}"#;
    let head = format!(
        "POST {} HTTP/1.1\r\nHost: {}\r\nAuthorization: Bearer {}\r\nExpect: 100-continue\r\n\
         Content-Type: application/json\r\nContent-Length: {}\r\n\r\n",
        server.at("products"),
        server.address,
        server.token(),
        body.len(),
    );
    let mut stream = TcpStream::connect(server.address).await.unwrap();
    stream.write_all(head.as_bytes()).await.unwrap();
    let mut go_on = [0; 25];
    stream.read_exact(&mut go_on).await.unwrap();
    assert_eq!(&go_on, b"HTTP/1.1 100 Continue\r\n\r\n");
    server.ask_to_stop().await;
    // Stopping, it takes no new connection.
    while TcpStream::connect(server.address).await.is_ok() {
        tokio::task::yield_now().await;
    }
    stream.write_all(body.as_bytes()).await.unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).await.unwrap();
    assert!(answer.starts_with("HTTP/1.1 201 Created\r\n"), "{answer}");
    assert_eq!(server.wait().await, Some(0));
}

/// A demo in memory took no commands: they said that there is nothing to open.
#[tokio::test]
async fn one_in_memory_takes_commands() {
    let data = tempfile::tempdir().unwrap();
    let folder = data.path().join("made/by/the/demo");
    let folder = folder.to_str().unwrap();
    let more = ["--data", folder];
    let command = async |words: &str| {
        let more = ["--storage", "memory", "--data", folder, "--json"];
        let words: Vec<_> = words.split(' ').chain(more).collect();
        run(PROGRAM, &words).await
    };
    let none = command("token list").await;
    assert_eq!(none.code, Some(1), "{none:?}");
    assert!(
        none.said.contains("no server with a store in memory"),
        "{none:?}"
    );

    let server = Process::start_on(PROGRAM, "memory", &more).await.unwrap();
    let made = command("token create --name Reader --scopes catalog:read").await;
    assert_eq!((made.code, &*made.said), (Some(0), ""), "{made:?}");
    let made: Value = serde_json::from_str(&made.output).unwrap();
    let list = || Request::get("/v1/locations");
    let reader = made["token"].as_str().unwrap();
    server.send(reader, list()).await.expect(200);
    let revoked = command(&format!("token revoke {}", made["id"].as_str().unwrap())).await;
    assert_eq!(revoked.code, Some(0), "{revoked:?}");
    server.send(reader, list()).await.fails(401, "unauthorized");
    let refused = command("token revoke 019a8c52-8e20-7c42-8a1f-4c2d6e8fab02").await;
    assert!(refused.said.contains("there is no token"), "{refused:?}");

    // The one that was started last has the commands, and what a killed one left is not looked at.
    let second = Process::start_on(PROGRAM, "memory", &more).await.unwrap();
    let listed = command("token list").await;
    let tokens: Value = serde_json::from_str(&listed.output).unwrap();
    assert_eq!(tokens[0]["accountId"], second.welcome["accountId"]);
    assert_eq!(server.stop().await, Some(0));
    assert_eq!(command("token list").await.code, Some(0));
    second.kill().await;
    let none = command("token list").await;
    assert_eq!(none.code, Some(1), "{none:?}");
    assert!(none.said.contains("no server holds"), "{none:?}");
}
