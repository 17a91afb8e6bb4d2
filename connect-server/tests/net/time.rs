//! Clients that hold a connection and do nothing with it.

use std::time::Duration;

use connect_server::net::Limits;
use http_body_util::Empty;
use hyper::client::conn::http2;
use hyper_util::rt::{TokioExecutor, TokioIo};
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    time::{sleep, timeout},
};

use super::harness::{HANGS, Running, read_to_end};

const SOON: Duration = Duration::from_millis(60);
const NEVER: Duration = Duration::from_secs(3600);

fn heads() -> Limits {
    Limits {
        head: SOON,
        idle: NEVER,
        ..Limits::default()
    }
}

fn idle() -> Limits {
    Limits {
        head: NEVER,
        idle: SOON,
        ..Limits::default()
    }
}

#[tokio::test]
async fn a_head_that_does_not_come_ends_the_connection() {
    let server = Running::plain(heads()).await;
    for start in [
        "",
        "P",
        "PRI * HTTP/2.0\r\n\r\nSM",
        "GET /hello HTTP/1.1\r\nHo",
    ] {
        assert_eq!(server.exchange(start).await, "", "{start}");
    }
    // A complete preface with settings, and then no request.
    let settings = "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\0\0\0\u{4}\0\0\0\0\0";
    server.exchange(settings).await;
    let second = "GET /hello HTTP/1.1\r\nHost: x\r\n\r\nGET /hello HT";
    let mut stream = server.connect().await;
    stream.write_all(second.as_bytes()).await.expect("writes");
    sleep(Duration::from_millis(1)).await;
    let _ = stream.write_all(b"TP/1.1\r\n").await;
    let answer = read_to_end(&mut stream).await;
    assert!(
        answer.starts_with("HTTP/1.1 200 ") && answer.ends_with("hello"),
        "{answer}"
    );
    server.stop().await;
}

#[tokio::test]
async fn a_head_that_comes_byte_by_byte_ends_the_connection() {
    let server = Running::plain(heads()).await;
    let (mut read, mut write) = server.connect().await.into_split();
    let trickle = tokio::spawn(async move {
        write
            .write_all(b"GET /hello HTTP/1.1\r\nHost: x\r\n")
            .await?;
        loop {
            write.write_all(b"a: b\r\n").await?;
            sleep(Duration::from_millis(5)).await;
        }
        #[expect(unreachable_code)]
        Ok::<(), std::io::Error>(())
    });
    let mut all = Vec::new();
    let _ = timeout(HANGS, read.read_to_end(&mut all))
        .await
        .expect("the connection ends");
    assert!(all.is_empty());
    let ended = timeout(HANGS, trickle)
        .await
        .expect("the server is gone")
        .expect("a task");
    assert!(ended.is_err());
    server.stop().await;
}

#[tokio::test]
async fn an_idle_connection_is_closed() {
    let server = Running::plain(idle()).await;
    let answer = server
        .exchange("GET /hello HTTP/1.1\r\nHost: x\r\n\r\n")
        .await;
    assert!(answer.ends_with("hello"), "{answer}");

    let (mut sender, connection) = http2::Builder::new(TokioExecutor::new())
        .handshake(TokioIo::new(server.connect().await))
        .await
        .expect("speaks HTTP/2");
    let connection = tokio::spawn(connection);
    let request = http::Request::get("http://x/hello").body(Empty::<bytes::Bytes>::new());
    let answer = sender
        .send_request(request.expect("a request"))
        .await
        .expect("an answer");
    assert_eq!(answer.status(), http::StatusCode::OK);
    let ended = timeout(HANGS, connection)
        .await
        .expect("the server closes")
        .expect("a task");
    assert!(ended.is_ok(), "without an error: {ended:?}");
    assert!(sender.is_closed());
    server.stop().await;
}

#[tokio::test]
async fn an_answer_that_takes_long_is_not_idleness() {
    let limits = Limits {
        head: SOON,
        idle: SOON,
        ..Limits::default()
    };
    let server = Running::plain(limits).await;
    let mut stream = server.connect().await;
    stream
        .write_all(b"GET /wait HTTP/1.1\r\nHost: x\r\n\r\n")
        .await
        .expect("writes");
    server
        .app
        .entered
        .acquire()
        .await
        .expect("the request is in")
        .forget();
    sleep(SOON * 4).await;
    server.app.go.add_permits(1);
    let answer = read_to_end(&mut stream).await;
    assert!(answer.ends_with("waited"), "{answer}");
    server.stop().await;
}

#[tokio::test]
async fn an_old_connection_is_asked_to_end() {
    let limits = Limits {
        connection_age: SOON,
        ..Limits::default()
    };
    let server = Running::plain(limits).await;
    let mut stream = server.connect().await;
    stream
        .write_all(b"GET /wait HTTP/1.1\r\nHost: x\r\n\r\n")
        .await
        .expect("writes");
    server
        .app
        .entered
        .acquire()
        .await
        .expect("the request is in")
        .forget();
    sleep(SOON * 4).await;
    server.app.go.add_permits(1);
    let answer = read_to_end(&mut stream).await;
    assert!(
        answer.contains("connection: close") && answer.ends_with("waited"),
        "{answer}"
    );
    server.stop().await;
}
