//! Connections that cost the server much and the client little. The attacks of the end-to-end tests have
//! more of them, and hold the memory of a server to its bound; here are the limits one by one.

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

use tokio::{
    io::{AsyncReadExt as _, AsyncWriteExt as _},
    net::TcpStream,
    time::timeout,
};

use super::kit::{HANGS, NEVER, Running, V, get, last, read_to_end};

const DATA: u8 = 0;
const HEADERS: u8 = 1;
const RST_STREAM: u8 = 3;
const SETTINGS: u8 = 4;
const PING: u8 = 6;
const WINDOW_UPDATE: u8 = 8;

const END_STREAM: u8 = 1;
const END_HEADERS: u8 = 4;

/// The bytes that a request counts beside its answer.
const REQUEST: usize = 6 * 1024;

/// The head of `POST http://x/refuse`.
const REFUSED: &[u8] = b"\x83\x86\x44\x07/refuse\x41\x01x";

/// A frame of HTTP/2.
pub(crate) fn frame(kind: u8, flags: u8, stream: u32, payload: &[u8]) -> Vec<u8> {
    let length = u32::try_from(payload.len()).unwrap().to_be_bytes();
    let head = [&length[1..], &[kind, flags], &stream.to_be_bytes()].concat();
    [&head, payload].concat()
}

/// The beginning of a connection with so many requests of one head.
fn requests(count: u32, flags: u8, head: &[u8]) -> Vec<u8> {
    let opening = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".to_vec();
    let requests = (0..count).map(|number| frame(HEADERS, flags, 2 * number + 1, head));
    [
        opening,
        frame(SETTINGS, 0, 0, &[]),
        requests.collect::<Vec<_>>().concat(),
    ]
    .concat()
}

/// Sends bytes and a ping, and waits for the answer to the ping.
async fn pinged(server: &Running, bytes: Vec<u8>) -> TcpStream {
    let mut stream = server.sent(bytes).await;
    ping(&mut stream).await;
    stream
}

/// Sends a ping. Returns the kinds of frames up to its answer.
async fn ping(stream: &mut TcpStream) -> Vec<u8> {
    let sent = stream.write_all(&frame(PING, 0, 0, &[7; 8])).await;
    sent.unwrap();
    let mut kinds = Vec::new();
    let answered = async {
        let mut head = [0; 9];
        while (head[3], head[4]) != (PING, 1) {
            stream.read_exact(&mut head).await.unwrap();
            let length = usize::from(u16::from_be_bytes([head[1], head[2]]));
            stream.read_exact(&mut vec![0; length]).await.unwrap();
            kinds.push(head[3]);
        }
    };
    timeout(HANGS, answered).await.expect("read in the end");
    kinds
}

/// Some clients forget the answer when its stream is reset.
#[tokio::test]
async fn a_stream_with_an_unread_body_is_not_reset_at_once() {
    let server = Running::with(|l| (l.discard_bytes, l.discard) = (0, NEVER)).await;
    let head = requests(1, END_HEADERS, REFUSED);
    let mut stream = server.sent([head, frame(DATA, 0, 1, b"ab")].concat()).await;
    let mut kinds = Vec::new();
    while !kinds.contains(&DATA) {
        kinds.extend(ping(&mut stream).await);
    }
    kinds.extend(ping(&mut stream).await);
    assert!(!kinds.contains(&RST_STREAM), "{kinds:?}");
    drop(stream);
    server.stop().await;
}

#[tokio::test]
async fn frames_that_ask_for_little_are_read_at_a_pace() {
    let server = Running::with(|limits| limits.h2_frames = 1000).await;
    let begin = Instant::now();
    let updates = frame(WINDOW_UPDATE, 0, 0, &1_u32.to_be_bytes()).repeat(4000);
    pinged(&server, [requests(0, 0, b""), updates].concat()).await;
    // Three seconds' worth beside their own bytes. One second is free, and so are those read last.
    assert!(
        begin.elapsed() > Duration::from_millis(500),
        "{:?}",
        begin.elapsed()
    );
    server.stop().await;

    // However few frames are allowed, those of bodies make up for themselves.
    let server = Running::with(|limits| limits.h2_frames = 1).await;
    let body = vec![b'x'; 900_000];
    let answer = server.post("/echo", body.clone(), V::Two).await;
    assert!(answer.status == 200 && answer.body == body);
    server.stop().await;
}

