//! Behind a proxy that ends TLS.

use connect_server::net::{Listen, PlainHttp};

use super::harness::{Running, loopback};

async fn behind(proxies: &str) -> Running {
    let plain = PlainHttp::BehindProxy(proxies.parse().expect("addresses"));
    Running::start(Listen {
        plain,
        ..Listen::on(loopback())
    })
    .await
}

async fn peer(server: &Running, headers: &str) -> String {
    let request = format!("GET /peer HTTP/1.1\r\nHost: x\r\nConnection: close\r\n{headers}\r\n");
    let answer = server.exchange(&request).await;
    answer.rsplit("\r\n").next().unwrap_or_default().to_owned()
}

#[tokio::test]
async fn the_client_is_the_last_address_that_is_no_proxy() {
    let server = behind("127.0.0.1, 10.0.0.0/8, fd00::/8").await;
    for (headers, expected) in [
        ("", "127.0.0.1 false"),
        ("X-Forwarded-For: 203.0.113.7\r\n", "203.0.113.7 false"),
        (
            "X-Forwarded-For: 203.0.113.7\r\nX-Forwarded-Proto: https\r\n",
            "203.0.113.7 true",
        ),
        (
            "X-Forwarded-For: 1.1.1.1, 203.0.113.7\r\n",
            "203.0.113.7 false",
        ),
        (
            "X-Forwarded-For: 1.1.1.1, 203.0.113.7, 10.1.2.3\r\n",
            "203.0.113.7 false",
        ),
        (
            "X-Forwarded-For: 203.0.113.7\r\nX-Forwarded-For: 10.1.2.3\r\n",
            "203.0.113.7 false",
        ),
        ("X-Forwarded-For: 10.1.2.4,10.1.2.3\r\n", "10.1.2.4 false"),
        ("X-Forwarded-For: 203.0.113.7:4711\r\n", "203.0.113.7 false"),
        ("X-Forwarded-For: 2001:db8::1\r\n", "2001:db8::1 false"),
        (
            "X-Forwarded-For: [2001:db8::1]:4711\r\n",
            "2001:db8::1 false",
        ),
        ("X-Forwarded-For: [2001:db8::1]\r\n", "2001:db8::1 false"),
        (
            "X-Forwarded-For: ::ffff:203.0.113.7\r\n",
            "203.0.113.7 false",
        ),
        (
            "X-Forwarded-For: 203.0.113.7, fd12::1, ::ffff:10.0.0.1\r\n",
            "203.0.113.7 false",
        ),
        ("X-Forwarded-For: unknown\r\n", "127.0.0.1 false"),
        ("X-Forwarded-For: 203.0.113.7, \r\n", "127.0.0.1 false"),
        (
            "X-Forwarded-For: 203.0.113.7, what, 10.1.2.3\r\n",
            "127.0.0.1 false",
        ),
        (
            "X-Forwarded-For: what, 203.0.113.7\r\n",
            "203.0.113.7 false",
        ),
        (
            "X-Forwarded-For: \u{fc}\r\nX-Forwarded-For: 203.0.113.7\r\n",
            "203.0.113.7 false",
        ),
        (
            "X-Forwarded-For: 203.0.113.7\r\nX-Forwarded-For: \u{fc}\r\n",
            "127.0.0.1 false",
        ),
        ("Forwarded: for=203.0.113.7\r\n", "127.0.0.1 false"),
    ] {
        assert_eq!(peer(&server, headers).await, expected, "{headers}");
    }
    server.stop().await;
}

#[tokio::test]
async fn a_client_that_came_without_tls_is_refused() {
    let server = behind("127.0.0.1").await;
    for proto in ["http", "HTTP", "https, http", "http, https", "", "ftp"] {
        let headers = format!("X-Forwarded-For: 203.0.113.7\r\nX-Forwarded-Proto: {proto}\r\n");
        let answer = peer(&server, &headers).await;
        assert!(answer.contains("HttpsOnly"), "{proto}: {answer}");
    }
    server.stop().await;
}

#[tokio::test]
async fn others_are_not_believed() {
    let forged = "X-Forwarded-For: 203.0.113.7\r\nX-Forwarded-Proto: https\r\n";
    let behind = behind("10.0.0.7").await;
    let direct = Running::start(Listen::on(loopback())).await;
    for server in [behind, direct] {
        assert_eq!(peer(&server, forged).await, "127.0.0.1 false");
        server.stop().await;
    }
}
