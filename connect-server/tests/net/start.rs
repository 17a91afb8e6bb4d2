//! What stops a server from starting, and whether it says so clearly.

use std::{fs, path::PathBuf};

use connect_server::net::{self, Listen, PlainHttp, Server, TlsFiles, networks::Networks};
use rcgen::{CertificateParams, KeyPair, date_time_ymd};
use tempfile::TempDir;

use super::kit::loopback;

/// A self-signed certificate and its key in files.
pub(super) struct Certificate {
    pub(super) pem: String,
    dir: TempDir,
}

impl Certificate {
    pub(super) fn new() -> Self {
        let (pem, key) = valid(2000, 4000);
        let made = Self {
            pem,
            dir: TempDir::new().unwrap(),
        };
        made.write("cert.pem", &made.pem);
        made.write("key.pem", &key);
        made
    }

    /// The same as the server reads it.
    pub(super) fn read(&self) -> net::Certificate {
        read(self.file("cert.pem"), self.file("key.pem")).unwrap()
    }

    pub(super) fn file(&self, name: &str) -> PathBuf {
        self.dir.path().join(name)
    }

    pub(super) fn write(&self, name: &str, content: &str) {
        fs::write(self.file(name), content).unwrap();
    }
}

fn read(certificates: PathBuf, key: PathBuf) -> Result<net::Certificate, net::StartError> {
    net::Certificate::read(TlsFiles { certificates, key })
}

/// A certificate valid between the beginnings of these years, and its key.
fn valid(from: i32, to: i32) -> (String, String) {
    let mut certificate = CertificateParams::new(["localhost".to_owned()]).unwrap();
    certificate.not_before = date_time_ymd(from, 1, 1);
    certificate.not_after = date_time_ymd(to, 1, 1);
    let key = KeyPair::generate().unwrap();
    (
        certificate.self_signed(&key).unwrap().pem(),
        key.serialize_pem(),
    )
}

async fn refusal(listen: Listen) -> String {
    let refused = Server::bind(listen).await.expect_err("cannot start");
    refused.to_string()
}

#[tokio::test]
async fn plain_http_for_everyone_must_be_asked_for() {
    let everywhere = Listen::on(([0, 0, 0, 0], 0).into());
    for listen in [
        everywhere.clone(),
        Listen::on("[::ffff:0.0.0.0]:0".parse().unwrap()),
    ] {
        let error = refusal(listen).await;
        for way_out in ["--tls-cert", "--trusted-proxy", "--insecure-http"] {
            assert!(error.contains(way_out), "{error}");
        }
    }
    let proxies: Networks = "10.0.0.7".parse().unwrap();
    for plain in [PlainHttp::Anywhere, PlainHttp::BehindProxy(proxies)] {
        let listen = Listen {
            plain,
            ..everywhere.clone()
        };
        assert_ne!(
            Server::bind(listen).await.expect("starts").address().port(),
            0
        );
    }
}

#[tokio::test]
async fn a_taken_port_is_named() {
    let first = Server::bind(Listen::on(loopback())).await.unwrap();
    let error = refusal(Listen::on(first.address())).await;
    assert!(error.contains(&first.address().to_string()), "{error}");
    assert!(error.contains("in use"), "{error}");
}

#[test]
fn proxies_are_addresses_and_networks() {
    let proxies: Networks = "10.0.0.7,192.168.0.0/16 , fd00::/8".parse().unwrap();
    for (addresses, trusted) in [
        ("10.0.0.7 192.168.255.255 fd00::1", true),
        ("10.0.0.8 fe80::1", false),
    ] {
        for address in addresses.split(' ') {
            assert_eq!(
                proxies.contains(address.parse().unwrap()),
                trusted,
                "{address}"
            );
        }
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

/// Files refused at the start: the error names the one and its problem.
#[test]
fn files_without_what_they_should_have_are_named() {
    let (good, other) = (Certificate::new(), Certificate::new());
    let of_nothing = "-----BEGIN CERTIFICATE-----\nAAAA\n";
    let closed = of_nothing.to_owned() + "-----END CERTIFICATE-----\n";
    let other_key = fs::read_to_string(other.file("key.pem")).unwrap();
    let (past, past_key) = valid(2000, 2020);
    let (future, future_key) = valid(4000, 4001);
    let reversed = valid(2000, 4000).0 + &good.pem;
    for (name, content) in [
        ("empty.pem", "\n"),
        ("text.pem", "certificate goes here"),
        ("torn.pem", of_nothing),
        ("noise.pem", &closed),
        ("other-key.pem", &other_key),
        // Keys that a passphrase opens, in the form of today and in that of old.
        ("encrypted.pem", include_str!("tls_files/encrypted.pem")),
        (
            "encrypted-old.pem",
            include_str!("tls_files/encrypted-old.pem"),
        ),
        // An RSA key of 1024 bits, and its certificate.
        ("weak.pem", include_str!("tls_files/weak.pem")),
        ("weak-key.pem", include_str!("tls_files/weak-key.pem")),
        ("past.pem", &past),
        ("past-key.pem", &past_key),
        ("future.pem", &future),
        ("future-key.pem", &future_key),
        ("reversed.pem", &reversed),
    ] {
        good.write(name, content);
    }
    for row in "none key none No such file\n\
        empty key empty it is empty\n\
        text key text no certificate in PEM form\n\
        key key key which --tls-key takes\n\
        torn key torn not valid PEM\n\
        noise key noise cannot be used\n\
        cert none none No such file\n\
        cert empty empty it is empty\n\
        cert text text no private key in PEM form\n\
        cert cert cert which --tls-cert takes\n\
        cert other-key other-key does not belong\n\
        cert encrypted encrypted encrypted\n\
        cert encrypted-old encrypted-old encrypted\n\
        weak weak-key weak RSA with 1024 bits\n\
        cert weak-key weak-key RSA with 2048 to 4096 bits\n\
        past past-key past has expired\n\
        future future-key future not valid yet\n\
        reversed key reversed the key is that of certificate 2"
        .lines()
    {
        let mut fields = row.splitn(4, ' ');
        let mut file = || good.file(&format!("{}.pem", fields.next().unwrap()));
        let (certificates, key, named) = (file(), file(), file());
        let error = read(certificates, key).expect_err(row).to_string();
        assert!(
            error.contains(&named.display().to_string()),
            "{row}: {error}"
        );
        // The name of a file is no problem.
        let said = error.replace(&named.display().to_string(), "");
        assert!(said.contains(fields.next().unwrap()), "{row}: {error}");
    }
}
