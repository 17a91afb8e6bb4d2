//! Requests byte by byte, with their required answers; the rows are in `tables`.

use std::time::Duration;

use connect_server::net::{Limits, Load};
use http::Version;
use uuid::Uuid;

use super::kit::{BOTH, NEVER, Running, V, client, get, last, post, read_to_end, send};

/// Leaves the limits as they are.
fn usual(_: &mut Limits) {}

/// The rows of a table: fields between bars, with `\r`, `\n`, `\xNN` and `{text*times}` in them.
fn rows(table: &str) -> impl Iterator<Item = Vec<String>> {
    let rows = table.lines().filter(|line| !line.starts_with('#'));
    rows.map(|line| line.split(" | ").map(unescaped).collect())
}

fn unescaped(field: &str) -> String {
    if let Some((before, rest)) = field.split_once('{') {
        let (repeated, after) = rest.split_once('}').unwrap();
        let (text, times) = repeated.rsplit_once('*').unwrap();
        let text = unescaped(text).repeat(times.parse().unwrap());
        return unescaped(before) + &text + &unescaped(after);
    }
    let mut parts = field.split('\\');
    let mut text = parts.next().unwrap().to_owned();
    for part in parts {
        let (escaped, rest) = match part.split_at(1) {
            ("r", rest) => ('\r', rest),
            ("n", rest) => ('\n', rest),
            (_, hex) => (
                char::from(u8::from_str_radix(&hex[..2], 16).unwrap()),
                &hex[2..],
            ),
        };
        text.push(escaped);
        text += rest;
    }
    text
}

/// A request refused before the app is answered in the app's shape.
#[tokio::test]
async fn a_bad_head_is_answered_in_the_apps_shape() {
    // What a client sends on is read for a while after the answer.
    let server = Running::with(|limits| limits.discard = Duration::from_millis(500)).await;
    for row in rows(include_str!("tables/heads.txt")) {
        let [name, status, failure, request] = &row[..] else {
            panic!("{row:?}");
        };
        let request = request.replace("\r\nHost: x", "\r\nConnection: close\r\nHost: x");
        let answer = server.exchange(&request).await;
        assert!(
            answer.starts_with(&format!("HTTP/1.1 {status} ")),
            "{name}: {answer}"
        );
        for header in ["x-request-id: ", "x-ratelimit-limit: 120\r\n", "date: "] {
            assert!(
                answer.contains(&format!("\r\n{header}")),
                "{name}: {answer}"
            );
        }
        let body = format!("\r\n\r\n{{\"failure\":\"{failure} 127.0.0.1\"}}");
        assert!(answer.ends_with(&body), "{name}: {answer}");
    }
    let after = get("/hello") + "?? ?\r\n\r\n";
    let answer = server.exchange(after).await;
    assert!(answer.starts_with("HTTP/1.1 200 "), "{answer}");
    assert!(answer.contains("helloHTTP/1.1 400 "), "{answer}");
    assert!(answer.ends_with("{\"failure\":\"Malformed 127.0.0.1\"}"));
    server.stop().await;

    let server = Running::with(|limits| limits.discard = NEVER).await;
    server.exchange("?? ?\r\n\r\n").await;
    let closed = |load: &Load| load.connections() == 0;
    server.holds("a client that closes ends it", closed).await;
    server.stop().await;
}

/// Heads and bodies that a proxy in front may read otherwise than this server, so that it sees one
/// request where there are two (RFC 9112, 11.2).
#[tokio::test]
async fn nothing_is_hidden_behind_what_can_be_read_in_two_ways() {
    let server = Running::with(usual).await;
    for row in rows(include_str!("tables/framing.txt")) {
        let [statuses, headers, body] = &row[..] else {
            panic!("{row:?}");
        };
        // A request that nobody but this server has seen. The connection ends with it.
        let answers = post("/echo", headers, body) + &last("/hello");
        let answers = server.exchange(answers).await;
        let found = answers
            .split("HTTP/1.1 ")
            .skip(1)
            .map(|answer| &answer[..3]);
        assert_eq!(found.collect::<Vec<_>>().join(" "), *statuses, "{row:?}");
    }
    server.stop().await;
}

#[tokio::test]
async fn a_host_has_to_be_one() {
    const GOOD: &str = "shop.example|shop.example:8443|shop.example:|127.0.0.1:8080|[::1]|\
        [2001:db8::1]:8443|shop_1.example";
    const BAD: &str = "|:80|shop.example:http|shop.example:99999|shop.example:+80|\
        user@shop.example|shop.example/path|shop example|shop<example|2001:db8::1|[::1|\
        [shop.example]|[::1]80|shop.example, other.example|a,b|shop.example;other.example|\
        shop%2Cexample|shop.example*|(shop)|sh\u{f6}p.example";
    let server = Running::with(usual).await;
    for (hosts, end) in [(GOOD, "hello"), (BAD, "{\"failure\":\"Host 127.0.0.1\"}")] {
        for host in hosts.split('|') {
            let answer = server.exchange(last("/hello").replace("x", host)).await;
            assert!(answer.ends_with(end), "{host}: {answer}");
        }
    }
    let none = server.exchange("GET /hello HTTP/1.0\r\n\r\n").await;
    assert!(none.contains(" 200 ") && none.ends_with("hello"), "{none}");
    server.stop().await;
}

/// What fits into 64 bits is for the app to refuse, by its own limit.
#[tokio::test]
async fn an_absurd_length_is_refused_before_it_is_waited_for() {
    use tokio::io::AsyncWriteExt as _;

    let server = Running::with(usual).await;
    for length in ["9223372036854775807", "18446744073709551613"] {
        let request = post("/echo", &format!("Content-Length: {length}"), "x");
        let mut stream = server.sent(request).await;
        stream.shutdown().await.unwrap();
        let answer = read_to_end(&mut stream).await;
        assert!(answer.starts_with("HTTP/1.1 413 "), "{length}: {answer}");
    }
    server.stop().await;
}

