//! Connections that cost the server much and the client little.

use std::time::{Duration, Instant};

use connect_server::net::Limits;
use http::StatusCode;
use tokio::{
    io::{AsyncReadExt as _, AsyncWriteExt as _},
    net::TcpStream,
    time::timeout,
};

use super::harness::{HANGS, Running, client};

const HEADERS: u8 = 1;
const SETTINGS: u8 = 4;
const PING: u8 = 6;
const WINDOW_UPDATE: u8 = 8;

const END_HEADERS: u8 = 4;

const PREFACE: &[u8] = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n";

/// A frame of HTTP/2.
fn frame(kind: u8, flags: u8, stream: u32, payload: &[u8]) -> Vec<u8> {
    let length = u32::try_from(payload.len()).expect("short").to_be_bytes();
    let head = [&length[1..], &[kind, flags], &stream.to_be_bytes()].concat();
    [&head, payload].concat()
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
    let mut bytes = [PREFACE.to_vec(), frame(SETTINGS, 0, 0, &[])].concat();
    for number in 0..50 {
        // POST http://x/refuse, without the end of the stream.
        let head = b"\x83\x86\x44\x07/refuse\x41\x01x";
        bytes.extend(frame(HEADERS, END_HEADERS, 2 * number + 1, head));
    }
    stream.write_all(&bytes).await.expect("writes");
    server
        .holds("the requests", |load| load.answer_bytes() >= 50 * 4096)
        .await;
    drop(stream);
    server.holds("nothing", |_| tasks() == before).await;
    server.stop().await;
}
