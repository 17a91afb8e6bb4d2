//! The clock of the sandbox: put ahead, it makes tokens expire, retries come due and days end.

use std::time::Duration;

use connect_tests::{
    data::DataFolder,
    http::{Answer, Request, send},
    place::Place,
    process::{Process, run},
};
use http::{Method, StatusCode};
use serde_json::{Value, json};
use tokio::{
    io::{AsyncReadExt as _, AsyncWriteExt as _},
    net::TcpListener,
    sync::mpsc,
    time::{sleep, timeout},
};

use super::{PROGRAM, browser::Browser, demo};

const DAY: u64 = 24 * 3600;

async fn advance(server: &Process, token: &str, body: &Value) -> Answer {
    let request = Request::post("/sandbox/v1/clock", body).bearer(token);
    send(server.owner_address, request).await.unwrap()
}

/// Puts the clock ahead; what it shows then.
async fn ahead(server: &Process, token: &str, seconds: u64) -> Value {
    let answer = advance(server, token, &json!({ "advanceBySeconds": seconds })).await;
    answer.expect(200).data()
}

/// The date of today, as the server has it.
async fn today(server: &Process) -> String {
    let summary = Request::get(server.at("daily-summary"));
    let summary = server.send(&server.token(), summary).await;
    summary.expect(200).data()["date"]
        .as_str()
        .unwrap()
        .to_owned()
}

#[tokio::test]
async fn a_token_expires_and_a_day_ends() {
    let data = DataFolder::new(PROGRAM, "token");
    let server = data.serve().await;
    let all = server.token();
    let short = [
        "create",
        "--name",
        "Short",
        "--all-scopes",
        "--expires-in",
        "1",
    ];
    let short = data.json(&short).await["token"]
        .as_str()
        .unwrap()
        .to_owned();
    let locations = || Request::get("/v1/locations");
    server.send(&short, locations()).await.expect(200);
    let day = today(&server).await;
    let shown = ahead(&server, &all, DAY + 60).await;
    assert_eq!(shown["aheadBySeconds"], DAY + 60);
    server
        .send(&short, locations())
        .await
        .fails(401, "unauthorized");
    server.send(&all, locations()).await.expect(200);
    assert!(today(&server).await > day);
    // So the command line has it, whose machine is behind.
    let listed = data.json(&["list"]).await;
    let state = |name: &str| {
        let mut tokens = listed.as_array().unwrap().iter();
        let token = tokens.find(|token| token["name"] == name);
        token.unwrap()["state"].clone()
    };
    assert_eq!(state("Short"), "expired");
    assert!(data.text(&["list"]).await.contains("expired on"));
    // What is written is of the time that the sandbox shows, also after another start.
    let made = Request::post(server.at("products"), &json!({ "name": "Rye" }));
    let made = server.send(&all, made).await.expect(201).data();
    assert!(made["createdAt"].as_str().unwrap() >= shown["now"].as_str().unwrap());
    assert_eq!(server.stop().await, Some(0));

    let server = data.serve().await;
    let later = Request::post(server.at("products"), &json!({ "name": "Spelt" }));
    let later = server.send(&server.token(), later).await.expect(201).data();
    assert!(later["createdAt"].as_str().unwrap() > made["createdAt"].as_str().unwrap());
    server
        .send(&short, locations())
        .await
        .fails(401, "unauthorized");
    assert_eq!(server.stop().await, Some(0));
    // So it is without the demo, and for commands that open the store themselves.
    let storage = format!("redb:{}", data.store().display());
    let served = Process::start_as(PROGRAM, "serve", &storage, &[])
        .await
        .unwrap();
    let gone = Request::post("/sandbox/v1/clock", &json!({ "advanceBySeconds": 1 }));
    let gone = send(served.owner_address, gone.bearer(&all)).await.unwrap();
    assert_eq!(gone.status, StatusCode::NOT_FOUND);
    assert_eq!(served.stop().await, Some(0));
    data.json(&["list"]).await;
}