/// The id added by the server is no header of the client's.
#[tokio::test]
async fn the_limits_of_a_head_are_exact() {
    let server = Running::with(|l| (l.uri_bytes, l.header_bytes) = (20, 40)).await;
    for (path, value, end) in [
        (20, 0, "not found"),
        (21, 0, "{\"failure\":\"UriTooLong(20) 127.0.0.1\"}"),
        (20, 16, "not found"),
        (20, 17, "{\"failure\":\"HeadersTooLarge(40) 127.0.0.1\"}"),
    ] {
        // 24 bytes: of the method, `Host: x`, `Connection: close` and the name of `a`.
        let path = format!("/{}", "p".repeat(path - 1));
        let header = format!("\r\na: {}\r\n\r\n", "v".repeat(value));
        let request = last(&path).replace("\r\n\r\n", &header);
        let answer = server.exchange(&request).await;
        assert!(answer.ends_with(end), "{request}: {answer}");
    }
    let any = server.exchange("OPTIONS * HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n");
    assert!(any.await.ends_with("not found"));
    server.stop().await;
}

#[tokio::test]
async fn large_heads_over_http_2() {
    let server = Running::with(usual).await;
    let client = client(V::Two);
    let long = server
        .get(&client, &format!("/{}", "p".repeat(10_000)))
        .await;
    assert_eq!(long.status, 414);
    assert!(long.text().contains("UriTooLong"));
    let large = client
        .get(server.url("/hello"))
        .header("a", "v".repeat(20_000));
    let large = send(large).await;
    assert_eq!(large.status, 431);
    assert!(large.text().contains("HeadersTooLarge"));
    server.stop().await;
}

#[tokio::test]
async fn both_versions_are_answered_and_marked() {
    let server = Running::with(usual).await;
    for version in BOTH {
        let client = client(version);
        let answer = server.get(&client, "/hello").await;
        assert_eq!((answer.status, answer.text()), (200, "hello"));
        assert_eq!(answer.version == Version::HTTP_2, version == V::Two);
        assert_eq!(answer.headers["x-content-type-options"], "nosniff");
        assert!(answer.headers.contains_key("date"));
        let id = answer.headers["x-request-id"].to_str().unwrap();
        assert!(Uuid::parse_str(id).is_ok(), "{id}");
        // Twice: a stray body would break the second request on the same connection.
        for _ in 0..2 {
            let head = send(client.head(server.url("/hello"))).await;
            assert_eq!(head.headers["content-length"], "5");
            assert_eq!(head.body.len(), 0);
        }
        let panicked = server.get(&client, "/panic").await;
        assert_eq!(panicked.status, 500);
        assert_eq!(panicked.headers["x-ratelimit-limit"], "120");
        assert!(panicked.headers.contains_key("x-request-id"));
        assert!(panicked.text().contains("Panicked"));
        assert_eq!(server.get(&client, "/hello").await.status, 200);
    }
    // The connection goes on after a panic.
    let both = server.exchange(get("/panic") + &last("/hello")).await;
    assert!(
        both.contains("HTTP/1.1 500") && both.ends_with("hello"),
        "{both}"
    );
    // Plain HTTP wishes for no TLS.
    assert!(!both.contains("strict-transport-security"), "{both}");
    server.stop().await;
}

#[tokio::test]
async fn a_usable_request_id_is_kept_and_another_replaced() {
    let server = Running::with(usual).await;
    let client = client(V::One);
    let (longest, longer) = ("x".repeat(100), "x".repeat(101));
    for (sent, kept) in [
        ("a.B_c-1", true),
        (&longest, true),
        (&longer, false),
        ("", false),
        ("a b", false),
        ("a\"b", false),
    ] {
        let request = client.get(server.url("/id")).header("x-request-id", sent);
        let answer = send(request).await;
        let id = answer.headers["x-request-id"].to_str().unwrap();
        assert_eq!(id == sent, kept, "{sent}");
        assert_eq!(answer.text(), id, "the app sees the same id");
    }
    server.stop().await;
}

/// The answer of `/peer` to a request with these headers.
async fn peer(server: &Running, headers: &str) -> String {
    let request = last("/peer").replace("Host: x\r\n", &format!("Host: x\r\n{headers}"));
    let answer = server.exchange(request).await;
    answer.rsplit("\r\n").next().unwrap_or_default().to_owned()
}

#[tokio::test]
async fn the_client_is_the_last_address_that_is_no_proxy() {
    let server = Running::behind("127.0.0.1, 10.0.0.0/8, fd00::/8", usual).await;
    for row in rows(include_str!("tables/proxies.txt")) {
        assert_eq!(peer(&server, &row[1]).await, row[0], "{row:?}");
    }
    for proto in ["http", "HTTP", "https, http", "http, https", "", "ftp"] {
        let headers = format!("X-Forwarded-For: 203.0.113.7\r\nX-Forwarded-Proto: {proto}\r\n");
        let answer = peer(&server, &headers).await;
        assert!(answer.contains("HttpsOnly"), "{proto}: {answer}");
    }
    server.stop().await;
    let forged = "X-Forwarded-For: 203.0.113.7\r\nX-Forwarded-Proto: https\r\n";
    for server in [
        Running::behind("10.0.0.7", usual).await,
        Running::with(usual).await,
    ] {
        assert_eq!(
            peer(&server, forged).await,
            "127.0.0.1 false",
            "others are not believed"
        );
        server.stop().await;
    }
}
