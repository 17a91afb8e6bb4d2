//! Heads that never reach the app: the answer has the app's shape all the same.

use connect_server::net::Limits;
use http::StatusCode;

use tokio::io::AsyncWriteExt as _;

use super::harness::{Running, client, read_to_end};

#[tokio::test]
async fn a_bad_head_is_answered_in_the_apps_shape() {
    let server = Running::plain(Limits::default()).await;
    let line = |name: &str, length: usize| format!("{name}: {}\r\n", "v".repeat(length));
    let get = |path: &str, rest: &str| format!("GET {path} HTTP/1.1\r\nHost: x\r\n{rest}\r\n");
    let many: String = (0..150).map(|n| format!("x-{n}: v\r\n")).collect();
    let path = |length: usize| format!("/{}", "p".repeat(length));
    for (name, request, status, failure) in [
        (
            "garbage",
            "\u{1}\u{2}\u{3} what\r\n\r\n".into(),
            400,
            "Malformed",
        ),
        (
            "words",
            "hello there, server\r\n\r\n".into(),
            400,
            "Malformed",
        ),
        (
            "a version",
            "GET / HTTP/9.9\r\nHost: x\r\n\r\n".into(),
            400,
            "Malformed",
        ),
        (
            "a tunnel, which once was a panic",
            "CONNECT x:1 HTTP/1.1\r\nHost: x\r\n\r\n".into(),
            400,
            "Malformed",
        ),
        (
            "a coding that is not understood",
            get("/", "transfer-encoding: gzip, chunked\r\n"),
            400,
            "Malformed",
        ),
        ("a header name", get("/", "a b: c\r\n"), 400, "Malformed"),
        (
            "a control character",
            get("/", "a: \u{1}\r\n"),
            400,
            "Malformed",
        ),
        (
            "a length",
            get("/", "content-length: ten\r\n"),
            400,
            "Malformed",
        ),
        (
            "two lengths",
            get("/", "content-length: 1\r\ncontent-length: 2\r\n"),
            400,
            "Malformed",
        ),
        (
            "a coding",
            get("/", "transfer-encoding: gzip\r\n"),
            400,
            "Malformed",
        ),
        ("a path", get("/a b", ""), 400, "Malformed"),
        (
            "no host",
            "GET / HTTP/1.1\r\nConnection: close\r\n\r\n".into(),
            400,
            "Host",
        ),
        ("two hosts", get("/", "Host: y\r\n"), 400, "Host"),
        (
            "a length beyond 64 bits",
            get("/", "content-length: 99999999999999999999\r\n"),
            400,
            "Malformed",
        ),
        (
            "the largest length, which hyper takes for too large a head",
            get("/", "content-length: 18446744073709551615\r\n"),
            431,
            "HeadersTooLarge(16384)",
        ),
        (
            "a method as long as a page",
            format!("{} / HTTP/1.1\r\nHost: x\r\n\r\n", "A".repeat(20_000)),
            431,
            "HeadersTooLarge(16384)",
        ),
        (
            "a long path",
            get(&path(10_000), ""),
            414,
            "UriTooLong(8192)",
        ),
        (
            "a huge path",
            get(&path(65_000), ""),
            414,
            "UriTooLong(8192)",
        ),
        (
            "large headers",
            get("/", &line("a", 20_000)),
            431,
            "HeadersTooLarge(16384)",
        ),
        (
            "huge headers",
            get("/", &line("a", 200_000)),
            431,
            "HeadersTooLarge(16384)",
        ),
        (
            "many headers",
            get("/", &many),
            431,
            "HeadersTooLarge(16384)",
        ),
    ] {
        let request = request.replace("\r\nHost: x", "\r\nConnection: close\r\nHost: x");
        let answer = server.exchange(&request).await;
        assert!(
            answer.starts_with(&format!("HTTP/1.1 {status} ")),
            "{name}: {answer}"
        );
        assert!(answer.contains("\r\nx-request-id: "), "{name}: {answer}");
        assert!(
            answer.contains("\r\nx-ratelimit-limit: 120\r\n"),
            "{name}: {answer}"
        );
        assert!(answer.contains("\r\ndate: "), "{name}: {answer}");
        let body = format!("\r\n\r\n{{\"failure\":\"{failure} 127.0.0.1\"}}");
        assert!(answer.ends_with(&body), "{name}: {answer}");
    }
    server.stop().await;
}

