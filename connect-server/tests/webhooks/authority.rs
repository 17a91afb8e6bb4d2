//! Certificates of endpoints, from an authority of the tests.

use std::sync::Arc;

use rcgen::{BasicConstraints, CertificateParams, CertifiedIssuer, IsCa, KeyPair, date_time_ymd};
use rustls::{
    ServerConfig,
    pki_types::{PrivateKeyDer, pem::PemObject as _},
};
use tokio_rustls::TlsAcceptor;

use crate::host::{Host, Script};

/// An authority that clients can be told to trust.
pub(super) struct Authority(CertifiedIssuer<'static, KeyPair>);

impl Authority {
    pub(super) fn new() -> Self {
        let mut params = CertificateParams::new(Vec::new()).unwrap();
        params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
        let key = KeyPair::generate().unwrap();
        Self(CertifiedIssuer::self_signed(params, key).unwrap())
    }

    /// What a client is told.
    pub(super) fn certificate(&self) -> reqwest::Certificate {
        reqwest::Certificate::from_der(self.0.der()).unwrap()
    }

    /// An endpoint with a certificate for this host, which is valid up to this year.
    pub(super) async fn endpoint(&self, host: &str, until: i32) -> Host {
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
