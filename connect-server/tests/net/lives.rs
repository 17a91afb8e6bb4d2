//! How connections end: with their age or idleness, with their client, with the server.

use std::time::Duration;

use tokio::{io::AsyncWriteExt as _, net::TcpStream, time::sleep};

use super::kit::{
    BOTH, NEVER, PAGE, Running, SOON, V, ask, client, get, last, pace, post, read_to_end, send,
};

#[tokio::test]
async fn a_head_that_does_not_come_ends_the_connection() {
    let server = Running::with(|limits| (limits.head, limits.idle) = (SOON, NEVER)).await;
    for start in [
        "",
        "P",
        "PRI * HTTP/2.0\r\n\r\nSM",
        "GET /hello HTTP/1.1\r\nHo",
    ] {
        assert_eq!(server.exchange(start).await, "", "{start}");
    }
    // A complete preface with settings, and then no request.
    server
        .exchange("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\0\0\0\u{4}\0\0\0\0\0")
        .await;
    // A head that comes line by line, alone and behind a request that is answered.
    for (before, end) in [(String::new(), ""), (get("/hello"), "hello")] {
        let stream = server.sent(before + "GET /hello HTTP/1.1\r\n").await;
        let (mut read, mut write) = stream.into_split();
        let trickle = tokio::spawn(async move {
            while write.write_all(b"a: b\r\n").await.is_ok() {
                sleep(Duration::from_millis(5)).await;
            }
        });
        let answer = read_to_end(&mut read).await;
        let is_answered = answer.starts_with("HTTP/1.1 200 ");
        assert!(
            answer.ends_with(end) && is_answered != end.is_empty(),
            "{answer}"
        );
        trickle.await.expect("the server is gone");
    }
    server.stop().await;
}

#[tokio::test]
async fn an_idle_connection_is_closed() {
    let server = Running::with(|limits| (limits.head, limits.idle) = (NEVER, SOON)).await;
    let answer = server.exchange(get("/hello")).await;
    assert!(answer.ends_with("hello"), "{answer}");
    let (mut sender, connection) = server.http2(65_535).await;
    let answer = ask(&mut sender, "/hello").await.unwrap();
    assert_eq!(answer.status(), 200);
    drop(answer);
    let ended = connection.await.unwrap();
    assert!(ended.is_ok(), "without an error: {ended:?}");
    assert!(sender.is_closed());
    server.stop().await;
}

/// Waiting for an answer is not idleness, and an old connection is asked to end with it.
#[tokio::test]
async fn a_request_outlives_the_time_of_its_connection() {
    for is_old in [false, true] {
        let server = Running::with(|limits| match is_old {
            false => (limits.head, limits.idle) = (SOON, SOON),
            // Its drain is for requests that are stuck.
            true => (limits.connection_age, limits.drain) = (SOON, SOON),
        });
        let server = server.await;
        let mut stream = server.busy(get("/wait")).await;
        sleep(SOON * 4).await;
        server.app.go.add_permits(1);
        let answer = read_to_end(&mut stream).await;
        assert_eq!(answer.contains("connection: close"), is_old, "{answer}");
        assert!(answer.ends_with("waited"), "{answer}");
        server.stop().await;
    }
}

/// Writes a request, ends this side, and returns the whole answer.
async fn half_closed(server: &Running, request: &str) -> String {
    let mut stream = server.sent(request).await;
    stream.shutdown().await.unwrap();
    read_to_end(&mut stream).await
}

/// Lets a request at `/wait` go on some time after it came in.
pub(super) async fn let_go_later(server: &Running) {
    server.entered().await;
    sleep(Duration::from_millis(50)).await;
    server.app.go.add_permits(1);
}

