//! Bodies: read within limits and at a pace, or not read and still answered.

use std::time::Duration;

use bytes::Bytes;
use connect_server::net::Load;
use futures_util::{StreamExt as _, stream};
use reqwest::Body;
use tokio::{
    io::{AsyncReadExt as _, AsyncWriteExt as _},
    net::TcpStream,
    time::{sleep, timeout},
};

use super::kit::{BOTH, HANGS, Running, V, client, get, last, pace, post, read_to_end};

/// A body of this many bytes that comes in pieces and announces no length.
fn chunked(length: usize) -> Body {
    let piece = Bytes::from(vec![b'x'; 50_000]);
    let pieces = (0..length / piece.len()).map(move |_| Ok::<_, std::io::Error>(piece.clone()));
    Body::wrap_stream(stream::iter(pieces))
}

/// So many pieces of a body, with a pause before each.
fn slow(pieces: usize, piece: Vec<u8>, pause: Duration) -> Body {
    let pieces = stream::iter(0..pieces).then(move |_| {
        let piece = Bytes::from(piece.clone());
        async move {
            sleep(pause).await;
            Ok::<_, std::io::Error>(piece)
        }
    });
    Body::wrap_stream(pieces)
}

#[tokio::test]
async fn a_body_is_read_up_to_the_limit() {
    let server = Running::with(|_| ()).await;
    for version in BOTH {
        for (length, status) in [(0, 200), (1_000_000, 200), (1_050_000, 413)] {
            for body in [Body::from(vec![b'x'; length]), chunked(length)] {
                let answer = server.post("/echo", body, version).await;
                assert_eq!(answer.status, status, "{length}");
                assert!(status == 413 || answer.body.len() == length);
            }
        }
        let announced = server.post("/announced", "12345", version).await;
        assert_eq!(announced.text(), "Some(5) false");
        let unannounced = server.post("/announced", chunked(50_000), version).await;
        assert_eq!(unannounced.text(), "None false");
        let none = server.get(&client(version), "/announced").await;
        assert_eq!(none.text(), "Some(0) true");
    }
    server.stop().await;
}

/// Without reading on, some of these clients see a broken pipe instead.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_early_answer_reaches_a_client_that_is_still_sending() {
    let server = Running::with(|_| ()).await;
    for version in BOTH {
        for _ in 0..25 {
            let answer = server.post("/refuse", chunked(5_000_000), version).await;
            assert_eq!((answer.status, answer.text()), (413, "refused"));
        }
    }
    server.stop().await;
}

/// Such a connection ends after the answer; it must not end with a reset.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn so_does_one_to_a_body_past_the_bound_of_discarding() {
    let server = Running::with(|limits| limits.discard_bytes = 100_000).await;
    let head = post("/refuse", "Content-Length: 20000000", "");
    let body = vec![b'x'; 20_000_000];
    for round in 0..10 {
        let mut stream = server.sent(&head).await;
        let sent = stream.write_all(&body).await;
        sent.unwrap_or_else(|error| panic!("{round}: {error}"));
        let answer = read_to_end(&mut stream).await;
        assert!(answer.starts_with("HTTP/1.1 413 "), "{round}: {answer}");
        assert!(answer.contains("\r\nconnection: close\r\n"), "{answer}");
        assert!(answer.ends_with("refused"), "{round}: {answer}");
    }
    server.stop().await;

    let soon = Duration::from_millis(100);
    let server = Running::with(|l| (l.discard_bytes, l.discard) = (100_000, soon)).await;
    let answer = server.post("/refuse", chunked(5_000_000), V::Two).await;
    assert_eq!((answer.status, answer.text()), (413, "refused"));
    server.stop().await;
}

#[tokio::test]
async fn consent_is_given_only_to_a_body_that_is_wanted() {
    let server = Running::with(|_| ()).await;
    let head = |path| post(path, "Content-Length: 5\r\nExpect: 100-continue", "");
    let refused = server.exchange(head("/refuse")).await;
    assert!(refused.starts_with("HTTP/1.1 413 "), "{refused}");
    assert!(refused.ends_with("refused"), "{refused}");
    // A body that came all the same is read, and the connection goes on.
    for body in [
        post("/refuse", "Content-Length: 5", "abcde"),
        post(
            "/refuse",
            "Transfer-Encoding: chunked",
            "1\r\na\r\n0\r\n\r\n",
        ),
    ] {
        let both = server.exchange(body + &last("/hello")).await;
        assert!(both.contains("refusedHTTP/1.1 200"), "{both}");
    }
    let mut stream = server.sent(head("/echo")).await;
    let mut consent = [0; 25];
    let read = timeout(HANGS, stream.read_exact(&mut consent)).await;
    read.expect("in time").unwrap();
    assert_eq!(&consent, b"HTTP/1.1 100 Continue\r\n\r\n");
    let rest = "abcde".to_owned() + &last("/hello");
    stream.write_all(rest.as_bytes()).await.unwrap();
    let rest = read_to_end(&mut stream).await;
    assert!(rest.contains("abcdeHTTP/1.1 200"), "{rest}");
    assert!(rest.ends_with("hello"), "{rest}");
    server.stop().await;
}

