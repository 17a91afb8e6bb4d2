//! The API under clients that take more than their share: its answers, and its log.

use std::{
    io::{Read as _, Write as _},
    net::{IpAddr, SocketAddr},
    process::{Command, Stdio},
    time::Duration,
};

use connect_core::RateLimits;
use connect_server::{
    app::{ConnectApp, ListenerKind},
    net::{Limits, Listen, Pace, Server},
};
use flate2::{Compression, write::GzEncoder};
use reqwest::{Method, Response, StatusCode};
use serde_json::Value;
use tokio::{
    io::{AsyncReadExt as _, AsyncWriteExt as _},
    net::TcpStream,
    task::JoinHandle,
};

use crate::{location, net::frame};

/// A shop on a server that is stopped with its handle.
struct Shop {
    address: SocketAddr,
    token: String,
    products: String,
    server: JoinHandle<()>,
}

impl Shop {
    async fn open(limits: Limits, rates: RateLimits) -> Self {
        let (connect, location, token) = location::shop(rates).await;
        let listen = Listen {
            limits,
            ..Listen::on(([127, 0, 0, 1], 0).into())
        };
        let server = Server::bind(listen).await.unwrap();
        Self {
            address: server.address(),
            token,
            products: format!("/v1/locations/{location}/products"),
            server: tokio::spawn(server.serve(
                ConnectApp::new(connect, ListenerKind::Api),
                std::future::pending(),
            )),
        }
    }

    /// A client at an address of this machine.
    fn client(from: [u8; 4]) -> reqwest::Client {
        let _ = rustls::crypto::ring::default_provider().install_default();
        let client = reqwest::Client::builder().no_proxy().tls_certs_only([]);
        client.local_address(IpAddr::from(from)).build().unwrap()
    }

    /// Sends a request from an address of this machine, without a token.
    async fn send(&self, from: [u8; 4], method: Method, path: &str) -> Response {
        let request = Self::client(from).request(method, format!("http://{}{path}", self.address));
        request.send().await.unwrap()
    }

    /// Sends a product, with the token and perhaps as gzip.
    async fn write(&self, body: impl Into<reqwest::Body>, is_gzip: bool) -> Response {
        let link = format!("http://{}{}", self.address, self.products);
        let request = Self::client(HERE)
            .post(link)
            .bearer_auth(&self.token)
            .header("idempotency-key", "one")
            .header("content-type", "application/json");
        let request = match is_gzip {
            true => request.header("content-encoding", "gzip"),
            false => request,
        };
        request.body(body).send().await.unwrap()
    }
}

const BREAD: &str = r#"{"name":"Rye bread"}"#;

const HERE: [u8; 4] = [127, 0, 0, 1];

async fn code(answer: Response) -> Value {
    let body: Value = serde_json::from_slice(&answer.bytes().await.unwrap()).unwrap();
    body["error"]["code"].clone()
}

/// It was a 400, which tells clients to give up.
#[tokio::test]
async fn a_body_that_came_too_slowly_may_be_sent_again() {
    let soon = Duration::from_millis(50);
    let limits = Limits {
        upload: Pace {
            bytes: 1000,
            within: soon,
        },
        discard: soon,
        ..Limits::default()
    };
    let shop = Shop::open(limits, RateLimits::default()).await;
    let mut stream = TcpStream::connect(shop.address).await.unwrap();
    let (path, token) = (&shop.products, &shop.token);
    let request = format!(
        "POST {path} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer {token}\r\n\
         Idempotency-Key: one\r\nContent-Type: application/json\r\nContent-Length: 99\r\n\r\n{{"
    );
    stream.write_all(request.as_bytes()).await.unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).await.unwrap();
    assert!(answer.starts_with("HTTP/1.1 408 "), "{answer}");
    assert!(answer.contains("\"code\":\"server_error\""), "{answer}");
    assert!(
        answer.contains("\r\nx-ratelimit-limit: 120\r\n"),
        "{answer}"
    );
    assert_eq!(shop.write(BREAD, false).await.status(), StatusCode::CREATED);
    shop.server.abort();
}

#[tokio::test]
async fn a_body_for_which_there_is_no_room_may_be_sent_again() {
    let limits = Limits {
        body_bytes: 200_000,
        ..Limits::default()
    };
    let shop = Shop::open(limits, RateLimits::default()).await;
    let body = |length| {
        format!(
            r#"{{"name":"Rye bread","description":"{}"}}"#,
            "x".repeat(length)
        )
    };
    let refused = shop.write(body(180_000), false).await;
    assert_eq!(refused.status(), StatusCode::SERVICE_UNAVAILABLE);
    assert_eq!(refused.headers()["retry-after"], "1");
    assert_eq!(code(refused).await, "server_error");
    assert_eq!(
        shop.write(body(100), false).await.status(),
        StatusCode::CREATED
    );
    shop.server.abort();
}