#[tokio::test]
async fn garbage_after_a_good_request_is_answered_too() {
    let server = Running::plain(Limits::default()).await;
    let answer = server
        .exchange("GET /hello HTTP/1.1\r\nHost: x\r\n\r\n?? ?\r\n\r\n")
        .await;
    assert!(answer.starts_with("HTTP/1.1 200 "), "{answer}");
    assert!(answer.contains("helloHTTP/1.1 400 "), "{answer}");
    assert!(
        answer.ends_with("{\"failure\":\"Malformed 127.0.0.1\"}"),
        "{answer}"
    );
    server.stop().await;
}

#[tokio::test]
async fn a_host_has_to_be_one() {
    let server = Running::plain(Limits::default()).await;
    for (host, is_one) in [
        ("shop.example", true),
        ("shop.example:8443", true),
        ("shop.example:", true),
        ("127.0.0.1:8080", true),
        ("[::1]", true),
        ("[2001:db8::1]:8443", true),
        ("", false),
        (":80", false),
        ("shop.example:http", false),
        ("shop.example:99999", false),
        ("shop.example:+80", false),
        ("user@shop.example", false),
        ("shop.example/path", false),
        ("shop example", false),
        ("shop<example", false),
        ("2001:db8::1", false),
        ("[::1", false),
        ("[shop.example]", false),
        ("[::1]80", false),
        ("shop.example, other.example", false),
        ("a,b", false),
        ("shop_1.example", true),
        ("shop.example;other.example", false),
        ("shop%2Cexample", false),
        ("shop.example*", false),
        ("(shop)", false),
        ("sh\u{f6}p.example", false),
    ] {
        let request = format!("GET /hello HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\n\r\n");
        let answer = server.exchange(&request).await;
        let end = if is_one {
            "hello"
        } else {
            "{\"failure\":\"Host 127.0.0.1\"}"
        };
        assert!(answer.ends_with(end), "{host}: {answer}");
    }
    server.stop().await;
}

/// What fits into 64 bits is for the app to refuse, by its own limit.
#[tokio::test]
async fn an_absurd_length_is_refused_before_it_is_waited_for() {
    let server = Running::plain(Limits::default()).await;
    for length in ["9223372036854775807", "18446744073709551613"] {
        let request =
            format!("POST /echo HTTP/1.1\r\nHost: x\r\nContent-Length: {length}\r\n\r\nx");
        let mut stream = server.connect().await;
        stream.write_all(request.as_bytes()).await.expect("writes");
        stream.shutdown().await.expect("ends");
        let answer = read_to_end(&mut stream).await;
        assert!(answer.starts_with("HTTP/1.1 413 "), "{length}: {answer}");
    }
    server.stop().await;
}

#[tokio::test]
async fn http_1_0_needs_no_host() {
    let server = Running::plain(Limits::default()).await;
    let answer = server.exchange("GET /hello HTTP/1.0\r\n\r\n").await;
    assert!(
        answer.contains(" 200 ") && answer.ends_with("hello"),
        "{answer}"
    );
    server.stop().await;
}

#[tokio::test]
async fn large_heads_over_http_2() {
    let server = Running::plain(Limits::default()).await;
    let client = client(true);
    let long = server.url(&format!("/{}", "p".repeat(10_000)));
    let answer = client.get(long).send().await.expect("an answer");
    assert_eq!(answer.status(), StatusCode::URI_TOO_LONG);
    assert!(answer.text().await.expect("a body").contains("UriTooLong"));
    let large = client
        .get(server.url("/hello"))
        .header("a", "v".repeat(20_000));
    let answer = large.send().await.expect("an answer");
    assert_eq!(answer.status(), StatusCode::REQUEST_HEADER_FIELDS_TOO_LARGE);
    assert!(
        answer
            .text()
            .await
            .expect("a body")
            .contains("HeadersTooLarge")
    );
    server.stop().await;
}
