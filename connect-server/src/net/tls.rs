//! TLS: the files of the certificate and its key, and what is wrong with them.

mod chain;
mod key;

use std::{path::PathBuf, sync::Arc};

use rustls::{
    ServerConfig,
    crypto::ring::{default_provider, sign::any_supported_type},
};
use tokio_rustls::TlsAcceptor;
use x509_parser::time::ASN1Time;

use super::StartError;

/// The files of the certificate and its key. Both are PEM and read once, at the start.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TlsFiles {
    /// The server's certificate first, then those that vouch for it.
    pub certificates: PathBuf,
    /// The private key of the first certificate: PKCS #8, PKCS #1 or SEC 1, not encrypted.
    pub key: PathBuf,
}

/// TLS 1.2 and 1.3, HTTP/2 preferred to HTTP/1.1.
pub(super) fn acceptor(files: &TlsFiles) -> Result<TlsAcceptor, StartError> {
    let of_chain = |problem| StartError::Certificate {
        path: files.certificates.clone(),
        problem,
    };
    let of_key = |problem| StartError::Key {
        path: files.key.clone(),
        problem,
    };
    let now = ASN1Time::now();
    let chain = chain::read(&files.certificates).map_err(of_chain)?;
    let key = key::read(&files.key).map_err(of_key)?;
    chain::check(&chain, now).map_err(of_chain)?;
    let doubts = chain::doubts(&chain, now);
    let signing = any_supported_type(&key).map_err(|_| of_key(UNUSABLE.to_owned()))?;
    let public_key = signing.public_key();
    let place = public_key.and_then(|public| chain::place_of_key(&chain, &public));

    let refused = |error| match (error, place) {
        (rustls::Error::InconsistentKeys(_), Some(place)) => of_chain(format!(
            "the certificates are in the wrong order: the key is that of certificate {place}, which \
             must be the first; behind it those that vouch for it"
        )),
        (rustls::Error::InconsistentKeys(_), None) => of_key(format!(
            "the key does not belong to the first certificate of {}; set the key that the \
             certificate was made with",
            files.certificates.display()
        )),
        (rustls::Error::InvalidCertificate(error), _) => {
            of_chain(format!("the first certificate cannot be used: {error:?}"))
        }
        (error, _) => of_key(error.to_string()),
    };
    let mut config = ServerConfig::builder_with_provider(Arc::new(default_provider()))
        .with_safe_default_protocol_versions()
        .map(|builder| builder.with_no_client_auth())
        .and_then(|builder| builder.with_single_cert(chain, key))
        .map_err(refused)?;
    for doubt in doubts {
        tracing::warn!(path = %files.certificates.display(), "{doubt}");
    }
    config.alpn_protocols = vec![b"h2".to_vec(), b"http/1.1".to_vec()];
    Ok(TlsAcceptor::from(Arc::new(config)))
}

/// The problem with a key of a kind that is not supported.
const UNUSABLE: &str = "the key cannot be used; make one of ECDSA (P-256 or P-384), Ed25519, or RSA \
                        with 2048 to 4096 bits, and have a certificate made for it";
