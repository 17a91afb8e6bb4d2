//! The HTTP transport against sockets that misbehave.

use std::time::Duration;

use connect_client::{
    Client, ClientBuilder, Error, ErrorKind, RetryPolicy,
    transport::{Fault, http_client_builder},
};
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::TcpListener,
};
use wiremock::{Mock, MockServer, ResponseTemplate, matchers::any};

use crate::support::TOKEN;

/// A client that tries twice, at once.
fn twice(base: String) -> ClientBuilder {
    let policy = RetryPolicy::default()
        .max_attempts(2)
        .backoff(Duration::ZERO, Duration::ZERO);
    Client::builder(base, TOKEN).retry(policy)
}

fn fault(error: &Error) -> Fault {
    match error.kind() {
        ErrorKind::Transport(error) => error.fault(),
        other => panic!("{other:?}"),
    }
}

/// A server that reads a request's beginning, writes `answer`, and closes.
async fn rude(answer: &'static [u8]) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    tokio::spawn(async move {
        while let Ok((mut socket, _)) = listener.accept().await {
            let _ = socket.read(&mut [0; 4096]).await;
            let _ = socket.write_all(answer).await;
        }
    });
    format!("http://{address}/v1")
}

#[tokio::test]
async fn a_refused_connection_is_tried_again_and_told() {
    // Bound and dropped: nobody listens there now.
    let free = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let base = format!("http://{}/v1", free.local_addr().unwrap());
    drop(free);
    let error = twice(base).build().unwrap().locations().await.unwrap_err();
    assert_eq!(fault(&error), Fault::Connect);
    assert_eq!(error.attempts(), 2);
    let told = error.to_string();
    assert!(told.contains("GET /locations: could not connect"), "{told}");
    assert!(told.to_lowercase().contains("refused"), "{told}");
    assert!(std::error::Error::source(&error).is_some());
    assert!(!format!("{error:?}").contains("ck_test"));
}

#[tokio::test]
async fn a_connection_that_breaks_is_tried_again() {
    for answer in [
        &b""[..],
        b"HTTP/1.1 200 OK\r\n",
        b"HTTP/1.1 200 OK\r\ncontent-length: 100\r\n\r\n{\"data\":[",
        b"HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n9\r\n{\"data\":[\r\n",
        b"SSH-2.0-OpenSSH_9.9\r\n\r\n",
    ] {
        let base = rude(answer).await;
        let error = twice(base).build().unwrap().locations().await.unwrap_err();
        assert_eq!(fault(&error), Fault::Broken, "{error:?}");
        assert_eq!(error.attempts(), 2);
    }
}

#[tokio::test]
async fn a_service_that_says_nothing_runs_into_the_timeout() {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let base = format!("http://{}/v1", listener.local_addr().unwrap());
    let client = twice(base).request_timeout(Duration::from_millis(50));
    let error = client.build().unwrap().locations().await.unwrap_err();
    assert_eq!(fault(&error), Fault::Timeout);
    assert_eq!(error.attempts(), 2);
}

#[tokio::test]
async fn a_response_without_end_is_cut_off() {
    for answer in [
        &b"HTTP/1.1 200 OK\r\ncontent-length: 99999999\r\n\r\n0123456789012345678901234567890123"[..],
        b"HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n22\r\n0123456789012345678901234567890123\r\n",
        b"HTTP/1.1 500 No\r\n\r\n0123456789012345678901234567890123",
    ] {
        let base = rude(answer).await;
        let client = twice(base).max_response_bytes(32).build().unwrap();
        let error = client.locations().await.unwrap_err();
        assert_eq!(fault(&error), Fault::TooLarge, "{error}");
        assert_eq!(error.attempts(), 1);
    }
    let base = rude(b"HTTP/1.1 200 OK\r\ncontent-length: 11\r\n\r\n{\"data\":[]}").await;
    let client = twice(base).max_response_bytes(11).build().unwrap();
    client.locations().await.unwrap();
}

#[tokio::test]
async fn a_redirect_is_not_followed() {
    let elsewhere = MockServer::start().await;
    let server = MockServer::start().await;
    let reply = ResponseTemplate::new(307).insert_header("location", elsewhere.uri());
    Mock::given(any()).respond_with(reply).mount(&server).await;
    let client = twice(server.uri()).build().unwrap();
    let error = client.locations().await.unwrap_err();
    assert_eq!((error.status(), error.code()), (Some(307), None));
    assert!(elsewhere.received_requests().await.unwrap().is_empty());
}

#[tokio::test]
async fn retries_go_over_the_wire() {
    let server = MockServer::start().await;
    let limited = ResponseTemplate::new(429).insert_header("retry-after", "0");
    Mock::given(any())
        .respond_with(limited)
        .up_to_n_times(1)
        .mount(&server)
        .await;
    let list = ResponseTemplate::new(200).set_body_json(serde_json::json!({ "data": [] }));
    Mock::given(any()).respond_with(list).mount(&server).await;
    let client = twice(server.uri()).build().unwrap();
    let response = client.locations().send().await.unwrap();
    assert_eq!(response.meta.attempts, 2);
}

#[tokio::test]
async fn a_client_of_the_callers_own_is_used() {
    let server = MockServer::start().await;
    let list = ResponseTemplate::new(200).set_body_json(serde_json::json!({ "data": [] }));
    Mock::given(any()).respond_with(list).mount(&server).await;
    let mut headers = http::HeaderMap::new();
    headers.insert("x-mine", http::HeaderValue::from_static("yes"));
    let own = http_client_builder()
        .unwrap()
        .no_proxy()
        .default_headers(headers);
    let client = twice(server.uri()).http_client(own.build().unwrap());
    client.build().unwrap().locations().await.unwrap();
    let got = server.received_requests().await.unwrap();
    assert_eq!(got[0].headers["x-mine"], "yes");
    assert_eq!(got[0].headers["authorization"], format!("Bearer {TOKEN}"));
}

#[tokio::test]
async fn a_request_that_the_callers_own_client_refuses_is_not_tried_again() {
    let own = http_client_builder().unwrap().https_only(true);
    let client = twice("http://127.0.0.1:1/v1".to_owned()).http_client(own.build().unwrap());
    let error = client.build().unwrap().locations().await.unwrap_err();
    assert_eq!((fault(&error), error.attempts()), (Fault::Unsendable, 1));
}

/// A request without a connection was certainly not sent.
#[tokio::test(start_paused = true)]
async fn a_connection_without_end_is_told_from_an_answer_without_end() {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let base = format!("https://{}/v1", listener.local_addr().unwrap());
    let client = twice(base).request_timeout(Duration::from_secs(4));
    let error = client.build().unwrap().locations().await.unwrap_err();
    assert_eq!(fault(&error), Fault::Connect, "{error}");
}

#[tokio::test]
async fn requests_go_through_the_proxy_that_was_set() {
    let proxy = MockServer::start().await;
    let list = ResponseTemplate::new(200).set_body_json(serde_json::json!({ "data": [] }));
    Mock::given(any()).respond_with(list).mount(&proxy).await;
    // Nobody has this name: only the proxy can answer.
    let client = Client::builder("http://shop.invalid/v1", TOKEN)
        .allow_plain_http()
        .proxy(proxy.uri());
    client.build().unwrap().locations().await.unwrap();
    let got = proxy.received_requests().await.unwrap();
    assert_eq!(got[0].url.path(), "/v1/locations");
    assert_eq!(got[0].headers["host"], "shop.invalid");
}
