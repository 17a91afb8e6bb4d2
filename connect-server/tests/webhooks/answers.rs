//! The answers of endpoints, and what becomes of each.

use std::time::Duration;

use connect_server::{
    networks::Networks,
    outbound::{LookupError, Names},
    webhooks::WebhookClient,
};
use tokio::{
    io::{AsyncReadExt as _, AsyncWriteExt as _},
    net::TcpListener,
    time::Instant,
};

use super::{PATIENCE, Trap, client, endpoints::Deaf, send, settings};
use crate::host::{Host, Script};

/// Sends a request to an endpoint that answers with this script.
async fn sent(script: Script, deadline: Duration) -> Result<u16, String> {
    let host = Host::start(move |_| script.clone()).await;
    send(&client(deadline), &host.link("/in")).await
}

#[tokio::test]
async fn a_request_is_sent_as_it_was_given() {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    let endpoint = async {
        let (mut stream, _) = listener.accept().await.unwrap();
        let mut request = Vec::new();
        while !request.ends_with(b"{\"a\": 1 }") {
            request.push(stream.read_u8().await.unwrap());
        }
        let answer = b"HTTP/1.1 204 No Content\r\n\r\n";
        stream.write_all(answer).await.unwrap();
        String::from_utf8(request).unwrap()
    };
    let client = client(PATIENCE);
    let url = format!("http://{address}/in?key=1");
    let (status, request) = tokio::join!(send(&client, &url), endpoint);
    assert_eq!(status, Ok(204));
    let (head, body) = request.split_once("\r\n\r\n").unwrap();
    let mut lines: Vec<_> = head.split("\r\n").collect();
    assert_eq!(lines.remove(0), "POST /in?key=1 HTTP/1.1");
    lines.sort_unstable();
    let host = format!("host: {address}");
    let expected = [
        "accept: */*",
        "content-length: 9",
        "content-type: application/json",
        &host,
        "service-signature: t=1,v1=00",
        "user-agent: Connect-Webhooks/1",
    ];
    assert_eq!(lines, expected);
    assert_eq!(body, "{\"a\": 1 }");
}

#[tokio::test]
async fn a_connection_is_kept_for_the_next_request() {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}/", listener.local_addr().unwrap());
    let endpoint = tokio::spawn(async move {
        let (mut stream, _) = listener.accept().await.unwrap();
        for _ in 0..3 {
            let mut request = Vec::new();
            while !request.ends_with(b"{\"a\": 1 }") {
                request.push(stream.read_u8().await.unwrap());
            }
            let answer = b"HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nfine";
            stream.write_all(answer).await.unwrap();
        }
    });
    let client = client(PATIENCE);
    for _ in 0..3 {
        assert_eq!(send(&client, &url).await, Ok(200));
    }
    endpoint.await.unwrap();
}

#[tokio::test]
async fn a_status_counts_whatever_else_there_is() {
    let bomb = [&b"\x1f\x8b\x08"[..], &[0; 60_000]].concat();
    for (script, status) in [
        (Script::ok(b"fine"), 200),
        (Script::ok(&[b'x'; 64_000]), 200),
        (Script::ok(&[b'x'; 10_000_000]), 200),
        (
            Script::response("202 Accepted\r\nContent-Length: 99999999999999", b"")
                .then_repeat(&[7; 65_536], Duration::ZERO),
            202,
        ),
        (
            Script::response("200 OK", b"").then_repeat(&[7; 65_536], Duration::ZERO),
            200,
        ),
        (
            Script::response("200 OK\r\nContent-Encoding: gzip", &bomb),
            200,
        ),
        (Script::response("410 Gone", b"").then_hang(), 410),
        (
            Script::response("429 Slow\r\nRetry-After: 1e300\r\nRetry-After: inf", b""),
            429,
        ),
        (Script::response("500 Oh\r\nContent-Length: 10", b"x"), 500),
        (Script::response("999 What", b""), 999),
    ] {
        assert_eq!(sent(script, PATIENCE).await, Ok(status));
    }
}

