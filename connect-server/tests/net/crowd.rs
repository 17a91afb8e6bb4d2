//! More connections than there is room for.

use std::{net::SocketAddr, time::Duration};

use tokio::{
    io::{AsyncReadExt as _, AsyncWriteExt as _},
    net::{TcpSocket, TcpStream},
    time::timeout,
};

use super::kit::{HANGS, Running, get, last, read_to_end};

/// A server with room for so many connections, and for so many of one address.
async fn with_room(connections: usize, per_address: usize) -> Running {
    Running::with(|l| (l.connections, l.connections_per_address) = (connections, per_address)).await
}

/// Connects from another address of this machine.
async fn connect_from(address: [u8; 4], server: &Running) -> TcpStream {
    let socket = TcpSocket::new_v4().unwrap();
    socket.bind(SocketAddr::from((address, 0))).unwrap();
    socket.connect(server.address).await.unwrap()
}

/// Sends a request and reads its answer, after which the connection is idle.
async fn hello(stream: &mut TcpStream) {
    stream.write_all(get("/hello").as_bytes()).await.unwrap();
    let mut answer = Vec::new();
    while !answer.ends_with(b"hello") {
        let byte = timeout(HANGS, stream.read_u8()).await.expect("in time");
        answer.push(byte.unwrap_or_else(|_| panic!("closed after {answer:?}")));
    }
}

#[tokio::test]
async fn when_all_connections_are_busy_others_wait_their_turn() {
    let server = with_room(1, 9).await;
    let mut first = server.busy(last("/wait")).await;
    let mut second = server.sent(last("/hello")).await;
    let early = timeout(Duration::from_millis(60), second.read_u8()).await;
    assert!(early.is_err(), "no answer yet");
    server.app.go.add_permits(1);
    assert!(read_to_end(&mut first).await.ends_with("waited"));
    assert!(read_to_end(&mut second).await.ends_with("hello"));
    server.stop().await;
}

#[tokio::test]
async fn the_longest_idle_connection_makes_room() {
    let server = with_room(2, 9).await;
    let (mut older, mut newer) = (server.connect().await, server.connect().await);
    hello(&mut older).await;
    hello(&mut newer).await;
    // The clock of idleness has milliseconds.
    tokio::time::sleep(Duration::from_millis(5)).await;
    hello(&mut older).await;
    hello(&mut server.connect().await).await;
    assert_eq!(read_to_end(&mut newer).await, "", "closed, and not reset");
    hello(&mut older).await;
    server.stop().await;

    // Nor does a client keep its place that speaks HTTP/2 and says nothing when it is asked to leave.
    let server = with_room(1, 9).await;
    let preface = "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\0\0\0\u{4}\0\0\0\0\0";
    let silent = server.sent(preface).await;
    silent.readable().await.expect("settings");
    hello(&mut server.connect().await).await;
    server.stop().await;
}

#[tokio::test]
async fn an_address_has_its_share() {
    let server = with_room(9, 2).await;
    let mut busy = [(); 2].map(|()| None);
    for stream in &mut busy {
        *stream = Some(server.busy(last("/wait")).await);
    }
    // A third one of that address is closed, whatever it sends.
    let mut third = server.connect().await;
    let _ = third.write_all(get("/hello").as_bytes()).await;
    assert_eq!(read_to_end(&mut third).await, "");
    // Another address is served.
    let mut other = connect_from([127, 0, 0, 2], &server).await;
    hello(&mut other).await;
    assert_eq!(server.load.connections(), 3);
    server.app.go.add_permits(2);
    for stream in busy.iter_mut().flatten() {
        assert!(read_to_end(stream).await.ends_with("waited"));
    }
    // And so is the first when it has room again. One that leaves connections idle gets on all the same.
    server
        .holds("two have ended", |load| load.connections() == 1)
        .await;
    let mut open = Vec::new();
    for _ in 0..20 {
        open.push(server.connect().await);
        hello(open.last_mut().unwrap()).await;
    }
    assert_eq!(read_to_end(&mut open[0]).await, "");
    hello(open.last_mut().unwrap()).await;
    hello(&mut other).await;
    server.stop().await;
}

#[tokio::test]
async fn a_trusted_proxy_speaks_for_many() {
    let room = |l: &mut connect_server::net::Limits| l.connections_per_address = 2;
    let server = Running::behind("127.0.0.1", room).await;
    let mut streams = Vec::new();
    for _ in 0..4 {
        streams.push(server.busy(last("/wait")).await);
    }
    server.app.go.add_permits(4);
    for stream in &mut streams {
        assert!(read_to_end(stream).await.ends_with("waited"));
    }
    server.stop().await;
}
