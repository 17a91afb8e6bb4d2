//! How commands find a running server. `stories/commands.txt` has the commands themselves.

use std::{
    fs::{self, File, Permissions},
    net::TcpListener,
    os::unix::fs::PermissionsExt as _,
    path::Path,
};

use connect_core::{
    storage::redb::{RedbOptions, RedbStorage},
    wire::limits::MAX_BODY_BYTES,
};
use connect_tests::{
    data::DataFolder,
    http::{Answer, Payload, Request, send},
    process::Process,
    shop::device_path,
};
use serde_json::{Value, json};
use tokio::{
    io::{AsyncReadExt as _, AsyncWriteExt as _},
    net::TcpStream,
};

const PROGRAM: &str = env!("CARGO_BIN_EXE_server-under-test");

fn folder() -> DataFolder {
    DataFolder::new(PROGRAM, "screen")
}

/// The screens that a command answers with.
async fn screens(data: &DataFolder, arguments: &[&str]) -> Vec<Value> {
    match data.json(arguments).await {
        Value::Array(screens) => screens,
        other => panic!("{other}"),
    }
}

/// Makes a register at a location; its id and key.
async fn register(data: &DataFolder, location: &str) -> (String, String) {
    let create = ["create", "--location", location, "--type", "pos"];
    let made = screens(data, &[&create[..], &["--name", "Bar"]].concat()).await;
    let text = |field: &str| made[0][field].as_str().unwrap().to_owned();
    (text("id"), text("key"))
}

fn location(server: &Process) -> String {
    let id = &server.welcome["locations"][0]["id"];
    id.as_str().unwrap().to_owned()
}

/// Writes a row with this key; the status.
async fn write(server: &Process, key: &str) -> u16 {
    let row = json!({
        "type": "cash_in", "totalCents": 100,
        "payments": [{ "method": "cash", "amountCents": 100 }],
    });
    let row = Request::post(device_path("transactions"), &row).bearer(key);
    let answer = send(server.owner_address, row).await.unwrap();
    answer.status.as_u16()
}

#[tokio::test]
async fn without_a_server_the_command_opens_the_store() {
    let data = folder();
    let server = data.serve().await;
    let at = location(&server);
    let mode = fs::metadata(data.pass()).unwrap().permissions().mode();
    assert_eq!(mode & 0o777, 0o600);
    assert_eq!(server.stop().await, Some(0));
    assert!(!data.pass().exists(), "the file goes with its server");

    let (id, key) = register(&data, &at).await;
    assert_eq!(screens(&data, &["list"]).await.len(), 5);
    let server = data.serve().await;
    assert_eq!(write(&server, &key).await, 201);

    // Killed, it leaves the file behind, which leads nowhere.
    server.kill().await;
    assert!(data.pass().exists());
    let rolled = screens(&data, &["roll", &id]).await;
    let rolled = rolled[0]["key"].as_str().unwrap();
    let server = data.serve().await;
    assert_eq!(write(&server, &key).await, 401);
    assert_eq!(write(&server, rolled).await, 201);
}

/// The port of a server that was killed may be another program's by now.
#[tokio::test]
async fn a_file_that_leads_elsewhere_is_passed_over() {
    let (data, other) = (folder(), folder());
    let server = data.serve().await;
    let own = screens(&data, &["list"]).await;
    server.kill().await;
    let another = other.serve().await;
    // It takes connections, and says nothing.
    let silent = TcpListener::bind("127.0.0.1:0").unwrap();
    let silent = format!("http://{}", silent.local_addr().unwrap());
    let elsewhere = |url: &str| {
        let mut pass: Value = serde_json::from_slice(&fs::read(data.pass()).unwrap()).unwrap();
        pass["url"] = url.into();
        fs::write(data.pass(), pass.to_string()).unwrap();
    };
    let urls = [
        another.welcome["adminUrl"].as_str().unwrap(),
        &format!("http://{}", another.address),
        &silent,
        "no address",
    ];
    for url in urls {
        elsewhere(url);
        assert_eq!(screens(&data, &["list"]).await, own, "{url}");
    }

    // A process without commands has the store open.
    let _open = RedbStorage::open(data.store(), RedbOptions::default()).unwrap();
    let takes_none = "is in use by a process that is starting, stopping, or takes no commands";
    for (url, found) in [
        (urls[1], "another server answers at"),
        ("http://127.0.0.1:1", "nothing answers at"),
    ] {
        elsewhere(url);
        let says = format!("{takes_none} ({found} {url}");
        data.refuses(&["list"], 1, &says).await;
    }
    fs::remove_file(data.pass()).unwrap();
    let says = format!("{takes_none} (there is no file");
    data.refuses(&["list"], 1, &says).await;
}

#[tokio::test]
async fn a_file_that_others_may_have_written_is_not_used() {
    let data = folder();
    let server = data.serve().await;
    let mode = |mode| fs::set_permissions(data.pass(), Permissions::from_mode(mode)).unwrap();
    mode(0o664);
    let says = "can be read or written by other users";
    data.refuses(&["list"], 1, says).await;
    mode(0o600);
    assert_eq!(screens(&data, &["list"]).await.len(), 4);
    assert_eq!(server.stop().await, Some(0));
}

