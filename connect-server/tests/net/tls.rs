//! TLS, and what else arrives at a port that speaks it.

use std::{fs, time::Duration};

use connect_server::net::{Limits, Listen};
use http::StatusCode;
use tokio::io::AsyncWriteExt;

use super::{
    harness::{Running, loopback, read_to_end},
    start::Certificate,
};

async fn serve(certificate: &Certificate, limits: Limits) -> Running {
    let tls = Some(certificate.read());
    Running::start(Listen {
        tls,
        limits,
        ..Listen::on(loopback())
    })
    .await
}

fn client(certificate: &Certificate) -> reqwest::ClientBuilder {
    let _ = rustls::crypto::ring::default_provider().install_default();
    let root = reqwest::Certificate::from_pem(certificate.pem.as_bytes()).expect("a certificate");
    reqwest::Client::builder().no_proxy().tls_certs_only([root])
}

#[tokio::test]
async fn both_versions_of_http_and_of_tls() {
    let certificate = Certificate::new("localhost");
    let server = serve(&certificate, Limits::default()).await;
    assert!(server.url("").starts_with("https://"));
    for tls in [
        reqwest::tls::Version::TLS_1_2,
        reqwest::tls::Version::TLS_1_3,
    ] {
        for http2 in [false, true] {
            let builder = client(&certificate)
                .tls_version_min(tls)
                .tls_version_max(tls);
            let builder = if http2 { builder } else { builder.http1_only() };
            let client = builder.build().expect("a client");
            let answer = client
                .get(server.url("/peer"))
                .send()
                .await
                .expect("an answer");
            assert_eq!(answer.version() == http::Version::HTTP_2, http2);
            assert_eq!(
                answer.headers()["strict-transport-security"],
                "max-age=31536000"
            );
            assert_eq!(answer.text().await.expect("a body"), "127.0.0.1 true");
            let answer = client
                .head(server.url("/hello"))
                .send()
                .await
                .expect("an answer");
            assert_eq!(answer.headers()["content-length"], "5");
            let answer = client
                .get(server.url("/panic"))
                .send()
                .await
                .expect("an answer");
            assert_eq!(answer.status(), StatusCode::INTERNAL_SERVER_ERROR);
            let big = client
                .get(server.url("/hello"))
                .send()
                .await
                .expect("an answer");
            assert_eq!(big.text().await.expect("a body"), "hello");
        }
    }
    server.stop().await;
}

#[tokio::test]
async fn anything_but_tls_is_answered_in_the_clear_and_closed() {
    let certificate = Certificate::new("localhost");
    let server = serve(&certificate, Limits::default()).await;
    let post = format!(
        "POST /hello HTTP/1.1\r\nHost: x\r\nContent-Length: 300000\r\n\r\n{}",
        "x".repeat(300_000)
    );
    for request in [
        "GET /hello HTTP/1.1\r\nHost: x\r\n\r\n",
        "\u{1}\u{2}\u{3}",
        post.as_str(),
    ] {
        let mut stream = server.connect().await;
        stream.write_all(request.as_bytes()).await.expect("writes");
        let answer = read_to_end(&mut stream).await;
        assert!(
            answer.starts_with("HTTP/1.1 400 Bad Request\r\n"),
            "{answer}"
        );
        assert!(answer.contains("\r\nconnection: close\r\n"), "{answer}");
        assert!(answer.contains("\r\nx-request-id: "), "{answer}");
        assert!(!answer.contains("strict-transport-security"), "{answer}");
        assert!(
            answer.ends_with("{\"failure\":\"HttpsOnly 127.0.0.1\"}"),
            "{answer}"
        );
    }
    server.stop().await;
}

/// The answer of a server to a client that trusts this certificate alone.
async fn trusted(server: &Running, certificate: &Certificate) -> bool {
    let client = client(certificate).build().expect("a client");
    client.get(server.url("/hello")).send().await.is_ok()
}

#[tokio::test]
async fn a_certificate_is_read_again() {
    let [first, second] = [(); 2].map(|()| Certificate::new("localhost"));
    let in_use = first.read();
    let server = Running::start(Listen {
        tls: Some(in_use.clone()),
        ..Listen::on(loopback())
    })
    .await;
    let open = client(&first).build().expect("a client");
    assert!(open.get(server.url("/hello")).send().await.is_ok());
    assert!(!in_use.read_again().expect("the same"));

    let replace = |name: &str| fs::copy(second.file(name), first.file(name)).expect("copies");
    // Between the two files they do not fit each other.
    replace("cert.pem");
    let refused = in_use.read_again().expect_err("cannot be used").to_string();
    assert!(refused.contains("does not belong"), "{refused}");
    assert!(trusted(&server, &first).await && !trusted(&server, &second).await);

    replace("key.pem");
    assert!(in_use.read_again().expect("can be used"));
    assert!(!trusted(&server, &first).await && trusted(&server, &second).await);
    // Connections that are open go on.
    assert!(open.get(server.url("/hello")).send().await.is_ok());

    let broken = [
        ("", "it is empty"),
        ("no PEM", "no certificate in PEM form"),
    ];
    for (content, problem) in broken {
        fs::write(first.file("cert.pem"), content).expect("writes");
        let refused = in_use.read_again().expect_err("cannot be used").to_string();
        assert!(refused.contains(problem), "{refused}");
        assert!(trusted(&server, &second).await);
    }
    fs::remove_file(first.file("key.pem")).expect("removes");
    in_use.read_again().expect_err("cannot be used");
    assert!(trusted(&server, &second).await);
    server.stop().await;
}

#[tokio::test]
async fn plain_http_wishes_for_no_tls() {
    let server = Running::plain(Limits::default()).await;
    let answer = server.exchange("GET /hello HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n");
    let answer = answer.await;
    assert!(answer.ends_with("hello"), "{answer}");
    assert!(!answer.contains("strict-transport-security"), "{answer}");
    server.stop().await;
}

#[tokio::test]
async fn an_unfinished_handshake_ends() {
    let certificate = Certificate::new("localhost");
    let limits = Limits {
        handshake: Duration::from_millis(50),
        drain: Duration::from_secs(3600),
        ..Limits::default()
    };
    let server = serve(&certificate, limits).await;
    for start in ["", "\u{16}", "\u{16}\u{3}\u{1}\u{2}\0\u{1}"] {
        assert_eq!(server.exchange(start).await, "");
    }
    server.stop().await;

    let patient = Limits {
        handshake: Duration::from_secs(3600),
        drain: Duration::from_secs(3600),
        ..Limits::default()
    };
    let server = serve(&certificate, patient).await;
    let mut waiting = server.connect().await;
    waiting.write_all(b"\x16\x03").await.expect("writes");
    server.stop().await;
    read_to_end(&mut waiting).await;
}