#[tokio::test]
async fn who_has_sent_a_whole_request_gets_the_answer() {
    let server = Running::with(|_| ()).await;
    let of_2 = |path| post(path, "Content-Length: 2", "ab");
    let chunked = post(
        "/echo",
        "Transfer-Encoding: chunked",
        "2\r\nab\r\n0\r\n\r\n",
    );
    for (request, end) in [
        (get("/hello"), "\r\n\r\nhello"),
        (get("/wait"), "\r\n\r\nwaited"),
        (of_2("/wait"), "\r\n\r\nwaited"),
        (of_2("/echo"), "\r\n\r\nab"),
        (chunked, "\r\n\r\nab"),
        (of_2("/refuse"), "refused"),
        (get("/wait") + &get("/hello"), "\r\n\r\nhello"),
        (get("/hello") + &get("/wait"), "\r\n\r\nwaited"),
    ] {
        let later = async {
            if request.contains("/wait") {
                let_go_later(&server).await;
            }
        };
        let (answer, ()) = tokio::join!(half_closed(&server, &request), later);
        assert!(answer.ends_with(end), "{request}: {answer}");
    }
    let page = half_closed(&server, &get("/page")).await;
    assert!(page.len() > PAGE, "{}", page.len());
    server.stop().await;
}

/// A departed client looks like a waiting one: its request is dropped after a while.
#[tokio::test]
async fn who_has_gone_is_noticed() {
    let server = Running::with(|l| (l.idle, l.download) = (SOON, pace(1, NEVER))).await;
    let gone = |load: &connect_server::net::Load| load.connections() == 0;
    drop(server.busy(get("/wait")).await);
    server.holds("the connection is closed", gone).await;
    // A reset is noticed at once.
    let patient = Running::with(|l| (l.head, l.idle) = (SOON, NEVER)).await;
    let reset = patient.busy(get("/wait")).await;
    reset.set_zero_linger().unwrap();
    drop(reset);
    patient.holds("it is closed", gone).await;
    patient.stop().await;
    // What it wanted of the app is not done any more: the next one gets it.
    let (next, ()) = tokio::join!(server.exchange(last("/wait")), let_go_later(&server));
    assert!(next.ends_with("waited"), "{next}");
    assert_eq!(server.app.go.available_permits(), 0);
    // Of a large answer nothing is taken.
    let mut stream = server.sent(get("/big")).await;
    stream.shutdown().await.unwrap();
    server
        .holds("an answer is cut that nobody takes", gone)
        .await;
    server.stop().await;
}

#[tokio::test]
async fn running_requests_finish_and_new_connections_are_refused() {
    for version in BOTH {
        let mut server = Running::with(|_| ()).await;
        let request = client(version).get(server.url("/wait"));
        let request = tokio::spawn(send(request));
        server.entered().await;
        server.begin_stop();
        while TcpStream::connect(server.address).await.is_ok() {
            tokio::task::yield_now().await;
        }
        server.app.go.add_permits(1);
        assert_eq!(request.await.unwrap().text(), "waited");
        server.stop().await;
    }
}

#[tokio::test]
async fn what_is_idle_ends_with_the_server_and_what_never_ends_is_cut() {
    let server = Running::with(|limits| limits.drain = NEVER).await;
    let idle = BOTH.map(client);
    for client in &idle {
        server.get(client, "/hello").await;
    }
    let mut silent = server.connect().await;
    server.stop().await;
    assert_eq!(read_to_end(&mut silent).await, "");

    let server = Running::with(|limits| limits.drain = SOON).await;
    let mut stream = server.busy(get("/wait")).await;
    server.stop().await;
    assert_eq!(read_to_end(&mut stream).await, "");
}

/// A pause after each refusal, except for a trusted proxy: it speaks for many, of whom some were refused.
#[tokio::test]
async fn who_was_refused_is_not_read_for_a_while() {
    let pause = Duration::from_millis(50);
    for version in BOTH {
        let server = Running::with(|limits| limits.refusal_pause = pause).await;
        let (client, begin) = (client(version), std::time::Instant::now());
        for path in ["/limited", "/limited", "/limited", "/hello"] {
            server.get(&client, path).await;
        }
        assert!(begin.elapsed() >= 3 * pause, "{:?}", begin.elapsed());
        server.stop().await;
    }
    let server = Running::behind("127.0.0.1", |limits| limits.refusal_pause = NEVER).await;
    let client = client(V::Two);
    for path in ["/limited", "/limited", "/hello"] {
        server.get(&client, path).await;
    }
    server.stop().await;
}
