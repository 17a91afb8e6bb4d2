//! What every request gets, on both versions of HTTP.

use connect_server::net::Limits;
use http::StatusCode;
use uuid::Uuid;

use super::harness::{Running, client};

#[tokio::test]
async fn both_versions_are_answered_and_marked() {
    let server = Running::plain(Limits::default()).await;
    for http2 in [false, true] {
        let answer = client(http2)
            .get(server.url("/hello"))
            .send()
            .await
            .expect("an answer");
        assert_eq!(answer.status(), StatusCode::OK);
        assert_eq!(answer.version() == http::Version::HTTP_2, http2);
        assert_eq!(answer.headers()["x-content-type-options"], "nosniff");
        assert!(answer.headers().contains_key("date"));
        let id = answer.headers()["x-request-id"]
            .to_str()
            .expect("text")
            .to_owned();
        assert!(Uuid::parse_str(&id).is_ok(), "{id}");
        assert_eq!(answer.text().await.expect("a body"), "hello");
    }
    server.stop().await;
}

#[tokio::test]
async fn a_usable_request_id_is_kept_and_another_replaced() {
    let server = Running::plain(Limits::default()).await;
    let client = client(false);
    let longest = "x".repeat(100);
    for (sent, kept) in [
        ("a.B_c-1", true),
        (longest.as_str(), true),
        (&"x".repeat(101), false),
        ("", false),
        ("a b", false),
        ("a\"b", false),
    ] {
        let request = client.get(server.url("/id")).header("x-request-id", sent);
        let answer = request.send().await.expect("an answer");
        let id = answer.headers()["x-request-id"]
            .to_str()
            .expect("text")
            .to_owned();
        assert_eq!(id == sent, kept, "{sent}");
        assert_eq!(
            answer.text().await.expect("a body"),
            id,
            "the app sees the same id"
        );
    }
    server.stop().await;
}

#[tokio::test]
async fn head_has_the_length_and_no_body() {
    let server = Running::plain(Limits::default()).await;
    for http2 in [false, true] {
        let client = client(http2);
        // Twice: a stray body would break the second request on the same connection.
        for _ in 0..2 {
            let answer = client
                .head(server.url("/hello"))
                .send()
                .await
                .expect("an answer");
            assert_eq!(answer.headers()["content-length"], "5");
            assert_eq!(answer.bytes().await.expect("an end").len(), 0);
        }
    }
    server.stop().await;
}

#[tokio::test]
async fn a_panic_is_a_500_and_the_connection_goes_on() {
    let server = Running::plain(Limits::default()).await;
    for http2 in [false, true] {
        let client = client(http2);
        let answer = client
            .get(server.url("/panic"))
            .send()
            .await
            .expect("an answer");
        assert_eq!(answer.status(), StatusCode::INTERNAL_SERVER_ERROR);
        assert_eq!(answer.headers()["x-ratelimit-limit"], "120");
        assert!(answer.headers().contains_key("x-request-id"));
        assert!(answer.text().await.expect("a body").contains("Panicked"));
        let answer = client
            .get(server.url("/hello"))
            .send()
            .await
            .expect("an answer");
        assert_eq!(answer.status(), StatusCode::OK);
    }
    let both = server
        .exchange(
            "GET /panic HTTP/1.1\r\nHost: x\r\n\r\n\
             GET /hello HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n",
        )
        .await;
    assert!(
        both.contains("HTTP/1.1 500") && both.ends_with("hello"),
        "{both}"
    );
    server.stop().await;
}