/// The lead of the clock once lay beside the store, so a copy of the store refused to start.
#[tokio::test]
async fn a_copy_of_a_store_goes_by_its_clock() {
    let place = Place::new(PROGRAM);
    for (command, copy) in [("backup", "restore"), ("export", "import")] {
        let engine = format!("redb:{}", place.path(command));
        let server = Process::start_on(PROGRAM, &engine, &[]).await.unwrap();
        let shown = ahead(&server, &server.token(), 31 * DAY).await;
        assert_eq!(server.stop().await, Some(0));
        let file = place.path(&format!("{command}.connect"));
        let copied = format!("redb:{}", place.path(copy));
        for (command, storage) in [(command, &engine), (copy, &copied)] {
            let done = place.command(&[command, "--storage", storage, &file]).await;
            assert_eq!(done.code, Some(0), "{done:?}");
        }
        let server = Process::start_on(PROGRAM, &copied, &[]).await.unwrap();
        let again = ahead(&server, &server.token(), 1).await;
        assert_eq!(again["aheadBySeconds"], 31 * DAY + 1);
        assert!(again["now"].as_str() > shown["now"].as_str());
        assert_eq!(server.stop().await, Some(0));
    }
}

/// Waits for the next request to an endpoint, and answers it with this status.
async fn endpoint(statuses: &'static [u16]) -> (String, mpsc::Receiver<String>) {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}/in", listener.local_addr().unwrap());
    let (heads, received) = mpsc::channel(10);
    tokio::spawn(async move {
        for status in statuses {
            let (mut stream, _) = listener.accept().await.unwrap();
            let mut head = vec![0; 8192];
            let length = stream.read(&mut head).await.unwrap();
            let answer =
                format!("HTTP/1.1 {status} x\r\ncontent-length: 0\r\nconnection: close\r\n\r\n");
            stream.write_all(answer.as_bytes()).await.unwrap();
            let head = String::from_utf8_lossy(&head[..length]).into_owned();
            heads.send(head).await.unwrap();
        }
    });
    (url, received)
}

/// The time of a signature: receivers refuse one that is not of now.
fn signed_at(head: &str) -> u64 {
    let lower = head.to_lowercase();
    let signature = lower.split("service-signature: ").nth(1).unwrap();
    let time = signature.split("t=").nth(1).unwrap();
    let digits: String = time.chars().take_while(char::is_ascii_digit).collect();
    digits.parse().unwrap()
}

#[tokio::test]
async fn a_retry_comes_due_and_is_signed_with_the_time_outside() {
    let data = DataFolder::new(PROGRAM, "webhook");
    let server = data.serve().await;
    let token = server.token();
    let (url, mut received) = endpoint(&[500, 200]).await;
    let create = [
        "create",
        "--url",
        &url,
        "--events",
        "catalog.product.changed",
    ];
    data.json(&create).await;
    let made = Request::post(server.at("products"), &json!({ "name": "Rye" }));
    server.send(&token, made).await.expect(201);
    let minute = Duration::from_secs(60);
    let first = timeout(minute, received.recv()).await.unwrap().unwrap();
    // The failure is written down, and with it when to try again.
    sleep(Duration::from_secs(2)).await;
    ahead(&server, &token, DAY).await;
    let second = timeout(minute, received.recv()).await.unwrap().unwrap();
    let passed = signed_at(&second) - signed_at(&first);
    assert!(passed < 60, "{passed} s lie between the signatures");
    server.kill().await;
}

#[tokio::test]
async fn an_advance_that_makes_no_sense_is_refused_with_its_field() {
    let (server, _) = demo().await;
    let token = server.token();
    for value in [
        json!(0),
        json!(-60),
        json!(31 * DAY + 1),
        json!(1.5),
        json!("60"),
        json!(null),
    ] {
        let body = json!({ "advanceBySeconds": value });
        let refused = advance(&server, &token, &body).await;
        let said = String::from_utf8_lossy(&refused.body).into_owned();
        refused.fails(400, "validation_failed");
        assert!(said.contains("advanceBySeconds"), "{said}");
    }
    for (body, named) in [
        (json!({}), "advanceBySeconds"),
        (json!([]), "JSON object"),
        (json!({ "advanceBySeconds": 1, "other": 1 }), "\"other\""),
    ] {
        let refused = advance(&server, &token, &body).await;
        let refused = refused.fails(400, "validation_failed");
        let said = refused.json()["error"]["message"].clone();
        assert!(
            said.as_str().is_some_and(|said| said.contains(named)),
            "{said}"
        );
    }
    let broken = Request::new(Method::POST, "/sandbox/v1/clock")
        .header("content-type", "application/json")
        .body("{");
    let broken = send(server.owner_address, broken.bearer(&token))
        .await
        .unwrap();
    broken.fails(400, "validation_failed");
    let body = json!({ "advanceBySeconds": 60 });
    advance(&server, "ck_test_x", &body)
        .await
        .fails(401, "unauthorized");
    let read = Request::get("/sandbox/v1/clock").bearer(&token);
    let read = send(server.owner_address, read).await.unwrap();
    read.fails(405, "method_not_allowed");
    assert_eq!(
        ahead(&server, &token, 31 * DAY).await["aheadBySeconds"],
        31 * DAY
    );
    server.kill().await;
}