/// With a stream all others of its connection stay in memory.
#[tokio::test]
async fn what_a_client_left_half_sent_goes_with_its_connection() {
    let runtime = tokio::runtime::Handle::current();
    let tasks = || runtime.metrics().num_alive_tasks();
    let server = Running::with(|limits| limits.discard = NEVER).await;
    let before = tasks();
    let bytes = requests(50, END_HEADERS, REFUSED);
    let stream = server.sent(bytes).await;
    let all = |load: &connect_server::net::Load| load.answer_bytes() >= 50 * REQUEST;
    server.holds("the requests", all).await;
    drop(stream);
    server.holds("nothing", |_| tasks() == before).await;
    server.stop().await;
}

/// A connection that is to be cut waits for its turn behind requests that have begun: others must not
/// begin more of them meanwhile.
#[tokio::test]
async fn what_is_held_stays_near_its_limit_however_many_begin_at_once() {
    const MOST: usize = 40 * REQUEST;
    let server = Running::with(|limits| limits.answer_bytes = MOST).await;
    // GET http://x/wait
    let head = b"\x82\x86\x44\x05/wait\x41\x01x";
    let bytes = requests(20, END_HEADERS | END_STREAM, head);
    // The server has no turn until all have sent.
    let open = [(); 30].map(|()| {
        let mut stream = net::TcpStream::connect(server.address).unwrap();
        stream.write_all(&bytes).unwrap();
        stream
    });
    let stop = Arc::new(AtomicBool::new(false));
    let (load, stopped) = (server.load.clone(), stop.clone());
    let watch = thread::spawn(move || {
        let mut most = 0;
        while !stopped.load(Relaxed) {
            most = most.max(load.answer_bytes());
        }
        most
    });
    server
        .holds("some were read", |load| load.answer_bytes() >= MOST)
        .await;
    server
        .holds("and others cut", |load| load.connections() <= 3)
        .await;
    stop.store(true, Relaxed);
    let most = watch.join().unwrap();
    assert!(most <= 2 * MOST, "{most} bytes");
    drop(open);
    server.app.go.add_permits(1000);
    server.stop().await;
}

#[tokio::test]
async fn http_1_has_no_header_table() {
    let server = Running::with(|limits| limits.h2_header_table_bytes = 0).await;
    let both = server.exchange(get("/hello") + &last("/hello")).await;
    assert!(both.contains("helloHTTP/1.1 200"), "{both}");
    server.stop().await;
}

/// An entry of the header table keeps the buffer that it was read into.
#[tokio::test]
async fn a_header_table_that_keeps_much_ends_its_connection() {
    let server = Running::with(|limits| limits.h2_header_table_bytes = 100_000).await;
    // GET http://x/hello, with a header `k` for the table.
    let short = b"\x82\x86\x44\x06/hello\x41\x01x\x40\x01k\x00";
    // A header `f` of 12 000 bytes, not for the table.
    let filler = [b"\x00\x01f\x7f\xe1\x5c".to_vec(), vec![b'f'; 12_000]].concat();
    let flags = END_HEADERS | END_STREAM;
    // Short heads are served.
    drop(pinged(&server, requests(90, flags, short)).await);
    let mut stream = server.connect().await;
    let long = requests(20, flags, &[&short[..], &filler].concat());
    // The server may have closed before it read the last ones.
    let _ = stream.write_all(&long).await;
    read_to_end(&mut stream).await;
    server
        .holds("nothing", |load| load.answer_bytes() == 0)
        .await;
    server.stop().await;
}
