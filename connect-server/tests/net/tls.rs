//! TLS, and what else arrives at a port that speaks it.

use std::{fs, sync::Arc};

use connect_server::net::{Limits, Listen};
use http::Version;
use reqwest::tls::Version as Tls;
use rustls::pki_types::{CertificateDer, ServerName, pem::PemObject as _};
use tokio::io::AsyncWriteExt as _;
use tokio_rustls::TlsConnector;

use super::{
    kit::{NEVER, Running, SOON, get, loopback, read_to_end, send},
    lives::let_go_later,
    start::Certificate,
};

async fn serve<T>(certificate: &Certificate, change: impl FnOnce(&mut Limits) -> T) -> Running {
    let mut listen = Listen::on(loopback());
    listen.tls = Some(certificate.read());
    change(&mut listen.limits);
    Running::start(listen).await
}

fn client(certificate: &Certificate) -> reqwest::ClientBuilder {
    let _ = rustls::crypto::ring::default_provider().install_default();
    let root = reqwest::Certificate::from_pem(certificate.pem.as_bytes()).unwrap();
    reqwest::Client::builder().no_proxy().tls_certs_only([root])
}

#[tokio::test]
async fn both_versions_of_http_and_of_tls() {
    let certificate = Certificate::new();
    let server = serve(&certificate, |_| ()).await;
    assert!(server.url("").starts_with("https://"));
    for tls in [Tls::TLS_1_2, Tls::TLS_1_3] {
        for http2 in [false, true] {
            let builder = client(&certificate)
                .tls_version_min(tls)
                .tls_version_max(tls);
            let builder = if http2 { builder } else { builder.http1_only() };
            let client = builder.build().unwrap();
            let answer = server.get(&client, "/peer").await;
            assert_eq!(answer.version == Version::HTTP_2, http2);
            assert_eq!(
                answer.headers["strict-transport-security"],
                "max-age=31536000"
            );
            assert_eq!(answer.text(), "127.0.0.1 true");
            let head = send(client.head(server.url("/hello"))).await;
            assert_eq!(head.headers["content-length"], "5");
            assert_eq!(server.get(&client, "/panic").await.status, 500);
            assert_eq!(server.get(&client, "/hello").await.text(), "hello");
        }
    }
    server.stop().await;
}

#[tokio::test]
async fn anything_but_tls_is_answered_in_the_clear_and_closed() {
    let server = serve(&Certificate::new(), |_| ()).await;
    let large = super::kit::post("/hello", "Content-Length: 300000", &"x".repeat(300_000));
    for request in [&get("/hello"), "\u{1}\u{2}\u{3}", &large] {
        let answer = server.exchange(request).await;
        let (head, body) = answer.split_once("\r\n\r\n").unwrap();
        assert!(head.starts_with("HTTP/1.1 400 Bad Request\r\n"), "{head}");
        assert!(head.contains("\r\nconnection: close"), "{head}");
        assert!(head.contains("\r\nx-request-id: "), "{head}");
        assert!(!head.contains("strict-transport-security"), "{head}");
        assert_eq!(body, "{\"failure\":\"HttpsOnly 127.0.0.1\"}");
    }
    server.stop().await;
}

/// Returns whether a server answers a client trusting this certificate alone.
async fn trusted(server: &Running, certificate: &Certificate) -> bool {
    let client = client(certificate).build().unwrap();
    client.get(server.url("/hello")).send().await.is_ok()
}

#[tokio::test]
async fn a_certificate_is_read_again() {
    let [first, second] = [(); 2].map(|()| Certificate::new());
    let in_use = first.read();
    let mut listen = Listen::on(loopback());
    listen.tls = Some(in_use.clone());
    let server = Running::start(listen).await;
    let open = client(&first).build().unwrap();
    assert_eq!(server.get(&open, "/hello").await.status, 200);
    assert!(!in_use.read_again().expect("the same"));

    let replace = |name: &str| fs::copy(second.file(name), first.file(name)).unwrap();
    // Between the two files they do not fit each other.
    replace("cert.pem");
    let refused = in_use.read_again().unwrap_err().to_string();
    assert!(refused.contains("does not belong"), "{refused}");
    assert!(trusted(&server, &first).await && !trusted(&server, &second).await);
    replace("key.pem");
    assert!(in_use.read_again().expect("can be used"));
    assert!(!trusted(&server, &first).await && trusted(&server, &second).await);
    // Connections that are open go on.
    assert_eq!(server.get(&open, "/hello").await.status, 200);
    for (content, problem) in [
        ("", "it is empty"),
        ("no PEM", "no certificate in PEM form"),
    ] {
        first.write("cert.pem", content);
        let refused = in_use.read_again().unwrap_err().to_string();
        assert!(refused.contains(problem), "{refused}");
        assert!(trusted(&server, &second).await);
    }
    fs::remove_file(first.file("key.pem")).unwrap();
    in_use.read_again().unwrap_err();
    assert!(trusted(&server, &second).await);
    server.stop().await;
}

#[tokio::test]
async fn an_unfinished_handshake_ends() {
    let certificate = Certificate::new();
    let server = serve(&certificate, |l| (l.handshake, l.drain) = (SOON, NEVER)).await;
    for start in ["", "\u{16}", "\u{16}\u{3}\u{1}\u{2}\0\u{1}"] {
        assert_eq!(server.exchange(start).await, "");
    }
    // Nor does a probe that only connects get an answer.
    let mut probe = server.connect().await;
    probe.shutdown().await.unwrap();
    assert_eq!(read_to_end(&mut probe).await, "");
    server.stop().await;
    let server = serve(&certificate, |l| (l.handshake, l.drain) = (NEVER, NEVER)).await;
    let mut waiting = server.sent(b"\x16\x03").await;
    server.stop().await;
    read_to_end(&mut waiting).await;
}

/// A client ending its side after a whole request, as over plain HTTP.
#[tokio::test]
async fn who_has_sent_a_whole_request_over_tls_gets_the_answer() {
    let certificate = Certificate::new();
    let server = serve(&certificate, |_| ()).await;
    let mut roots = rustls::RootCertStore::empty();
    let root = CertificateDer::from_pem_slice(certificate.pem.as_bytes()).unwrap();
    roots.add(root).unwrap();
    let provider = rustls::crypto::ring::default_provider();
    let config = rustls::ClientConfig::builder_with_provider(provider.into())
        .with_safe_default_protocol_versions()
        .unwrap()
        .with_root_certificates(roots)
        .with_no_client_auth();
    let name = ServerName::try_from("localhost").unwrap();
    let connector = TlsConnector::from(Arc::new(config));
    let mut stream = connector
        .connect(name, server.connect().await)
        .await
        .unwrap();
    stream.write_all(get("/wait").as_bytes()).await.unwrap();
    stream.shutdown().await.unwrap();
    let (answer, ()) = tokio::join!(read_to_end(&mut stream), let_go_later(&server));
    assert!(answer.ends_with("\r\n\r\nwaited"), "{answer}");
    server.stop().await;
}
