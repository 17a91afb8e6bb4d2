//! TLS with the SDK's own crypto provider.
//! The provider of the process is neither needed nor set.

use std::sync::Arc;

use rustls::{
    ClientConfig, RootCertStore,
    crypto::ring,
    pki_types::{CertificateDer, PrivateKeyDer, pem::PemObject as _},
};
use rustls_platform_verifier::Verifier;

use crate::error::SettingsError;

/// The offered protocols, the preferred one first.
const PROTOCOLS: [&[u8]; 2] = [b"h2", b"http/1.1"];

/// The trusted authorities.
pub(super) enum Trust {
    /// The system's authorities, and these.
    System(Vec<CertificateDer<'static>>),
    /// These alone. The system needs no authorities then.
    Only(Vec<CertificateDer<'static>>),
}

/// Reads certificates from PEM texts, one or several from each.
pub(super) fn certificates(
    pems: &[Vec<u8>],
) -> Result<Vec<CertificateDer<'static>>, SettingsError> {
    let mut all = Vec::new();
    for pem in pems {
        let before = all.len();
        for certificate in CertificateDer::pem_slice_iter(pem) {
            all.push(certificate.map_err(|e| SettingsError::Certificate(e.to_string()))?);
        }
        if all.len() == before {
            let none = "no certificate in it".to_owned();
            return Err(SettingsError::Certificate(none));
        }
    }
    Ok(all)
}

/// The client certificate with its key.
pub(super) struct Identity {
    /// The client's own certificate first.
    chain: Vec<CertificateDer<'static>>,
    key: PrivateKeyDer<'static>,
}

impl Identity {
    /// Reads certificates and key from a PEM text.
    /// No error shows a part of it.
    pub(super) fn read(pem: &[u8]) -> Result<Self, SettingsError> {
        let chain = CertificateDer::pem_slice_iter(pem).collect::<Result<Vec<_>, _>>();
        let chain = chain.ok().filter(|chain| !chain.is_empty());
        Ok(Self {
            chain: chain.ok_or(SettingsError::ClientCertificate("no certificate in it"))?,
            key: PrivateKeyDer::from_pem_slice(pem)
                .map_err(|_| SettingsError::ClientCertificate("no plain private key in it"))?,
        })
    }
}

/// The settings of TLS connections.
pub(super) fn config(
    trust: Trust,
    identity: Option<Identity>,
) -> Result<ClientConfig, SettingsError> {
    let provider = Arc::new(ring::default_provider());
    let builder = ClientConfig::builder_with_provider(provider.clone())
        .with_safe_default_protocol_versions()
        .map_err(unusable)?;
    let builder = match trust {
        Trust::System(extra) => {
            let verifier = Verifier::new_with_extra_roots(extra, provider).map_err(unusable)?;
            builder
                .dangerous()
                .with_custom_certificate_verifier(Arc::new(verifier))
        }
        Trust::Only(certificates) => {
            let mut roots = RootCertStore::empty();
            for certificate in certificates {
                roots
                    .add(certificate)
                    .map_err(|e| SettingsError::Certificate(e.to_string()))?;
            }
            builder.with_root_certificates(roots)
        }
    };
    let mut config = match identity {
        Some(Identity { chain, key }) => builder
            .with_client_auth_cert(chain, key)
            .map_err(|_| SettingsError::ClientCertificate("the key does not fit"))?,
        None => builder.with_no_client_auth(),
    };
    config.alpn_protocols = PROTOCOLS.map(<[u8]>::to_vec).to_vec();
    Ok(config)
}

fn unusable(error: rustls::Error) -> SettingsError {
    SettingsError::Http(error.to_string())
}
