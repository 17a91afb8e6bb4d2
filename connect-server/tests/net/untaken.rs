//! Answers that the client does not take, or takes slowly.

use std::time::Duration;

use connect_server::net::{Limits, Load};
use http_body_util::BodyExt as _;
use tokio::{
    io::AsyncReadExt as _,
    net::TcpSocket,
    task::JoinHandle,
    time::{sleep, timeout},
};

use super::kit::{HANGS, NEVER, PAGE, Running, SOON, ask, get, last, pace};

/// The bytes that count for a request of `/page`.
const EACH: usize = PAGE + 6144;

/// A server with connections ended only by the pace of answers.
async fn paced<T>(
    bytes: usize,
    within: Duration,
    change: impl FnOnce(&mut Limits) -> T,
) -> Running {
    Running::with(|limits| {
        (limits.head, limits.idle, limits.drain) = (NEVER, NEVER, SOON);
        limits.download = pace(bytes, within);
        change(limits);
    })
    .await
}

async fn ends(connection: JoinHandle<hyper::Result<()>>) {
    let ended = timeout(HANGS, connection).await;
    let _ = ended.expect("the server ends the connection").unwrap();
}

fn is_free(load: &Load) -> bool {
    load.answer_bytes() == 0
}

/// Also when the client makes room for a part: the server has then handed over all of a short
/// answer, and its last byte is never taken.
#[tokio::test]
async fn an_answer_that_is_not_taken_ends_the_connection() {
    let server = paced(16_384, SOON, |_| ()).await;
    for (path, window) in [
        ("/page", 0),
        ("/page", 50_000),
        ("/hello", 0),
        ("/hello", 1),
    ] {
        let (mut sender, connection) = server.http2(window).await;
        let _untaken = ask(&mut sender, path).await.unwrap();
        ends(connection).await;
        server.holds("nothing is left of it", is_free).await;
    }
    // Other requests on the connection hide it no more than pings do.
    let (mut sender, connection) = server.http2(4).await;
    let _untaken = ask(&mut sender, "/hello").await.unwrap();
    while let Ok(other) = ask(&mut sender, "/nothing").await {
        let _ = other.into_body().collect().await;
    }
    ends(connection).await;
    server.stop().await;

    let server = paced(16_384, SOON, |limits| limits.drain = NEVER).await;
    let stream = server.sent(get("/big")).await;
    stream.readable().await.expect("the answer begins");
    // Stopping waits for this answer, and this client never takes it.
    server.stop().await;
}

/// A byte now and then is not reading.
#[tokio::test]
async fn nor_does_a_trickle_keep_it() {
    let slow = Duration::from_millis(300);
    let server = paced(10_000_000, slow, |limits| limits.drain = NEVER).await;
    let mut stream = server.sent(get("/big")).await;
    let trickle = tokio::spawn(async move {
        while stream.read_exact(&mut [0; 10_000]).await.is_ok() {
            sleep(Duration::from_millis(5)).await;
        }
    });
    server
        .holds("it is cut", |load| load.connections() == 0)
        .await;
    trickle.await.unwrap();
    server.stop().await;
}

/// It takes far longer than any limit on time: only the pace counts.
#[tokio::test]
async fn a_slow_but_steady_reader_gets_it_all() {
    let small = |l: &mut Limits| (l.idle, l.send_buffer) = (SOON, 16_384);
    let server = paced(16_384, Duration::from_millis(500), small).await;
    // A connection whose system keeps little for the client.
    let socket = TcpSocket::new_v4().unwrap();
    socket.set_recv_buffer_size(8192).unwrap();
    let mut stream = socket.connect(server.address).await.unwrap();
    let request = last("/page");
    tokio::io::AsyncWriteExt::write_all(&mut stream, request.as_bytes())
        .await
        .unwrap();
    let (mut all, mut piece) = (0, [0; 4096]);
    while let read @ 1.. = stream.read(&mut piece).await.unwrap() {
        all += read;
        sleep(Duration::from_millis(25)).await;
    }
    assert!(all > PAGE, "{all}");

    let (mut sender, _connection) = server.http2(16_384).await;
    let mut body = ask(&mut sender, "/page").await.unwrap().into_body();
    let mut all = 0;
    while let Some(frame) = body.frame().await {
        all += frame.unwrap().into_data().unwrap().len();
        sleep(Duration::from_millis(100)).await;
    }
    assert_eq!(all, PAGE);
    server.stop().await;
}

/// A client that takes nothing gets little made: its further requests wait.
#[tokio::test]
async fn requests_wait_while_answers_before_them_are_not_taken() {
    let server = paced(16_384, NEVER, |limits| limits.h2_answer_bytes = EACH + 6144).await;
    let (mut sender, _connection) = server.http2(0).await;
    let mut taken = Vec::new();
    for _ in 0..2 {
        taken.push(ask(&mut sender, "/page").await.unwrap());
        server.entered().await;
    }
    assert_eq!(server.load.answer_bytes(), 2 * EACH);
    let mut third = tokio::spawn(async move { ask(&mut sender, "/page").await });
    assert!(timeout(SOON, &mut third).await.is_err(), "it waits");
    assert_eq!(server.unknown(), 0);
    // The client gives up the first, which makes room.
    drop(taken.remove(0));
    third.await.unwrap().expect("goes on");
    server.stop().await;
}

/// What all clients together do not take is bounded too: who holds most goes.
#[tokio::test]
async fn the_connection_that_holds_most_is_cut_when_there_is_too_much() {
    let server = paced(16_384, NEVER, |limits| limits.answer_bytes = 4 * EACH).await;
    let (mut greedy, greedys) = server.http2(0).await;
    let (mut modest, modests) = server.http2(0).await;
    let _one = ask(&mut modest, "/page").await.unwrap();
    let mut untaken = Vec::new();
    for _ in 0..3 {
        untaken.push(ask(&mut greedy, "/page").await.unwrap());
    }
    assert_eq!(server.load.answer_bytes(), 4 * EACH);
    let _ = ask(&mut greedy, "/page").await;
    ends(greedys).await;
    let rest = |load: &Load| load.answer_bytes() == EACH;
    server.holds("the other stays", rest).await;
    assert!(!modests.is_finished());
    server.stop().await;
}
