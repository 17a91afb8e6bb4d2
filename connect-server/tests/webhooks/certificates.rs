//! Certificates of endpoints.

use std::sync::Arc;

use connect_server::{networks::Networks, webhooks::WebhookClient};
use rcgen::{BasicConstraints, CertificateParams, CertifiedIssuer, IsCa, KeyPair, date_time_ymd};
use rustls::{
    ServerConfig,
    pki_types::{PrivateKeyDer, pem::PemObject as _},
};
use tokio::{io::AsyncWriteExt as _, net::TcpListener};
use tokio_rustls::TlsAcceptor;

use super::{PATIENCE, Told, send, settings};
use crate::host::{Host, Script};

/// An authority that clients are told to trust.
struct Authority(CertifiedIssuer<'static, KeyPair>);

impl Authority {
    fn new() -> Self {
        let mut params = CertificateParams::new(Vec::new()).unwrap();
        params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
        let key = KeyPair::generate().unwrap();
        Self(CertifiedIssuer::self_signed(params, key).unwrap())
    }

    /// An endpoint with a certificate for this host, which is valid up to this year.
    async fn endpoint(&self, host: &str, until: i32) -> Host {
        let mut params = CertificateParams::new(vec![host.to_owned()]).unwrap();
        params.not_before = date_time_ymd(2020, 1, 1);
        params.not_after = date_time_ymd(until, 1, 1);
        let key = KeyPair::generate().unwrap();
        let certificate = params.signed_by(&key, &self.0).unwrap();
        let key = PrivateKeyDer::from_pem_slice(key.serialize_pem().as_bytes()).unwrap();
        let _ = rustls::crypto::ring::default_provider().install_default();
        let config = ServerConfig::builder().with_no_client_auth();
        let config = config.with_single_cert(vec![certificate.der().clone()], key);
        let acceptor = TlsAcceptor::from(Arc::new(config.unwrap()));
        Host::start_tls(acceptor, |_| Script::ok(b"")).await
    }
}

#[tokio::test]
async fn a_certificate_has_to_be_trusted_valid_and_for_the_host() {
    let (known, unknown) = (Authority::new(), Authority::new());
    let mut settings = settings(Networks::loopback());
    settings.names = Told::new(&[&["127.0.0.1"]]);
    let root = reqwest::Certificate::from_der(known.0.der()).unwrap();
    settings.authorities = vec![root];
    let client = WebhookClient::with(settings, PATIENCE).unwrap();
    for (authority, host, until, expected) in [
        (&known, "hooks.example", 4000, Ok(200)),
        (&known, "hooks.example", 2021, Err("has expired")),
        (&known, "other.example", 4000, Err("another host name")),
        (&unknown, "hooks.example", 4000, Err("is not trusted")),
    ] {
        let endpoint = authority.endpoint(host, until).await;
        let url = format!("https://hooks.example:{}/", endpoint.address.port());
        match (send(&client, &url).await, expected) {
            (Ok(status), Ok(expected)) if status == expected => {}
            (Err(said), Err(expected)) if said.contains(expected) => {}
            (sent, expected) => panic!("{sent:?} instead of {expected:?}"),
        }
        assert_eq!(endpoint.requests(), usize::from(expected.is_ok()));
    }
    let plain = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("https://{}/", plain.local_addr().unwrap());
    let speaks_first = async {
        let (mut stream, _) = plain.accept().await.unwrap();
        stream.write_all(b"220 this is no TLS\r\n").await.unwrap();
        stream
    };
    let (failed, _stream) = tokio::join!(send(&client, &url), speaks_first);
    let failed = failed.unwrap_err();
    assert!(failed.contains("TLS failed"), "{failed}");
}
