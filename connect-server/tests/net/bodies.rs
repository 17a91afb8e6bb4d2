//! Bodies: read within limits, or not read and still answered.

use std::time::Duration;

use bytes::Bytes;
use connect_server::net::{Limits, Pace};
use futures_util::stream;
use http::StatusCode;
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    time::timeout,
};

use super::harness::{HANGS, Running, client, read_to_end};

/// A body of this many bytes that comes in pieces and announces no length.
fn chunked(length: usize) -> reqwest::Body {
    let piece = Bytes::from(vec![b'x'; 50_000]);
    let pieces = (0..length / piece.len()).map(move |_| Ok::<_, std::io::Error>(piece.clone()));
    reqwest::Body::wrap_stream(stream::iter(pieces))
}

#[tokio::test]
async fn a_body_is_read_up_to_the_limit() {
    let server = Running::plain(Limits::default()).await;
    for http2 in [false, true] {
        let client = client(http2);
        for (length, status) in [(0, 200), (1_000_000, 200), (1_050_000, 413)] {
            let whole = reqwest::Body::from(vec![b'x'; length]);
            for body in [whole, chunked(length)] {
                let request = client.post(server.url("/echo")).body(body);
                let answer = request.send().await.expect("an answer");
                assert_eq!(answer.status().as_u16(), status, "{length}");
                if status == 200 {
                    assert_eq!(answer.bytes().await.expect("a body").len(), length);
                }
            }
        }
    }
    server.stop().await;
}

#[tokio::test]
async fn the_announced_length_is_known_from_the_head() {
    let server = Running::plain(Limits::default()).await;
    for http2 in [false, true] {
        let client = client(http2);
        let post = |body| client.post(server.url("/announced")).body(body).send();
        let answer = post(reqwest::Body::from("12345")).await.expect("an answer");
        assert_eq!(answer.text().await.expect("a body"), "Some(5) false");
        let answer = post(chunked(50_000)).await.expect("an answer");
        assert_eq!(answer.text().await.expect("a body"), "None false");
        let answer = client
            .get(server.url("/announced"))
            .send()
            .await
            .expect("an answer");
        assert_eq!(answer.text().await.expect("a body"), "Some(0) true");
    }
    server.stop().await;
}

/// Without reading on, some of these clients see a broken pipe instead.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_early_answer_reaches_a_client_that_is_still_sending() {
    let server = Running::plain(Limits::default()).await;
    for http2 in [false, true] {
        let client = client(http2);
        for round in 0..100 {
            let request = client.post(server.url("/refuse")).body(chunked(5_000_000));
            let answer = request
                .send()
                .await
                .unwrap_or_else(|error| panic!("{round}: {error:?}"));
            assert_eq!(answer.status(), StatusCode::PAYLOAD_TOO_LARGE);
            assert_eq!(answer.text().await.expect("a body"), "refused");
        }
    }
    server.stop().await;
}

/// Such a connection ends after the answer; it must not end with a reset.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn so_does_one_to_a_body_past_the_bound_of_discarding() {
    let limits = Limits {
        discard_bytes: 100_000,
        ..Limits::default()
    };
    let server = Running::plain(limits).await;
    let piece = vec![b'x'; 20_000_000];
    for round in 0..10 {
        let mut stream = server.connect().await;
        let head = "POST /refuse HTTP/1.1\r\nHost: x\r\nContent-Length: 20000000\r\n\r\n";
        stream.write_all(head.as_bytes()).await.expect("writes");
        let sent = stream.write_all(&piece).await;
        sent.unwrap_or_else(|error| panic!("{round}: {error}"));
        let answer = read_to_end(&mut stream).await;
        assert!(answer.starts_with("HTTP/1.1 413 "), "{round}: {answer}");
        assert!(
            answer.contains("\r\nconnection: close\r\n"),
            "{round}: {answer}"
        );
        assert!(answer.ends_with("refused"), "{round}: {answer}");
    }
    server.stop().await;

    let discard = Duration::from_millis(100);
    let limits = Limits {
        discard_bytes: 100_000,
        discard,
        ..Limits::default()
    };
    let server = Running::plain(limits).await;
    let request = client(true)
        .post(server.url("/refuse"))
        .body(chunked(5_000_000));
    let answer = request.send().await.expect("an answer");
    assert_eq!(answer.status(), StatusCode::PAYLOAD_TOO_LARGE);
    assert_eq!(answer.text().await.expect("a body"), "refused");
    server.stop().await;
}

#[tokio::test]
async fn a_slow_body_is_given_up() {
    let limits = Limits {
        upload: Pace {
            bytes: 1000,
            within: Duration::from_millis(50),
        },
        discard: Duration::from_millis(50),
        ..Limits::default()
    };
    let server = Running::plain(limits).await;
    for framing in [
        "Content-Length: 9\r\n\r\nabc",
        "Transfer-Encoding: chunked\r\n\r\n3\r\nab",
    ] {
        let request = format!("POST /echo HTTP/1.1\r\nHost: x\r\n{framing}");
        let answer = server.exchange(&request).await;
        assert!(
            answer.starts_with("HTTP/1.1 408 ") && answer.ends_with("too slow"),
            "{answer}"
        );
    }
    let endless = reqwest::Body::wrap_stream(stream::pending::<std::io::Result<Bytes>>());
    let answer = client(true)
        .post(server.url("/echo"))
        .body(endless)
        .send()
        .await;
    assert_eq!(
        answer.expect("an answer").status(),
        StatusCode::REQUEST_TIMEOUT
    );
    server.stop().await;
}

#[tokio::test]
async fn a_broken_body_is_told_apart() {
    let server = Running::plain(Limits::default()).await;
    let answer = server
        .exchange("POST /echo HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\nxyz\r\n")
        .await;
    assert!(
        answer.starts_with("HTTP/1.1 400 ") && answer.ends_with("broken"),
        "{answer}"
    );
    server.stop().await;
}

#[tokio::test]
async fn consent_is_given_only_to_a_body_that_is_wanted() {
    let server = Running::plain(Limits::default()).await;
    let head = |path| {
        format!(
            "POST {path} HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\nExpect: 100-continue\r\n\r\n"
        )
    };
    let refused = server.exchange(&head("/refuse")).await;
    assert!(
        refused.starts_with("HTTP/1.1 413 ") && refused.ends_with("refused"),
        "{refused}"
    );

    let mut stream = server.connect().await;
    stream
        .write_all(head("/echo").as_bytes())
        .await
        .expect("writes");
    let mut consent = [0; 25];
    let read = timeout(HANGS, stream.read_exact(&mut consent)).await;
    read.expect("in time").expect("reads");
    assert_eq!(&consent, b"HTTP/1.1 100 Continue\r\n\r\n");
    stream
        .write_all(b"abcdeGET /hello HTTP/1.0\r\n\r\n")
        .await
        .expect("writes");
    let rest = read_to_end(&mut stream).await;
    assert!(
        rest.contains("abcdeHTTP/1.0 200") && rest.ends_with("hello"),
        "{rest}"
    );
    server.stop().await;
}
