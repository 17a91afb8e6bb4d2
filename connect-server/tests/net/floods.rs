//! Connections that cost the server much and the client little.

use std::{
    io::Write as _,
    net,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering::Relaxed},
    },
    thread,
    time::{Duration, Instant},
};

use connect_server::net::{Limits, Listen, PlainHttp};
use http::StatusCode;
use tokio::{
    io::{AsyncReadExt as _, AsyncWriteExt as _},
    net::TcpStream,
    time::timeout,
};

use super::harness::{HANGS, Running, client, loopback};

const HEADERS: u8 = 1;
const SETTINGS: u8 = 4;
const PING: u8 = 6;
const WINDOW_UPDATE: u8 = 8;

const END_STREAM: u8 = 1;
const END_HEADERS: u8 = 4;

/// The bytes that a request counts beside its answer.
const REQUEST: usize = 6 * 1024;

const PREFACE: &[u8] = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n";

/// A frame of HTTP/2.
fn frame(kind: u8, flags: u8, stream: u32, payload: &[u8]) -> Vec<u8> {
    let length = u32::try_from(payload.len()).expect("short").to_be_bytes();
    let head = [&length[1..], &[kind, flags], &stream.to_be_bytes()].concat();
    [&head, payload].concat()
}

/// The beginning of a connection with so many requests of one head.
fn requests(count: u32, flags: u8, head: &[u8]) -> Vec<u8> {
    let opening = [PREFACE.to_vec(), frame(SETTINGS, 0, 0, &[])].concat();
    (0..count).fold(opening, |mut bytes, number| {
        bytes.extend(frame(HEADERS, flags, 2 * number + 1, head));
        bytes
    })
}

/// Reads frames up to one of this kind that answers another.
async fn answer_to(kind: u8, stream: &mut TcpStream) {
    loop {
        let mut head = [0; 9];
        stream.read_exact(&mut head).await.expect("a frame");
        let length = usize::from(u16::from_be_bytes([head[1], head[2]]));
        let mut payload = vec![0; length];
        stream.read_exact(&mut payload).await.expect("its payload");
        let is_ack = head[4] == 1;
        if head[3] == kind && is_ack {
            return;
        }
    }
}

#[tokio::test]
async fn frames_that_ask_for_little_are_read_at_a_pace() {
    let server = Running::plain(Limits {
        h2_frames: 1000,
        ..Limits::default()
    })
    .await;
    let mut stream = server.connect().await;
    let begin = Instant::now();
    let bytes = [
        PREFACE.to_vec(),
        frame(SETTINGS, 0, 0, &[]),
        frame(WINDOW_UPDATE, 0, 0, &1_u32.to_be_bytes()).repeat(4000),
        frame(PING, 0, 0, &[7; 8]),
    ]
    .concat();
    stream.write_all(&bytes).await.expect("writes");
    let answered = timeout(HANGS, answer_to(PING, &mut stream)).await;
    answered.expect("read in the end");
    // Three seconds' worth beside their own bytes. One second is free, and so are those read last.
    let took = begin.elapsed();
    assert!(took > Duration::from_millis(500), "{took:?}");
    drop(stream);
    server.stop().await;
}

/// However few frames are allowed, those of bodies make up for themselves.
#[tokio::test]
async fn bodies_are_not_held_up_by_their_frames() {
    let server = Running::plain(Limits {
        h2_frames: 1,
        ..Limits::default()
    })
    .await;
    let body = vec![b'x'; 900_000];
    let request = client(true).post(server.url("/echo")).body(body.clone());
    let answer = timeout(HANGS, request.send()).await.expect("in time");
    let answer = answer.expect("an answer");
    assert_eq!(answer.status(), StatusCode::OK);
    assert_eq!(answer.bytes().await.expect("a body"), body);
    server.stop().await;
}

/// With a stream all others of its connection stay in memory.
#[tokio::test]
async fn what_a_client_left_half_sent_goes_with_its_connection() {
    let tasks = || {
        tokio::runtime::Handle::current()
            .metrics()
            .num_alive_tasks()
    };
    let server = Running::plain(Limits {
        discard: 3 * HANGS,
        ..Limits::default()
    })
    .await;
    let before = tasks();
    let mut stream = server.connect().await;
    // POST http://x/refuse, without the end of the stream.
    let bytes = requests(50, END_HEADERS, b"\x83\x86\x44\x07/refuse\x41\x01x");
    stream.write_all(&bytes).await.expect("writes");
    server
        .holds("the requests", |load| load.answer_bytes() >= 50 * REQUEST)
        .await;
    drop(stream);
    server.holds("nothing", |_| tasks() == before).await;
    server.stop().await;
}