/// Only the pace counts, however long all of it takes.
#[tokio::test]
async fn a_slow_but_steady_body_is_taken_and_a_trickle_is_not() {
    let server = Running::with(|limits| limits.upload = pace(1000, 250 * MS)).await;
    for version in BOTH {
        let answer = server
            .post("/echo", slow(40, vec![b'x'; 500], 20 * MS), version)
            .await;
        assert_eq!(
            (answer.status, answer.body.len()),
            (200, 20_000),
            "{version:?}"
        );
    }
    server.stop().await;

    let trickle = |l: &mut _| paced(l, 1_000_000, 200 * MS);
    let server = Running::with(trickle).await;
    let answer = server
        .post("/echo", slow(usize::MAX, vec![b'x'], 5 * MS), V::Two)
        .await;
    assert_eq!(answer.status, 408);
    server.stop().await;

    let server = Running::with(|l| paced(l, 1000, 50 * MS)).await;
    for (headers, part) in [
        ("Content-Length: 9", "abc"),
        ("Transfer-Encoding: chunked", "3\r\nab"),
    ] {
        let answer = server.exchange(post("/echo", headers, part)).await;
        assert!(answer.starts_with("HTTP/1.1 408 "), "{answer}");
        assert!(answer.ends_with("too slow"), "{answer}");
    }
    let endless = Body::wrap_stream(stream::pending::<std::io::Result<Bytes>>());
    assert_eq!(server.post("/echo", endless, V::Two).await.status, 408);
    // A broken one is told apart.
    let broken = post("/echo", "Transfer-Encoding: chunked", "xyz\r\n");
    let answer = server.exchange(broken).await;
    assert!(
        answer.starts_with("HTTP/1.1 400 ") && answer.ends_with("broken"),
        "{answer}"
    );
    server.stop().await;
}

const MS: Duration = Duration::from_millis(1);

fn paced(limits: &mut connect_server::net::Limits, bytes: usize, within: Duration) {
    (limits.upload, limits.discard) = (pace(bytes, within), 50 * MS);
}

const LARGE: usize = 500_000;

/// Sends a large body without its last byte.
async fn unfinished(server: &Running) -> TcpStream {
    let headers = format!("Connection: close\r\nContent-Length: {LARGE}");
    server
        .sent(post("/echo", &headers, &"x".repeat(LARGE - 1)))
        .await
}

/// A quarter of the budget is for small ones.
#[tokio::test]
async fn large_bodies_beyond_the_budget_are_refused_and_small_ones_served() {
    let server = Running::with(|limits| limits.body_bytes = 2_000_000).await;
    let early = post(
        "/echo",
        "Content-Length: 500000\r\nExpect: 100-continue",
        "",
    );
    let post = async |length| server.post("/echo", vec![b'x'; length], V::One).await;
    let mut open = Vec::new();
    for round in 1..=3 {
        open.push(unfinished(&server).await);
        let holds = |load: &Load| load.body_bytes() == round * (LARGE - 1);
        server.holds("the part that is here counts", holds).await;
    }
    for length in [LARGE, 100_000] {
        assert_eq!(post(length).await.status, 503);
    }
    let early = server.exchange(early).await;
    assert!(
        early.starts_with("HTTP/1.1 503 "),
        "without consent: {early}"
    );
    // It is refused while it comes when its length was not announced.
    assert_eq!(
        server.post("/echo", chunked(LARGE), V::Two).await.status,
        503
    );
    let small = post(60_000).await;
    assert_eq!((small.status, small.body.len()), (200, 60_000));
    // One that is finished makes room, and so does one that breaks off.
    let mut first = open.remove(0);
    first.write_all(b"x").await.unwrap();
    assert!(read_to_end(&mut first).await.starts_with("HTTP/1.1 200 "));
    drop(open.remove(0));
    let one_left = |load: &Load| load.body_bytes() == LARGE - 1;
    server.holds("two are gone", one_left).await;
    let large = post(LARGE).await;
    assert_eq!((large.status, large.body.len()), (200, LARGE));
    drop(open);
    server
        .holds("nothing is left", |load| load.body_bytes() == 0)
        .await;
    server.stop().await;
}

#[tokio::test]
async fn a_body_that_ends_too_early_is_broken_at_once() {
    let server = Running::with(|_| ()).await;
    for request in [
        post("/echo", "Content-Length: 5", "ab"),
        post("/echo", "Transfer-Encoding: chunked", "2\r\nab\r\n"),
        String::new(),
        "GET /hello HT".to_owned(),
        get("/hello").trim_end().to_owned() + "\r\n",
    ] {
        // The app's answer to it does not matter: what counts is that the connection ends.
        let mut stream = server.sent(&request).await;
        stream.shutdown().await.unwrap();
        let answer = read_to_end(&mut stream).await;
        assert!(!answer.contains(" 200 "), "{request}: {answer}");
    }
    server.stop().await;
}
