//! Clients that end their side of a connection: some wait for their answer, others have gone.

use std::time::Duration;

use connect_server::net::{Limits, Listen, Pace};
use rustls::pki_types::{CertificateDer, ServerName, pem::PemObject as _};
use tokio::{
    io::{AsyncRead, AsyncReadExt as _, AsyncWrite, AsyncWriteExt as _},
    time::{sleep, timeout},
};
use tokio_rustls::TlsConnector;

use super::{
    harness::{HANGS, PAGE, Running, loopback},
    start::Certificate,
};

/// Writes a request, ends this side, and gives all that comes back.
async fn ask(mut stream: impl AsyncRead + AsyncWrite + Unpin, request: &str) -> String {
    stream.write_all(request.as_bytes()).await.expect("writes");
    stream.shutdown().await.expect("ends this side");
    let mut all = Vec::new();
    let read = timeout(HANGS, stream.read_to_end(&mut all)).await;
    let _ = read.expect("the connection ends");
    String::from_utf8_lossy(&all).into_owned()
}

fn get(path: &str) -> String {
    format!("GET {path} HTTP/1.1\r\nHost: x\r\n\r\n")
}

fn post(path: &str, framing: &str, body: &str) -> String {
    format!("POST {path} HTTP/1.1\r\nHost: x\r\n{framing}\r\n\r\n{body}")
}

/// Lets a request at `/wait` go on some time after it came in.
async fn let_go_later(server: &Running) {
    server.entered().await;
    sleep(Duration::from_millis(50)).await;
    server.app.go.add_permits(1);
}

#[tokio::test]
async fn who_has_sent_a_whole_request_gets_the_answer() {
    let server = Running::plain(Limits::default()).await;
    let chunked = "Transfer-Encoding: chunked";
    for (request, waits, end) in [
        (get("/hello"), false, "\r\n\r\nhello"),
        (get("/wait"), true, "\r\n\r\nwaited"),
        (
            post("/wait", "Content-Length: 2", "ab"),
            true,
            "\r\n\r\nwaited",
        ),
        (
            post("/echo", "Content-Length: 2", "ab"),
            false,
            "\r\n\r\nab",
        ),
        (
            post("/echo", chunked, "2\r\nab\r\n0\r\n\r\n"),
            false,
            "\r\n\r\nab",
        ),
        (post("/refuse", "Content-Length: 2", "ab"), false, "refused"),
        (get("/wait") + &get("/hello"), true, "\r\n\r\nhello"),
        (get("/hello") + &get("/wait"), true, "\r\n\r\nwaited"),
    ] {
        let later = async {
            if waits {
                let_go_later(&server).await;
            }
        };
        let stream = server.connect().await;
        let (answer, ()) = tokio::join!(ask(stream, &request), later);
        assert!(answer.ends_with(end), "{request}: {answer}");
    }
    let page = ask(server.connect().await, &get("/page")).await;
    assert!(page.len() > PAGE, "{}", page.len());
    server.stop().await;
}

#[tokio::test]
async fn so_it_is_over_tls() {
    let certificate = Certificate::new("localhost");
    let server = Running::start(Listen {
        tls: Some(certificate.read()),
        ..Listen::on(loopback())
    })
    .await;
    let mut roots = rustls::RootCertStore::empty();
    let root = CertificateDer::from_pem_slice(certificate.pem.as_bytes()).expect("PEM");
    roots.add(root).expect("a certificate");
    let provider = rustls::crypto::ring::default_provider();
    let config = rustls::ClientConfig::builder_with_provider(provider.into())
        .with_safe_default_protocol_versions()
        .expect("versions")
        .with_root_certificates(roots)
        .with_no_client_auth();
    let name = ServerName::try_from("localhost").expect("a name");
    let connector = TlsConnector::from(std::sync::Arc::new(config));
    let stream = connector.connect(name, server.connect().await).await;
    let stream = stream.expect("a handshake");
    let request = get("/wait");
    let (answer, ()) = tokio::join!(ask(stream, &request), let_go_later(&server));
    assert!(answer.ends_with("\r\n\r\nwaited"), "{answer}");
    server.stop().await;
}

#[tokio::test]
async fn a_body_that_ends_too_early_is_broken_at_once() {
    let server = Running::plain(Limits::default()).await;
    for request in [
        post("/echo", "Content-Length: 5", "ab"),
        post("/echo", "Transfer-Encoding: chunked", "2\r\nab\r\n"),
    ] {
        // The app's answer to it does not matter: what counts is that the connection ends.
        let answer = ask(server.connect().await, &request).await;
        assert!(!answer.contains(" 200 "), "{request}: {answer}");
    }
    for request in ["", "GET /hello HT", "GET /hello HTTP/1.1\r\nHost: x\r\n"] {
        let answer = ask(server.connect().await, request).await;
        assert!(!answer.contains(" 200 "), "{request}: {answer}");
    }
    server.stop().await;
}

/// Nothing tells a client that has gone from one that waits: its request is dropped after a while.
#[tokio::test]
async fn who_has_gone_is_noticed() {
    let limits = Limits {
        idle: Duration::from_millis(100),
        download: Pace {
            bytes: 1,
            within: Duration::from_secs(3600),
        },
        ..Limits::default()
    };
    let server = Running::plain(limits).await;
    let mut stream = server.connect().await;
    let request = get("/wait");
    stream.write_all(request.as_bytes()).await.expect("writes");
    server.entered().await;
    drop(stream);
    server
        .holds("the connection is closed", |load| load.connections() == 0)
        .await;
    // What it wanted of the app is not done any more: the next one gets it.
    let answer = async {
        server.entered().await;
        server.app.go.add_permits(1);
    };
    let next = server.exchange("GET /wait HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n");
    let (next, ()) = tokio::join!(next, answer);
    assert!(next.ends_with("waited"), "{next}");
    assert_eq!(server.app.go.available_permits(), 0);

    // Of a large answer nothing is taken.
    let mut stream = server.connect().await;
    stream
        .write_all(get("/big").as_bytes())
        .await
        .expect("writes");
    stream.shutdown().await.expect("ends this side");
    server
        .holds("an answer is cut that nobody takes", |load| {
            load.connections() == 0
        })
        .await;
    server.stop().await;
}