/// A connection that is to be cut waits for its turn behind requests that have begun: others must not
/// begin more of them meanwhile.
#[tokio::test]
async fn what_is_held_stays_near_its_limit_however_many_begin_at_once() {
    const MOST: usize = 40 * REQUEST;
    let server = Running::plain(Limits {
        answer_bytes: MOST,
        ..Limits::default()
    })
    .await;
    // GET http://x/wait
    let head = b"\x82\x86\x44\x05/wait\x41\x01x";
    let bytes = requests(20, END_HEADERS | END_STREAM, head);
    // The server has no turn until all have sent.
    let open: Vec<_> = (0..30)
        .map(|_| {
            let mut stream = net::TcpStream::connect(server.address).expect("connects");
            stream.write_all(&bytes).expect("writes");
            stream
        })
        .collect();
    let stop = Arc::new(AtomicBool::new(false));
    let watch = {
        let (load, stop) = (server.load.clone(), stop.clone());
        thread::spawn(move || {
            let mut most = 0;
            while !stop.load(Relaxed) {
                most = most.max(load.answer_bytes());
            }
            most
        })
    };
    server
        .holds("some were read", |load| load.answer_bytes() >= MOST)
        .await;
    server
        .holds("and others cut", |load| load.connections() <= 3)
        .await;
    stop.store(true, Relaxed);
    let most = watch.join().expect("a thread");
    assert!(most <= 2 * MOST, "{most} bytes");
    drop(open);
    server.app.go.add_permits(1000);
    server.stop().await;
}

/// An entry of the header table keeps the buffer that it was read into.
#[tokio::test]
async fn a_header_table_that_keeps_much_ends_its_connection() {
    let server = Running::plain(Limits {
        h2_header_table_bytes: 100_000,
        ..Limits::default()
    })
    .await;
    // GET http://x/hello, with a header `k` for the table.
    let short = b"\x82\x86\x44\x06/hello\x41\x01x\x40\x01k\x00";
    // A header `f` of 12 000 bytes, not for the table.
    let filler = [b"\x00\x01f\x7f\xe1\x5c".to_vec(), vec![b'f'; 12_000]].concat();
    let flags = END_HEADERS | END_STREAM;

    let mut stream = server.connect().await;
    let ping = frame(PING, 0, 0, &[7; 8]);
    let bytes = [requests(90, flags, short), ping].concat();
    stream.write_all(&bytes).await.expect("writes");
    let answered = timeout(HANGS, answer_to(PING, &mut stream)).await;
    answered.expect("short heads are served");
    drop(stream);

    let mut stream = server.connect().await;
    let long = [&short[..], &filler].concat();
    // The server may have closed before it read the last ones.
    let _ = stream.write_all(&requests(20, flags, &long)).await;
    let mut sink = Vec::new();
    let ended = timeout(HANGS, stream.read_to_end(&mut sink)).await;
    let _ = ended.expect("the server ends the connection");
    server
        .holds("nothing", |load| load.answer_bytes() == 0)
        .await;
    server.stop().await;
}

#[tokio::test]
async fn who_was_refused_is_not_read_for_a_while() {
    for http2 in [false, true] {
        let server = Running::plain(Limits {
            refusal_pause: Duration::from_millis(50),
            ..Limits::default()
        })
        .await;
        let (client, begin) = (client(http2), Instant::now());
        for path in ["/limited", "/limited", "/limited", "/hello"] {
            let answer = client.get(server.url(path)).send();
            timeout(HANGS, answer)
                .await
                .expect("in time")
                .expect("an answer");
        }
        let took = begin.elapsed();
        assert!(took >= Duration::from_millis(150), "{took:?}");
        server.stop().await;
    }
}

/// A trusted proxy speaks for many, of whom only some were refused.
#[tokio::test]
async fn a_trusted_proxy_is_always_read() {
    let server = Running::start(Listen {
        limits: Limits {
            refusal_pause: 10 * HANGS,
            ..Limits::default()
        },
        plain: PlainHttp::BehindProxy("127.0.0.1".parse().expect("an address")),
        ..Listen::on(loopback())
    })
    .await;
    let client = client(true);
    for path in ["/limited", "/limited", "/hello"] {
        let answer = client.get(server.url(path)).send();
        timeout(HANGS, answer)
            .await
            .expect("in time")
            .expect("an answer");
    }
    server.stop().await;
}
