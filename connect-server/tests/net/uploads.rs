//! Bodies that come slowly, and more of them than there is room for.

use std::time::Duration;

use bytes::Bytes;
use connect_server::net::{Limits, Pace};
use futures_util::{StreamExt as _, stream};
use http::StatusCode;
use tokio::{io::AsyncWriteExt, net::TcpStream, time::sleep};

use super::harness::{Running, client, read_to_end};

/// Far longer in all than the time that a piece may take.
#[tokio::test]
async fn a_slow_but_steady_upload_is_taken() {
    let server = Running::plain(Limits {
        upload: Pace {
            bytes: 1000,
            within: Duration::from_millis(500),
        },
        ..Limits::default()
    })
    .await;
    let pieces = || {
        stream::iter(0..60).then(|_| async {
            sleep(Duration::from_millis(25)).await;
            Ok::<_, std::io::Error>(Bytes::from(vec![b'x'; 500]))
        })
    };
    for http2 in [false, true] {
        let body = reqwest::Body::wrap_stream(pieces());
        let request = client(http2).post(server.url("/echo")).body(body);
        let answer = request.send().await.expect("an answer");
        assert_eq!(answer.status(), StatusCode::OK, "HTTP/2: {http2}");
        assert_eq!(answer.bytes().await.expect("a body").len(), 30_000);
    }
    server.stop().await;
}

#[tokio::test]
async fn a_trickle_is_not() {
    let server = Running::plain(Limits {
        upload: Pace {
            bytes: 1_000_000,
            within: Duration::from_millis(200),
        },
        discard: Duration::from_millis(50),
        ..Limits::default()
    })
    .await;
    let pieces = stream::repeat(()).then(|()| async {
        sleep(Duration::from_millis(5)).await;
        Ok::<_, std::io::Error>(Bytes::from_static(b"x"))
    });
    let body = reqwest::Body::wrap_stream(pieces);
    let request = client(true).post(server.url("/echo")).body(body);
    let answer = request.send().await.expect("an answer");
    assert_eq!(answer.status(), StatusCode::REQUEST_TIMEOUT);
    server.stop().await;
}

const LARGE: usize = 500_000;

/// Sends a part of a body and leaves it there.
async fn unfinished(server: &Running, sent: usize) -> TcpStream {
    let mut stream = server.connect().await;
    let head = format!(
        "POST /echo HTTP/1.1\r\nHost: x\r\nConnection: close\r\nContent-Length: {LARGE}\r\n\r\n"
    );
    stream.write_all(head.as_bytes()).await.expect("writes");
    stream.write_all(&vec![b'x'; sent]).await.expect("writes");
    stream
}

#[tokio::test]
async fn large_bodies_beyond_the_budget_are_refused_and_small_ones_served() {
    // A quarter is for small ones.
    let server = Running::plain(Limits {
        body_bytes: 2_000_000,
        ..Limits::default()
    })
    .await;
    let post = |body: Vec<u8>| client(false).post(server.url("/echo")).body(body).send();
    let mut open = Vec::new();
    for round in 1..=3 {
        open.push(unfinished(&server, LARGE - 1).await);
        let held = round * (LARGE - 1);
        let holds = |load: &connect_server::net::Load| load.body_bytes() == held;
        server.holds("the part that is here counts", holds).await;
    }
    for body in [vec![b'x'; LARGE], vec![b'x'; 100_000]] {
        let refused = post(body).await.expect("an answer");
        assert_eq!(refused.status(), StatusCode::SERVICE_UNAVAILABLE);
    }
    // It is refused while it comes when its length was not announced.
    let piece = Bytes::from(vec![b'x'; 50_000]);
    let pieces = (0..10).map(move |_| Ok::<_, std::io::Error>(piece.clone()));
    let unannounced = reqwest::Body::wrap_stream(stream::iter(pieces));
    let request = client(true).post(server.url("/echo")).body(unannounced);
    let refused = request.send().await.expect("an answer");
    assert_eq!(refused.status(), StatusCode::SERVICE_UNAVAILABLE);
    let small = post(vec![b'x'; 60_000]).await.expect("an answer");
    assert_eq!(small.status(), StatusCode::OK);
    assert_eq!(small.bytes().await.expect("a body").len(), 60_000);
    // One that is finished makes room, and so does one that breaks off.
    let mut first = open.remove(0);
    first.write_all(b"x").await.expect("writes");
    assert!(read_to_end(&mut first).await.starts_with("HTTP/1.1 200 "));
    drop(open.remove(0));
    let one_left = |load: &connect_server::net::Load| load.body_bytes() == LARGE - 1;
    server.holds("two are gone", one_left).await;
    let large = post(vec![b'x'; LARGE]).await.expect("an answer");
    assert_eq!(large.status(), StatusCode::OK);
    assert_eq!(large.bytes().await.expect("a body").len(), LARGE);
    drop(open);
    server
        .holds("nothing is left", |load| load.body_bytes() == 0)
        .await;
    server.stop().await;
}

/// Bytes of memory that this process has in use.
fn resident() -> usize {
    let status = std::fs::read_to_string("/proc/self/status").expect("Linux");
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"));
    let kilobytes = line.and_then(|line| line.trim().strip_suffix(" kB"));
    kilobytes
        .expect("a size")
        .parse::<usize>()
        .expect("a number")
        * 1024
}

/// 300 unfinished bodies of 1 MB once took 300 MB and more.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn memory_stays_bounded_under_unfinished_bodies() {
    const BUDGET: usize = 16 * 1024 * 1024;
    let server = Running::plain(Limits {
        body_bytes: BUDGET,
        connections_per_address: 300,
        discard: Duration::from_millis(100),
        ..Limits::default()
    })
    .await;
    let before = resident();
    let part: &'static [u8] = vec![b'x'; 900_000].leak();
    let mut open = Vec::new();
    for _ in 0..300 {
        let mut stream = server.connect().await;
        let head = "POST /echo HTTP/1.1\r\nHost: x\r\nContent-Length: 1000000\r\n\r\n";
        stream.write_all(head.as_bytes()).await.expect("writes");
        // Refused ones may be closed before all is written.
        let _ = stream.write_all(part).await;
        open.push(stream);
        assert!(server.load.body_bytes() <= BUDGET);
    }
    assert!(server.load.body_bytes() > BUDGET / 2, "{:?}", server.load);
    let grown = resident().saturating_sub(before);
    assert!(grown < 8 * BUDGET, "grown by {grown} bytes");
    drop(open);
    server
        .holds("nothing is left", |load| load.body_bytes() == 0)
        .await;
    server.stop().await;
}
