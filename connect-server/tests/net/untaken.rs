//! Answers that the client does not take, or takes slowly.

use std::time::Duration;

use bytes::Bytes;
use connect_server::net::{Limits, Pace};
use http::Response;
use http_body_util::{BodyExt as _, Empty};
use hyper::{
    body::Incoming,
    client::conn::http2::{self, SendRequest},
};
use hyper_util::rt::{TokioExecutor, TokioIo};
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::TcpStream,
    task::JoinHandle,
    time::{sleep, timeout},
};

use super::harness::{HANGS, PAGE, Running};

const SOON: Duration = Duration::from_millis(60);
const NEVER: Duration = Duration::from_secs(3600);

/// The bytes that count for a request of `/page`.
const EACH: usize = PAGE + 6144;

/// Limits under which only the pace of answers ends a connection.
fn paced(bytes: usize, within: Duration) -> Limits {
    Limits {
        download: Pace { bytes, within },
        head: NEVER,
        idle: NEVER,
        drain: SOON,
        ..Limits::default()
    }
}

/// A connection of HTTP/2 on which the client makes room for `window` bytes of each answer.
async fn http2(server: &Running, window: u32) -> (SendRequest<Empty<Bytes>>, JoinHandle<()>) {
    let (sender, connection) = http2::Builder::new(TokioExecutor::new())
        .initial_stream_window_size(window)
        .initial_connection_window_size(1 << 24)
        .handshake(TokioIo::new(server.connect().await))
        .await
        .expect("speaks HTTP/2");
    let ended = tokio::spawn(async move {
        let _ = connection.await;
    });
    (sender, ended)
}

async fn get(sender: &mut SendRequest<Empty<Bytes>>, path: &str) -> Response<Incoming> {
    let request = http::Request::get(format!("http://x{path}")).body(Empty::new());
    let answer = sender.send_request(request.expect("a request"));
    let answer = timeout(HANGS, answer).await.expect("in time");
    answer.expect("an answer")
}

async fn ends(connection: JoinHandle<()>) {
    let ended = timeout(HANGS, connection).await;
    ended
        .expect("the server ends the connection")
        .expect("a task");
}

/// Also when the client makes room for a part: the server has then handed over all of a short
/// answer, and its last byte is never taken.
#[tokio::test]
async fn an_answer_that_is_not_taken_over_http_2_ends_the_connection() {
    let server = Running::plain(paced(16_384, SOON)).await;
    for (path, window) in [
        ("/page", 0),
        ("/page", 50_000),
        ("/hello", 0),
        ("/hello", 1),
    ] {
        let (mut sender, connection) = http2(&server, window).await;
        let _untaken = get(&mut sender, path).await;
        ends(connection).await;
        let free = |load: &connect_server::net::Load| load.answer_bytes() == 0;
        server.holds("nothing is left of it", free).await;
    }
    server.stop().await;
}

/// Other requests on the connection hide it no more than pings do.
#[tokio::test]
async fn answers_that_are_taken_do_not_hide_one_that_is_not() {
    let server = Running::plain(paced(16_384, SOON)).await;
    let (mut sender, connection) = http2(&server, 4).await;
    let _untaken = get(&mut sender, "/hello").await;
    let others = async {
        loop {
            let request = http::Request::get("http://x/nothing").body(Empty::new());
            let Ok(answer) = sender.send_request(request.expect("a request")).await else {
                return;
            };
            let _ = answer.into_body().collect().await;
        }
    };
    timeout(HANGS, others).await.expect("refused in the end");
    ends(connection).await;
    server.stop().await;
}

#[tokio::test]
async fn an_answer_that_is_not_taken_over_http_1_ends_the_connection() {
    let server = Running::plain(Limits {
        drain: NEVER,
        ..paced(16_384, SOON)
    })
    .await;
    let mut stream = server.connect().await;
    let big = b"GET /big HTTP/1.1\r\nHost: x\r\n\r\n";
    stream.write_all(big).await.expect("writes");
    stream.readable().await.expect("the answer begins");
    // Stopping waits for this answer, and this client never takes it.
    server.stop().await;
}