#[tokio::test]
async fn a_redirect_is_not_followed() {
    let trap = Trap::set("127.0.0.1").await;
    for status in [301, 302, 303, 307, 308] {
        let to = format!("http://127.0.0.1:{}/", trap.port);
        let head = format!("{status} Elsewhere\r\nContent-Length: 0\r\nLocation: {to}");
        let sent = sent(Script::response(&head, b""), PATIENCE).await;
        assert_eq!(sent, Ok(status));
    }
    assert_eq!(trap.connections(), 0);
}

#[tokio::test]
async fn a_failure_says_what_is_wrong() {
    let headers = "A: b\r\n".repeat(5_000);
    let endless = b"A: bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb\r\n".repeat(1_000);
    for (script, expected) in [
        (Script::raw(""), "broke off"),
        (Script::raw("HTTP/1.1 200 O"), "broke off"),
        (
            Script::response("200 OK\r\nContent-Length: 1000", b"few"),
            "broke off",
        ),
        (
            Script::response("200 OK\r\nTransfer-Encoding: chunked", b"zz\r\n"),
            "broke off",
        ),
        (Script::raw("SSH-2.0-OpenSSH_9.2\r\n"), "not valid HTTP"),
        (
            Script::response(&format!("200 OK\r\n{headers}"), b""),
            "too many headers",
        ),
        (
            Script::raw("HTTP/1.1 200 OK\r\n").then_repeat(&endless, Duration::ZERO),
            "too many headers",
        ),
    ] {
        let failed = sent(script, PATIENCE).await.unwrap_err();
        assert!(failed.contains(expected), "{failed}");
    }
    let closed = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let nobody = format!("http://{}/?key=secret", closed.local_addr().unwrap());
    drop(closed);
    let failed = send(&client(PATIENCE), &nobody).await;
    assert_eq!(failed, Err("The endpoint took no connection.".to_owned()));
}

/// The clock of this test goes on by itself whenever everything waits.
#[tokio::test(start_paused = true)]
async fn no_request_outlives_ten_seconds() {
    const SECOND: Duration = Duration::from_secs(1);
    let takes_no_connection = Deaf::open();
    let accepts_nothing = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let silent = accepts_nothing.local_addr().unwrap();
    let others = [
        format!("http://{}/", takes_no_connection.address),
        format!("http://{silent}/"),
        format!("https://{silent}/"),
    ];
    let mut hosts = Vec::new();
    for script in [
        Script::raw("").then_hang(),
        Script::raw("HTTP/1.1 200 OK\r\nContent-").then_hang(),
        Script::raw("HTTP/1.1 200 OK\r\n").then_repeat(b"A: b\r\n", SECOND),
        Script::response("200 OK\r\nContent-Length: 100000", b"").then_hang(),
        Script::response("200 OK", b"").then_repeat(b"x", SECOND),
        Script::response("200 OK\r\nTransfer-Encoding: chunked", b"")
            .then_repeat(b"1\r\nx\r\n", SECOND),
    ] {
        hosts.push(Host::start(move |_| script.clone()).await);
    }
    let urls = hosts.iter().map(|host| host.link("/")).chain(others);
    let client = WebhookClient::with(
        settings(Networks::loopback()),
        connect_server::webhooks::DEFAULT_DEADLINE,
    );
    let client = client.unwrap();
    for url in urls {
        let start = Instant::now();
        let failed = send(&client, &url).await.unwrap_err();
        assert!(failed.contains("within 10 seconds"), "{failed}");
        assert!(start.elapsed() <= Duration::from_millis(10_500));
    }
}

/// Answers no question.
#[derive(Debug)]
struct Silence;

#[async_trait::async_trait]
impl Names for Silence {
    async fn look_up(&self, _: &str) -> Result<Vec<std::net::SocketAddr>, LookupError> {
        std::future::pending().await
    }
}

#[tokio::test(start_paused = true)]
async fn a_name_server_that_is_silent_is_not_waited_for_either() {
    let mut settings = settings(Networks::default());
    settings.names = std::sync::Arc::new(Silence);
    let client = WebhookClient::with(settings, Duration::from_secs(10)).unwrap();
    let start = Instant::now();
    let failed = send(&client, "https://hooks.example/").await.unwrap_err();
    assert!(failed.contains("within 10 seconds"), "{failed}");
    assert!(start.elapsed() <= Duration::from_millis(10_500));
}
