//! What stops a server from starting, and whether it says so clearly.

use std::{fs, net::SocketAddr, path::PathBuf};

use connect_server::net::{self, Listen, PlainHttp, Server, TlsFiles, networks::Networks};
use tempfile::TempDir;

use super::harness::loopback;

/// A self-signed certificate and its key in files.
pub(super) struct Certificate {
    pub(super) pem: String,
    dir: TempDir,
}

impl Certificate {
    pub(super) fn new(name: &str) -> Self {
        let made = rcgen::generate_simple_self_signed([name.to_owned()]).expect("a certificate");
        let dir = TempDir::new().expect("a directory");
        let pem = made.cert.pem();
        fs::write(dir.path().join("cert.pem"), &pem).expect("writes");
        fs::write(dir.path().join("key.pem"), made.signing_key.serialize_pem()).expect("writes");
        Self { pem, dir }
    }

    pub(super) fn files(&self) -> TlsFiles {
        TlsFiles {
            certificates: self.file("cert.pem"),
            key: self.file("key.pem"),
        }
    }

    /// The same as the server reads it.
    pub(super) fn read(&self) -> net::Certificate {
        net::Certificate::read(self.files()).expect("can be read")
    }

    pub(super) fn file(&self, name: &str) -> PathBuf {
        self.dir.path().join(name)
    }
}

pub(super) async fn refusal(listen: Listen) -> String {
    Server::bind(listen)
        .await
        .expect_err("cannot start")
        .to_string()
}

#[tokio::test]
async fn plain_http_for_everyone_must_be_asked_for() {
    for address in ["0.0.0.0:0", "[::ffff:0.0.0.0]:0"] {
        let listen = Listen::on(address.parse().expect("an address"));
        let error = refusal(listen.clone()).await;
        for way_out in ["--tls-cert", "--trusted-proxy", "--insecure-http"] {
            assert!(error.contains(way_out), "{error}");
        }
        if address.starts_with('[') {
            continue;
        }
        let proxies: Networks = "10.0.0.7".parse().expect("an address");
        for plain in [PlainHttp::Anywhere, PlainHttp::BehindProxy(proxies)] {
            let server = Server::bind(Listen {
                plain,
                ..listen.clone()
            })
            .await
            .expect("starts");
            assert_ne!(server.address().port(), 0);
        }
    }
}

#[tokio::test]
async fn a_taken_port_is_named() {
    let first = Server::bind(Listen::on(loopback())).await.expect("starts");
    let address: SocketAddr = first.address();
    let error = refusal(Listen::on(address)).await;
    assert!(
        error.contains(&address.to_string()) && error.contains("in use"),
        "{error}"
    );
}

#[test]
fn proxies_are_addresses_and_networks() {
    let proxies: Networks = "10.0.0.7,192.168.0.0/16 , fd00::/8"
        .parse()
        .expect("a list");
    for (address, trusted) in [
        ("10.0.0.7", true),
        ("10.0.0.8", false),
        ("192.168.255.255", true),
        ("fd00::1", true),
        ("fe80::1", false),
    ] {
        assert_eq!(
            proxies.contains(address.parse().expect("an address")),
            trusted,
            "{address}"
        );
    }
    for wrong in [
        "",
        "10.0.0",
        "10.0.0.0/33",
        "proxy.example",
        "10.0.0.7,,10.0.0.8",
    ] {
        assert!(wrong.parse::<Networks>().is_err(), "{wrong}");
    }
}
