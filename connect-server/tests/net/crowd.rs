//! More connections than there is room for.

use std::{net::SocketAddr, time::Duration};

use connect_server::net::{Limits, Listen, PlainHttp};
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::{TcpSocket, TcpStream},
    time::timeout,
};

use super::harness::{HANGS, Running, loopback, read_to_end};

const HELLO: &str = "GET /hello HTTP/1.1\r\nHost: x\r\n\r\n";
const LAST_HELLO: &str = "GET /hello HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n";

fn limits(connections: usize, connections_per_address: usize) -> Limits {
    Limits {
        connections,
        connections_per_address,
        ..Limits::default()
    }
}

/// Connects from another address of this machine.
async fn connect_from(address: [u8; 4], server: &Running) -> TcpStream {
    let socket = TcpSocket::new_v4().expect("a socket");
    socket.bind(SocketAddr::from((address, 0))).expect("binds");
    socket.connect(server.address).await.expect("connects")
}

/// Sends a request and reads its answer, after which the connection is idle.
async fn hello(stream: &mut TcpStream) {
    stream.write_all(HELLO.as_bytes()).await.expect("writes");
    let mut answer = Vec::new();
    while !answer.ends_with(b"hello") {
        let mut bytes = [0; 1024];
        let read = timeout(HANGS, stream.read(&mut bytes)).await;
        let read = read.expect("in time").expect("reads");
        assert_ne!(
            read,
            0,
            "closed after {:?}",
            String::from_utf8_lossy(&answer)
        );
        answer.extend_from_slice(&bytes[..read]);
    }
}

/// Sends a request that the app keeps, so that the connection is busy.
async fn keep_busy(stream: &mut TcpStream, server: &Running) {
    let wait = b"GET /wait HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n";
    stream.write_all(wait).await.expect("writes");
    server.entered().await;
}

#[tokio::test]
async fn when_all_connections_are_busy_others_wait_their_turn() {
    let server = Running::plain(limits(1, 9)).await;
    let mut first = server.connect().await;
    keep_busy(&mut first, &server).await;
    let mut second = server.connect().await;
    second
        .write_all(LAST_HELLO.as_bytes())
        .await
        .expect("writes");
    let mut byte = [0];
    let early = timeout(Duration::from_millis(60), second.read(&mut byte)).await;
    assert!(early.is_err(), "no answer yet");
    server.app.go.add_permits(1);
    let answer = read_to_end(&mut first).await;
    assert!(answer.ends_with("waited"), "{answer}");
    let answer = read_to_end(&mut second).await;
    assert!(answer.ends_with("hello"), "{answer}");
    server.stop().await;
}

#[tokio::test]
async fn the_longest_idle_connection_makes_room() {
    let server = Running::plain(limits(2, 9)).await;
    let (mut older, mut newer) = (server.connect().await, server.connect().await);
    hello(&mut older).await;
    hello(&mut newer).await;
    // The clock of idleness has milliseconds.
    tokio::time::sleep(Duration::from_millis(5)).await;
    hello(&mut older).await;
    let mut third = server.connect().await;
    hello(&mut third).await;
    assert_eq!(read_to_end(&mut newer).await, "", "closed, and not reset");
    hello(&mut older).await;
    server.stop().await;
}

/// Nor does one that speaks HTTP/2 and says nothing when it is asked to leave.
#[tokio::test]
async fn a_silent_client_does_not_keep_its_place() {
    let server = Running::plain(limits(1, 9)).await;
    let mut silent = server.connect().await;
    let preface = "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\0\0\0\u{4}\0\0\0\0\0";
    silent.write_all(preface.as_bytes()).await.expect("writes");
    silent.readable().await.expect("settings");
    let mut other = server.connect().await;
    hello(&mut other).await;
    server.stop().await;
}

#[tokio::test]
async fn an_address_has_its_share() {
    let server = Running::plain(limits(9, 2)).await;
    let mut busy = [server.connect().await, server.connect().await];
    for stream in &mut busy {
        keep_busy(stream, &server).await;
    }
    // A third one of that address is closed, whatever it sends.
    let mut third = server.connect().await;
    let _ = third.write_all(HELLO.as_bytes()).await;
    assert_eq!(read_to_end(&mut third).await, "");
    // Another address is served.
    let mut other = connect_from([127, 0, 0, 2], &server).await;
    hello(&mut other).await;
    assert_eq!(server.load.connections(), 3);
    server.app.go.add_permits(2);
    for stream in &mut busy {
        assert!(read_to_end(stream).await.ends_with("waited"));
    }
    // And so is the first when it has room again.
    server
        .holds("two have ended", |load| load.connections() == 1)
        .await;
    hello(&mut server.connect().await).await;
    server.stop().await;
}

/// A client that opens connections and leaves them idle gets on all the same.
#[tokio::test]
async fn an_idle_connection_of_an_address_makes_room_for_its_next() {
    let server = Running::plain(limits(9, 2)).await;
    let mut other = connect_from([127, 0, 0, 2], &server).await;
    hello(&mut other).await;
    let mut open = Vec::new();
    for _ in 0..20 {
        let mut stream = server.connect().await;
        hello(&mut stream).await;
        open.push(stream);
    }
    assert_eq!(read_to_end(&mut open[0]).await, "");
    hello(open.last_mut().expect("some")).await;
    hello(&mut other).await;
    server.stop().await;
}

#[tokio::test]
async fn a_trusted_proxy_speaks_for_many() {
    let server = Running::start(Listen {
        plain: PlainHttp::BehindProxy("127.0.0.1".parse().expect("an address")),
        limits: limits(9, 2),
        ..Listen::on(loopback())
    })
    .await;
    let mut streams = Vec::new();
    for _ in 0..4 {
        let mut stream = server.connect().await;
        keep_busy(&mut stream, &server).await;
        streams.push(stream);
    }
    server.app.go.add_permits(4);
    for stream in &mut streams {
        assert!(read_to_end(stream).await.ends_with("waited"));
    }
    server.stop().await;
}
