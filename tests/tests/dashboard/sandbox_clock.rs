//! The clock of the sandbox: put ahead, retries come due. `stories/sandbox.txt` has the rest.

use std::time::Duration;

use connect_tests::{
    data::DataFolder,
    http::{Request, send},
};
use serde_json::json;
use tokio::{
    io::{AsyncReadExt as _, AsyncWriteExt as _},
    net::TcpListener,
    sync::mpsc,
    time::{sleep, timeout},
};

use super::PROGRAM;

const DAY: u64 = 24 * 3600;

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
    while data.json(&["list"]).await[0]["failuresInARow"] == 0 {
        sleep(Duration::from_millis(50)).await;
    }
    let ahead = Request::post("/sandbox/v1/clock", &json!({ "advanceBySeconds": DAY }));
    let ahead = send(server.owner_address, ahead.bearer(&token)).await;
    ahead.unwrap().expect(200);
    let second = timeout(minute, received.recv()).await.unwrap().unwrap();
    let passed = signed_at(&second) - signed_at(&first);
    assert!(passed < 60, "{passed} s lie between the signatures");
    server.kill().await;
}