async fn command(server: &Process, key: Option<&str>, body: &str) -> Answer {
    let mut request = Request::new(http::Method::POST, "/admin/v1/commands");
    request = request
        .header("content-type", "application/json")
        .body(body.to_owned());
    if let Some(key) = key {
        request = request.header("authorization", key);
    }
    send(server.owner_address, request).await.unwrap()
}

#[tokio::test]
async fn commands_need_the_key_in_the_file() {
    const LIST: &str = r#"{"screen":"list"}"#;
    let data = folder();
    let server = data.serve().await;
    let pass: Value = serde_json::from_slice(&fs::read(data.pass()).unwrap()).unwrap();
    let key = format!("Bearer {}", pass["key"].as_str().unwrap());
    let token = format!("Bearer {}", server.token());
    let screen = server.welcome["screens"][0]["key"].as_str().unwrap();
    let screen = format!("Bearer {screen}");
    let cut = &key[..key.len() - 1];
    for wrong in [
        None,
        Some(""),
        Some("Bearer "),
        Some(cut),
        Some(&*token),
        Some(&screen),
    ] {
        let refused = command(&server, wrong, LIST).await;
        refused.fails(401, "unauthorized");
    }
    for body in ["x", "{}", r#"{"screen":"drop"}"#, "null"] {
        let refused = command(&server, Some(&key), body).await;
        refused.fails(400, "validation_failed");
    }
    let listed = command(&server, Some(&key), LIST).await.expect(200).json();
    assert_eq!(listed.as_array().map(Vec::len), Some(4));
    // The API has no commands, and the owner's listener no other method.
    let to_api = Request::post("/admin/v1/commands", &json!({ "screen": "list" }));
    let to_api = send(server.address, to_api.header("authorization", &key)).await;
    to_api.unwrap().fails(404, "not_found");
    let get = || Request::get("/admin/v1/commands");
    let refused = send(server.owner_address, get()).await.unwrap();
    refused.fails(401, "unauthorized");
    let refused = send(server.owner_address, get().header("authorization", &key)).await;
    let refused = refused.unwrap().fails(405, "method_not_allowed");
    assert_eq!(refused.header("allow"), Some("POST"));
}

#[tokio::test]
async fn the_body_of_a_command_is_read_as_any_other() {
    let data = folder();
    let server = data.serve().await;
    let pass: Value = serde_json::from_slice(&fs::read(data.pass()).unwrap()).unwrap();
    let list = Request::post("/admin/v1/commands", &json!({ "screen": "list" }))
        .bearer(pass["key"].as_str().unwrap());
    let send = async |request| send(server.owner_address, request).await.unwrap();
    let answer = send(list.clone()).await.expect(200);
    assert!(answer.header("x-request-id").is_some());
    assert_eq!(answer.header("cache-control"), Some("no-store"));
    // Without a Content-Length.
    let mut chunked = list.clone();
    chunked.body = Payload::Chunked(vec![r#"{"screen":"#.into(), r#""list"}"#.into()]);
    assert_eq!(send(chunked).await.expect(200).json(), answer.json());
    // With no body at all, and nothing that says so.
    let head = format!(
        "POST /admin/v1/commands HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\
         Content-Type: application/json\r\nAuthorization: Bearer {}\r\n\r\n",
        pass["key"].as_str().unwrap()
    );
    let mut stream = TcpStream::connect(server.owner_address).await.unwrap();
    stream.write_all(head.as_bytes()).await.unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).await.unwrap();
    assert!(answer.starts_with("HTTP/1.1 400 "), "{answer}");
    assert!(answer.contains("body: is missing"), "{answer}");
    send(list.clone().body(vec![b' '; MAX_BODY_BYTES + 1]))
        .await
        .fails(413, "payload_too_large");
    let mut plain = list;
    plain.headers.remove("content-type");
    send(plain).await.fails(400, "validation_failed");
}

/// With everything logged that there is.
#[tokio::test]
async fn no_key_is_logged() {
    let data = folder();
    let log: &Path = &data.path().join("log");
    let file = File::create(log).unwrap();
    let server = Process::start_logged(PROGRAM, &data.store(), file).await;
    let server = server.unwrap();
    let pass: Value = serde_json::from_slice(&fs::read(data.pass()).unwrap()).unwrap();
    let (id, key) = register(&data, &location(&server)).await;
    assert_eq!(write(&server, &key).await, 201);
    let rolled = screens(&data, &["roll", &id]).await;
    assert_eq!(write(&server, &key).await, 401);
    let wrong = format!("Bearer {}x", pass["key"].as_str().unwrap());
    command(&server, Some(&wrong), "{}").await.expect(401);
    let secrets = [
        key,
        rolled[0]["key"].as_str().unwrap().to_owned(),
        pass["key"].as_str().unwrap().to_owned(),
        server.token(),
        server.welcome["screens"][1]["key"]
            .as_str()
            .unwrap()
            .to_owned(),
    ];
    assert_eq!(server.stop().await, Some(0));
    let log = fs::read_to_string(log).unwrap();
    assert!(log.contains("stopped"), "{log}");
    assert!(log.contains("TRACE") || log.contains("DEBUG"), "{log}");
    for secret in secrets {
        assert!(!log.contains(&secret), "a secret is in the log");
    }
}
