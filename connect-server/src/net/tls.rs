//! TLS: reading certificates and keys.

use std::{
    path::{Path, PathBuf},
    sync::Arc,
};

use rustls::{
    ServerConfig,
    crypto::ring,
    pki_types::pem::{self, PemObject},
    pki_types::{CertificateDer, PrivateKeyDer},
};
use tokio_rustls::TlsAcceptor;

use super::StartError;

/// The files of the certificate and its key. Both are PEM and read once, at the start.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TlsFiles {
    /// The server's certificate first, then those that vouch for it.
    pub certificates: PathBuf,
    /// The private key of the first certificate: PKCS #8, PKCS #1 or SEC 1.
    pub key: PathBuf,
}

/// TLS 1.2 and 1.3, HTTP/2 preferred to HTTP/1.1.
pub(super) fn acceptor(files: &TlsFiles) -> Result<TlsAcceptor, StartError> {
    let certificates = certificates(&files.certificates)?;
    let key = PrivateKeyDer::from_pem_file(&files.key).map_err(|error| StartError::Key {
        path: files.key.clone(),
        problem: problem(error, "private key"),
    })?;
    let mut config = ServerConfig::builder_with_provider(Arc::new(ring::default_provider()))
        .with_safe_default_protocol_versions()
        .map(|builder| builder.with_no_client_auth())
        .and_then(|builder| builder.with_single_cert(certificates, key))
        .map_err(|error| mismatch(files, error))?;
    config.alpn_protocols = vec![b"h2".to_vec(), b"http/1.1".to_vec()];
    Ok(TlsAcceptor::from(Arc::new(config)))
}

fn certificates(path: &Path) -> Result<Vec<CertificateDer<'static>>, StartError> {
    let failed = |problem| StartError::Certificate {
        path: path.to_owned(),
        problem,
    };
    let certificates = CertificateDer::pem_file_iter(path)
        .and_then(Iterator::collect::<Result<Vec<_>, _>>)
        .map_err(|error| failed(problem(error, "certificate")))?;
    if certificates.is_empty() {
        return Err(failed(problem(pem::Error::NoItemsFound, "certificate")));
    }
    Ok(certificates)
}

fn problem(error: pem::Error, wanted: &str) -> String {
    match error {
        pem::Error::Io(error) => error.to_string(),
        pem::Error::NoItemsFound => format!("no {wanted} in PEM form in it"),
        _ => "it is not valid PEM".into(),
    }
}

/// The two files were read but cannot serve together.
fn mismatch(files: &TlsFiles, error: rustls::Error) -> StartError {
    match error {
        rustls::Error::InconsistentKeys(_) => StartError::Key {
            path: files.key.clone(),
            problem: format!(
                "the key does not belong to the first certificate of {}",
                files.certificates.display()
            ),
        },
        rustls::Error::InvalidCertificate(error) => StartError::Certificate {
            path: files.certificates.clone(),
            problem: format!("the first certificate cannot be used: {error:?}"),
        },
        error => StartError::Key {
            path: files.key.clone(),
            problem: error.to_string(),
        },
    }
}