/// A byte now and then is not reading.
#[tokio::test]
async fn nor_does_a_trickle_keep_it() {
    let server = Running::plain(Limits {
        drain: NEVER,
        ..paced(10_000_000, Duration::from_millis(300))
    })
    .await;
    let mut stream = server.connect().await;
    let big = b"GET /big HTTP/1.1\r\nHost: x\r\n\r\n";
    stream.write_all(big).await.expect("writes");
    let trickle = tokio::spawn(async move {
        let mut bytes = [0; 10_000];
        while stream.read_exact(&mut bytes).await.is_ok() {
            sleep(Duration::from_millis(5)).await;
        }
    });
    server
        .holds("it is cut", |load| load.connections() == 0)
        .await;
    trickle.await.expect("a task");
    server.stop().await;
}

/// It takes far longer than any limit on time: only the pace counts.
#[tokio::test]
async fn a_slow_but_steady_reader_gets_it_all() {
    const WITHIN: Duration = Duration::from_secs(1);
    let server = Running::plain(Limits {
        idle: SOON,
        send_buffer: 16_384,
        ..paced(16_384, WITHIN)
    })
    .await;
    let mut stream = slow_receiver(&server).await;
    let request = b"GET /page HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n";
    stream.write_all(request).await.expect("writes");
    let (mut all, mut piece) = (0, [0; 4096]);
    loop {
        match stream.read(&mut piece).await.expect("reads") {
            0 => break,
            read => all += read,
        }
        sleep(Duration::from_millis(40)).await;
    }
    assert!(all > PAGE, "{all}");

    let (mut sender, _connection) = http2(&server, 16_384).await;
    let mut body = get(&mut sender, "/page").await.into_body();
    let mut all = 0;
    while let Some(frame) = body.frame().await {
        all += frame.expect("a piece").into_data().expect("data").len();
        sleep(Duration::from_millis(200)).await;
    }
    assert_eq!(all, PAGE);
    server.stop().await;
}

/// A connection whose system keeps little for the client.
async fn slow_receiver(server: &Running) -> TcpStream {
    let socket = tokio::net::TcpSocket::new_v4().expect("a socket");
    socket.set_recv_buffer_size(8192).expect("a size");
    socket.connect(server.address).await.expect("connects")
}

/// A client that takes nothing gets little made: its further requests wait.
#[tokio::test]
async fn requests_wait_while_answers_before_them_are_not_taken() {
    let server = Running::plain(Limits {
        h2_answer_bytes: EACH + 6144,
        ..paced(16_384, NEVER)
    })
    .await;
    let (mut sender, _connection) = http2(&server, 0).await;
    let mut taken = Vec::new();
    for _ in 0..2 {
        taken.push(get(&mut sender, "/page").await);
        server.entered().await;
    }
    assert_eq!(server.load.answer_bytes(), 2 * EACH);
    let request = http::Request::get("http://x/page").body(Empty::new());
    let mut third = tokio::spawn(sender.send_request(request.expect("a request")));
    assert!(timeout(SOON, &mut third).await.is_err(), "it waits");
    assert_eq!(server.app.entered.available_permits(), 0);
    // The client gives up the first, which makes room.
    drop(taken.remove(0));
    let third = timeout(HANGS, third)
        .await
        .expect("goes on")
        .expect("a task");
    assert!(third.is_ok());
    server.stop().await;
}

/// What all clients together do not take is bounded too: who holds most goes.
#[tokio::test]
async fn the_connection_that_holds_most_is_cut_when_there_is_too_much() {
    let server = Running::plain(Limits {
        answer_bytes: 4 * EACH,
        ..paced(16_384, NEVER)
    })
    .await;
    let (mut greedy, greedys) = http2(&server, 0).await;
    let (mut modest, modests) = http2(&server, 0).await;
    let _one = get(&mut modest, "/page").await;
    let mut untaken = Vec::new();
    for _ in 0..3 {
        untaken.push(get(&mut greedy, "/page").await);
    }
    assert_eq!(server.load.answer_bytes(), 4 * EACH);
    let request = http::Request::get("http://x/page").body(Empty::new());
    let _ = timeout(HANGS, greedy.send_request(request.expect("a request"))).await;
    ends(greedys).await;
    let rest = |load: &connect_server::net::Load| load.answer_bytes() == EACH;
    server.holds("the other stays", rest).await;
    assert!(!modests.is_finished());
    server.stop().await;
}
