//! TLS: the files of the certificate and its key, and their problems.

mod chain;
mod key;

use std::{
    fmt,
    path::{Path, PathBuf},
    sync::Arc,
};

use chrono::Utc;
use rustls::{
    ServerConfig,
    crypto::ring::{default_provider, sign::any_supported_type},
    pki_types::{CertificateDer, PrivateKeyDer},
};
use sha2::{Digest as _, Sha256};
use tokio::sync::watch;
use tokio_rustls::TlsAcceptor;

use super::StartError;

/// The files of the certificate and its key, both PEM.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TlsFiles {
    /// The server's certificate first, then its issuers' certificates.
    pub certificates: PathBuf,
    /// The private key of the first certificate.
    /// PKCS #8, PKCS #1 or SEC 1, not encrypted.
    pub key: PathBuf,
}

/// The certificate in use with its key, both readable again.
/// All clones are the same.
#[derive(Clone)]
pub struct Certificate {
    files: TlsFiles,
    in_use: watch::Sender<InUse>,
}

/// A certificate as read from its files.
struct InUse {
    acceptor: TlsAcceptor,
    /// The digest of the content of both files.
    digest: [u8; 32],
    chain: Vec<CertificateDer<'static>>,
}

impl Certificate {
    /// Reads the files. Logs reasons for some clients to refuse them.
    ///
    /// # Errors
    /// A file cannot be used.
    pub fn read(files: TlsFiles) -> Result<Self, StartError> {
        let in_use = TlsContents::read(&files)?.checked(&files)?;
        let in_use = watch::Sender::new(in_use);
        let certificate = Self { files, in_use };
        certificate.tell_doubts();
        Ok(certificate)
    }

    /// Reads the files again, and uses them for new connections.
    /// Returns whether the certificate or the key has changed.
    ///
    /// # Errors
    /// A file cannot be used. Then the ones in use stay.
    pub fn read_again(&self) -> Result<bool, StartError> {
        let found = TlsContents::read(&self.files)?;
        // The same files are not checked again: a certificate expired meanwhile is better than none.
        let is_new = found.digest != self.in_use.borrow().digest;
        if is_new {
            self.in_use.send_replace(found.checked(&self.files)?);
        }
        Ok(is_new)
    }

    /// Logs reasons for some clients to refuse the certificate, now or soon.
    pub fn tell_doubts(&self) {
        for doubt in chain::doubts(&self.in_use.borrow().chain, Utc::now()) {
            tracing::warn!(path = %self.files.certificates.display(), "{doubt}");
        }
    }

    /// The earliest end in the chain in use, in seconds since 1970.
    pub fn ends(&self) -> Option<i64> {
        chain::end(&self.in_use.borrow().chain)
    }

    /// Opens connections with the certificate now in use.
    /// TLS 1.2 and 1.3, HTTP/2 preferred to HTTP/1.1.
    pub(super) fn acceptor(&self) -> TlsAcceptor {
        self.in_use.borrow().acceptor.clone()
    }
}

impl fmt::Debug for Certificate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Certificate").field(&self.files).finish()
    }
}

/// The content of both files, not checked yet.
struct TlsContents {
    chain: Vec<CertificateDer<'static>>,
    key: PrivateKeyDer<'static>,
    digest: [u8; 32],
}

impl TlsContents {
    fn read(files: &TlsFiles) -> Result<Self, StartError> {
        let chain = chain::read(&files.certificates).map_err(of_chain(files))?;
        let key = key::read(&files.key).map_err(of_key(files))?;
        let mut digest = Sha256::new();
        for part in chain.iter().map(AsRef::as_ref).chain([key.secret_der()]) {
            digest.update(part.len().to_le_bytes());
            digest.update(part);
        }
        let digest = digest.finalize().into();
        Ok(Self { chain, key, digest })
    }

    /// Checks it for acceptance by clients.
    fn checked(self, files: &TlsFiles) -> Result<InUse, StartError> {
        let Self { chain, key, digest } = self;
        let (of_chain, of_key) = (of_chain(files), of_key(files));
        chain::check(&chain, Utc::now()).map_err(&of_chain)?;
        let signing = any_supported_type(&key).map_err(|_| of_key(UNUSABLE.to_owned()))?;
        let public_key = signing.public_key();
        let place = public_key.and_then(|public| chain::place_of_key(&chain, &public));
        let refused = |error| match (error, place) {
            (rustls::Error::InconsistentKeys(_), Some(place)) => of_chain(format!(
                "the certificates are in the wrong order: the key is that of certificate {place}, \
                 which must be the first, followed by its issuers"
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
            .and_then(|builder| builder.with_single_cert(chain.clone(), key))
            .map_err(refused)?;
        config.alpn_protocols = vec![b"h2".to_vec(), b"http/1.1".to_vec()];
        Ok(InUse {
            acceptor: TlsAcceptor::from(Arc::new(config)),
            digest,
            chain,
        })
    }
}

fn of_chain(files: &TlsFiles) -> impl Fn(String) -> StartError {
    problem_with("certificate", &files.certificates)
}

fn of_key(files: &TlsFiles) -> impl Fn(String) -> StartError {
    problem_with("key", &files.key)
}

fn problem_with(kind: &'static str, path: &Path) -> impl Fn(String) -> StartError {
    move |problem| StartError::TlsFile {
        kind,
        path: path.to_owned(),
        problem,
    }
}

/// The problem with a key of an unsupported kind.
const UNUSABLE: &str = "the key cannot be used; make one of ECDSA (P-256 or P-384), Ed25519, or RSA \
                        with 2048 to 4096 bits, and have a certificate made for it";
