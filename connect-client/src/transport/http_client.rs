//! HTTP with reqwest.

use std::{error::Error, io, time::Duration};

use bytes::{Bytes, BytesMut};
use futures_util::future::BoxFuture;

use super::{Fault, Transport, TransportError};
use crate::error::SettingsError;

/// A connection pool of our own making, or the caller's.
pub(crate) struct HttpClient {
    http: reqwest::Client,
    max_response_bytes: usize,
}

/// The settings of a connection pool.
pub(crate) struct HttpSettings<'a> {
    /// Limit on connecting, TLS included.
    pub(crate) connect_timeout: Duration,
    /// Certificates to trust besides the system's, each a PEM text that may hold several.
    pub(crate) root_certificates: &'a [Vec<u8>],
    /// Set when every request goes without TLS.
    pub(crate) plain: bool,
    /// Set when every request stays on this machine.
    pub(crate) loopback: bool,
}

impl HttpClient {
    pub(crate) fn new(
        settings: &HttpSettings<'_>,
        max_response_bytes: usize,
    ) -> Result<Self, SettingsError> {
        // reqwest panics without a provider. An error says that the program has installed its
        // own already, which then counts.
        let _ = rustls::crypto::ring::default_provider().install_default();
        let mut roots = Vec::new();
        for pem in settings.root_certificates {
            let read = reqwest::Certificate::from_pem_bundle(pem);
            let read = read.map_err(|e| SettingsError::Certificate(inmost(&e)))?;
            if read.is_empty() {
                return Err(SettingsError::Certificate(
                    "no certificate in it".to_owned(),
                ));
            }
            roots.extend(read);
        }
        let builder = reqwest::Client::builder()
            .connect_timeout(settings.connect_timeout)
            // The API sends none, and one would take the body somewhere nobody named.
            .redirect(reqwest::redirect::Policy::none())
            .referer(false);
        let builder = if settings.plain {
            // Without TLS no authorities are needed; a slim container has none to load.
            builder.tls_certs_only(roots)
        } else {
            builder.tls_certs_merge(roots)
        };
        let builder = if settings.loopback {
            // A proxy from the environment would carry the token off this machine.
            builder.no_proxy()
        } else {
            builder
        };
        let http = builder
            .build()
            .map_err(|e| SettingsError::Http(inmost(&e)))?;
        Ok(Self::over(http, max_response_bytes))
    }

    pub(crate) fn over(http: reqwest::Client, max_response_bytes: usize) -> Self {
        Self {
            http,
            max_response_bytes,
        }
    }

    async fn exchange(
        &self,
        request: http::Request<Bytes>,
    ) -> Result<http::Response<Bytes>, TransportError> {
        let request = reqwest::Request::try_from(request).map_err(told)?;
        let mut response = self.http.execute(request).await.map_err(told)?;
        let mut body = BytesMut::new();
        // Piece by piece: a length may be missing or a lie.
        while let Some(piece) = response.chunk().await.map_err(told)? {
            if body.len().saturating_add(piece.len()) > self.max_response_bytes {
                return Err(TransportError::new(Fault::TooLarge));
            }
            body.extend_from_slice(&piece);
        }
        let mut whole = http::Response::new(body.freeze());
        *whole.status_mut() = response.status();
        *whole.headers_mut() = std::mem::take(response.headers_mut());
        Ok(whole)
    }
}

impl Transport for HttpClient {
    fn send(
        &self,
        request: http::Request<Bytes>,
    ) -> BoxFuture<'_, Result<http::Response<Bytes>, TransportError>> {
        Box::pin(self.exchange(request))
    }
}

/// The fault that a reqwest error tells of.
fn told(error: reqwest::Error) -> TransportError {
    let fault = if distrusts_certificate(&error) {
        Fault::Tls
    } else if error.is_connect() {
        Fault::Connect
    } else if error.is_timeout() {
        Fault::Timeout
    } else if error.is_builder() || error.is_redirect() {
        Fault::Unsendable
    } else {
        Fault::Broken
    };
    // The address is in the error's context already.
    TransportError::because(fault, error.without_url())
}

/// Returns whether the TLS handshake failed over who the service is, rather than over the connection.
fn distrusts_certificate(error: &reqwest::Error) -> bool {
    std::iter::successors(error.source(), |error| cause(*error)).any(|error| {
        let error = error.downcast_ref::<rustls::Error>();
        matches!(error, Some(rustls::Error::InvalidCertificate(_)))
    })
}

/// An I/O error hides from `source` what it wraps.
fn cause<'a>(error: &'a (dyn Error + 'static)) -> Option<&'a (dyn Error + 'static)> {
    let wrapped = error
        .downcast_ref::<io::Error>()
        .and_then(io::Error::get_ref);
    match wrapped {
        Some(wrapped) => Some(wrapped),
        None => error.source(),
    }
}

fn inmost(error: &dyn Error) -> String {
    let mut inmost = error;
    while let Some(cause) = inmost.source() {
        inmost = cause;
    }
    inmost.to_string()
}
