//! Stopping: running requests finish, idle connections close, nothing new gets in.

use std::time::Duration;

use connect_server::net::Limits;
use tokio::{io::AsyncWriteExt, net::TcpStream};

use super::harness::{Running, client, read_to_end};

#[tokio::test]
async fn running_requests_finish_and_new_connections_are_refused() {
    for http2 in [false, true] {
        let mut server = Running::plain(Limits::default()).await;
        let request = tokio::spawn(client(http2).get(server.url("/wait")).send());
        server
            .app
            .entered
            .acquire()
            .await
            .expect("the request is in")
            .forget();

        server.begin_stop();
        while TcpStream::connect(server.address).await.is_ok() {
            tokio::task::yield_now().await;
        }
        server.app.go.add_permits(1);
        let answer = request.await.expect("a task").expect("an answer");
        assert_eq!(answer.text().await.expect("a body"), "waited");
        server.stopped().await;
    }
}

#[tokio::test]
async fn idle_connections_do_not_hold_the_server_up() {
    let limits = Limits {
        drain: Duration::from_secs(3600),
        ..Limits::default()
    };
    let server = Running::plain(limits).await;
    let (first, second) = (client(false), client(true));
    first
        .get(server.url("/hello"))
        .send()
        .await
        .expect("an answer");
    second
        .get(server.url("/hello"))
        .send()
        .await
        .expect("an answer");
    let mut silent = server.connect().await;
    server.stop().await;
    assert_eq!(read_to_end(&mut silent).await, "");
}

#[tokio::test]
async fn what_never_ends_is_cut_after_the_drain_time() {
    let limits = Limits {
        drain: Duration::from_millis(50),
        ..Limits::default()
    };
    let server = Running::plain(limits).await;
    let mut stream = server.connect().await;
    stream
        .write_all(b"GET /wait HTTP/1.1\r\nHost: x\r\n\r\n")
        .await
        .expect("writes");
    server
        .app
        .entered
        .acquire()
        .await
        .expect("the request is in")
        .forget();
    server.stop().await;
    assert_eq!(read_to_end(&mut stream).await, "");
}