#[tokio::test]
async fn an_owner_puts_the_clock_ahead() {
    let (server, mut owner) = demo().await;
    let page = owner.read("/dashboard/sandbox").await;
    assert!(!page.contains("ahead of the real time"));
    let fields = [("do", "clock"), ("advanceBySeconds", "3600")];
    let done = owner.submit("/dashboard/sandbox", &fields).await;
    assert_eq!(done.status, StatusCode::SEE_OTHER);
    let next = done.header("location").unwrap().to_owned();
    assert!(next.ends_with("&done=clock-advanced"), "{next}");
    // The second of two clicks.
    let again = owner.submit("/dashboard/sandbox", &fields).await;
    assert_eq!(again.status, StatusCode::CONFLICT);
    let page = owner.read(&next).await;
    assert!(page.contains("The clock was put ahead"));
    assert!(page.contains("ahead of the real time"));
    let shown = ahead(&server, &server.token(), 1).await;
    assert_eq!(shown["aheadBySeconds"], 3600 + 1);
    let fields = [("do", "clock"), ("advanceBySeconds", "x")];
    let refused = owner.submit("/dashboard/sandbox", &fields).await;
    assert_eq!(refused.status, StatusCode::BAD_REQUEST);
    // A session lasts seven days.
    let fields = [("do", "clock"), ("advanceBySeconds", "604800")];
    owner.submit("/dashboard/sandbox", &fields).await;
    let out = owner.open("/dashboard").await;
    assert_eq!(out.header("location"), Some("/dashboard/sign-in"));
    server.kill().await;
}

/// A token that may only read moved the time of everybody on the server, a live account included.
#[tokio::test]
async fn the_clock_is_put_ahead_by_who_may_write_and_for_sandboxes_alone() {
    let data = DataFolder::new(PROGRAM, "token");
    let server = data.serve().await;
    let invitation = server.welcome["invitationUrl"].as_str().unwrap();
    let mut owner = Browser::of_owner(&server, invitation).await;
    let body = json!({ "advanceBySeconds": 60 });
    let mut tokens = Vec::new();
    for scopes in [
        "catalog:read",
        "pos:read,stock:read,orders:read,catalog:read",
    ] {
        let create = ["create", "--name", "Reader", "--scopes", scopes];
        let token = data.json(&create).await["token"]
            .as_str()
            .unwrap()
            .to_owned();
        let refused = advance(&server, &token, &body).await;
        let refused = refused.fails(403, "forbidden_scope");
        let said = refused.json()["error"]["message"].to_string();
        assert!(said.contains("catalog:write or stock:write"), "{said}");
        tokens.push(token);
    }
    for scopes in ["stock:write", "catalog:read,catalog:write"] {
        let create = ["create", "--name", "Writer", "--scopes", scopes];
        let token = data.json(&create).await["token"]
            .as_str()
            .unwrap()
            .to_owned();
        ahead(&server, &token, 60).await;
    }
    let button = "value=\"clock\"";
    assert!(owner.read("/dashboard/sandbox").await.contains(button));

    let folder = data.path().to_str().unwrap();
    let live = [
        "account",
        "create",
        "--name",
        "Live",
        "--email",
        "live@shop.example",
    ];
    let made = run(PROGRAM, &[&live[..], &["--data", folder]].concat()).await;
    assert_eq!(made.code, Some(0), "{made:?}");
    advance(&server, &server.token(), &body)
        .await
        .fails(409, "conflict");
    // Who may not is told so first.
    advance(&server, &tokens[0], &body)
        .await
        .fails(403, "forbidden_scope");
    let page = owner.read("/dashboard/sandbox").await;
    assert!(!page.contains(button) && page.contains("has a live account"));
    let fields = [("do", "clock"), ("advanceBySeconds", "3600")];
    let refused = owner.submit("/dashboard/sandbox", &fields).await;
    assert_eq!(refused.status, StatusCode::CONFLICT);
    // The rest of the sandbox is the sandbox's own.
    owner.read("/dashboard/sandbox").await;
    let fields = [("do", "sale")];
    let sold = owner.submit("/dashboard/sandbox", &fields).await;
    assert_eq!(sold.status, StatusCode::SEE_OTHER);
    assert_eq!(server.stop().await, Some(0));
}