/// What a body decompresses to counts like a body that came as it is.
#[tokio::test]
async fn nor_for_what_a_body_decompresses_to() {
    let limits = Limits {
        body_bytes: 200_000,
        ..Limits::default()
    };
    let shop = Shop::open(limits, RateLimits::default()).await;
    for (length, status) in [
        (180_000, StatusCode::SERVICE_UNAVAILABLE),
        (50_000, StatusCode::CREATED),
    ] {
        let body = " ".repeat(length) + BREAD;
        let mut gzip = GzEncoder::new(Vec::new(), Compression::fast());
        gzip.write_all(body.as_bytes()).unwrap();
        let gzip = gzip.finish().unwrap();
        assert!(gzip.len() < 10_000);
        let answer = shop.write(gzip, true).await;
        assert_eq!(answer.status(), status, "{length}");
    }
    shop.server.abort();
}

#[tokio::test]
async fn requests_that_need_no_token_are_counted_per_address() {
    let rates = RateLimits {
        anonymous: 4,
        ..RateLimits::default()
    };
    let shop = Shop::open(Limits::default(), rates).await;
    let paths = ["/healthz", "/readyz", "/v1/openapi.json", "/nothing"];
    for path in paths {
        let answer = shop.send(HERE, Method::GET, path).await;
        assert_ne!(answer.status(), StatusCode::TOO_MANY_REQUESTS, "{path}");
        // The figures are those of the limit for invalid tokens.
        assert_eq!(answer.headers()["x-ratelimit-limit"], "30", "{path}");
    }
    for path in ["/nothing", "/v1/docs"] {
        let refused = shop.send(HERE, Method::GET, path).await;
        assert_eq!(refused.status(), StatusCode::TOO_MANY_REQUESTS, "{path}");
        assert!(refused.headers().contains_key("retry-after"));
        assert_eq!(refused.headers()["x-ratelimit-limit"], "4");
        assert_eq!(code(refused).await, "rate_limited");
    }
    let other = shop.send([127, 0, 0, 2], Method::GET, "/v1/docs").await;
    assert_eq!(other.status(), StatusCode::OK);
    // A balancer may have the address of the clients that it passes on.
    for path in ["/healthz", "/readyz"] {
        let probe = shop.send(HERE, Method::GET, path).await;
        assert_eq!(probe.status(), StatusCode::OK, "{path}");
        let refused = shop.send(HERE, Method::DELETE, path).await;
        assert_eq!(refused.status(), StatusCode::TOO_MANY_REQUESTS, "{path}");
    }
    let write = shop.write(BREAD, false).await;
    assert_eq!(
        write.status(),
        StatusCode::CREATED,
        "tokens have limits of their own"
    );
    shop.server.abort();
}

/// Who sends little must not have much made.
#[tokio::test]
async fn an_answer_does_not_grow_with_what_it_repeats() {
    let shop = Shop::open(Limits::default(), RateLimits::default()).await;
    let long = "a".repeat(8_000);
    let method = Method::from_bytes(long.as_bytes()).unwrap();
    for (method, path) in [
        (Method::GET, format!("/{long}")),
        (method, "/healthz".into()),
    ] {
        let answer = shop.send(HERE, method, &path).await;
        let body = answer.bytes().await.unwrap();
        assert!((1..1000).contains(&body.len()), "{}", body.len());
    }
    shop.server.abort();
}

/// The crate warns of what clients do wrong, so anybody could fill the log.
#[tokio::test]
async fn the_log_holds_no_warnings_of_h2() {
    let folder = tempfile::tempdir().unwrap();
    let arguments = "demo --json --storage memory --listen 127.0.0.1:0 --admin-listen 0";
    let mut server = Command::new(env!("CARGO_BIN_EXE_connect-server"))
        .args(arguments.split(' '))
        .env("CONNECT_DATA", folder.path())
        .env_remove("RUST_LOG")
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let welcome = crate::log::welcome(&mut server);
    let address = welcome["baseUrl"].as_str().unwrap();
    let address = address
        .trim_start_matches("http://")
        .trim_end_matches("/v1");

    let (headers, reset, settings) = (1, 3, 4);
    let mut bytes = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".to_vec();
    bytes.extend(frame(settings, 0, 0, &[]));
    for stream in (1..200).step_by(2) {
        // GET http://x/ with the end of headers and of the stream, which is reset at once.
        bytes.extend(frame(headers, 5, stream, b"\x82\x84\x86\x41\x01x"));
        bytes.extend(frame(reset, 0, stream, &8_u32.to_be_bytes()));
    }
    let mut stream = TcpStream::connect(address).await.unwrap();
    stream.write_all(&bytes).await.unwrap();
    let mut rest = Vec::new();
    // The server ends the connection: too many resets.
    let _ = stream.read_to_end(&mut rest).await;
    server.kill().unwrap();
    server.wait().unwrap();
    let mut log = String::new();
    let mut said = server.stderr.take().unwrap();
    said.read_to_string(&mut log).unwrap();
    let goaway = String::from_utf8_lossy(&rest).contains("too_many_resets");
    assert!(goaway, "the attack reached its limit: {rest:?}");
    assert!(log.contains("INFO"), "{log}");
    // Warnings of its own, such as one of root, are there before the attack.
    assert!(!log.contains("h2"), "{log}");
}
