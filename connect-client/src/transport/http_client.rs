//! HTTP with reqwest.

use std::{error::Error, io, time::Duration};

use bytes::{Bytes, BytesMut};
use futures_util::future::BoxFuture;

#[cfg(feature = "gzip")]
use super::gzip;
use super::{
    Fault, Proxy, Transport, TransportError,
    tls::{self, Identity, Trust},
};
use crate::error::SettingsError;

/// The SDK's own connection pool, or the caller's.
pub(crate) struct HttpClient {
    http: reqwest::Client,
    bodies: Bodies,
}

/// The settings for bodies, for either connection pool.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Bodies {
    /// The longest answer, before and after decompression.
    pub(crate) max_response_bytes: usize,
    /// Set when requests are compressed.
    #[cfg(feature = "gzip")]
    pub(crate) compress_requests: bool,
}

/// The settings of a connection pool.
pub(crate) struct HttpSettings<'a> {
    /// Limit on connecting, TLS included.
    pub(crate) connect_timeout: Duration,
    /// Certificates to trust besides the system's.
    /// Each is a PEM text with one certificate or several.
    pub(crate) root_certificates: &'a [Vec<u8>],
    /// The client's own certificate and its key, as PEM.
    pub(crate) client_certificate: Option<&'a [u8]>,
    /// The proxy for requests.
    pub(crate) proxy: &'a Proxy,
    /// Set when every request goes without TLS.
    pub(crate) plain: bool,
    /// Set when every request stays on this machine.
    pub(crate) loopback: bool,
}

/// Begins a reqwest client with the SDK's own configuration.
/// It has TLS with `ring` and the system's authorities, and no redirects. Add further settings, and
/// pass the client to [`ClientBuilder::http_client`](crate::ClientBuilder::http_client).
///
/// TLS is complete: reqwest ignores its own TLS settings, such as `identity`, `tls_certs_merge` and
/// `tls_version_min`, without an error. For other authorities or a client certificate use
/// [`ClientBuilder::root_certificate`](crate::ClientBuilder::root_certificate) and
/// [`ClientBuilder::client_certificate`](crate::ClientBuilder::client_certificate), or pass a reqwest
/// client with your own TLS configuration (`tls_backend_preconfigured`).
///
/// It works in any program. `reqwest::Client::new()` panics in a program without an installed crypto
/// provider for rustls, unless a feature of reqwest brings one. The README of the SDK has the line for
/// installing one, under "No rustls crypto provider is configured".
///
/// # Errors
/// The system has no authorities.
pub fn http_client_builder() -> Result<reqwest::ClientBuilder, SettingsError> {
    builder(Trust::System(Vec::new()), None)
}

fn builder(
    trust: Trust,
    identity: Option<Identity>,
) -> Result<reqwest::ClientBuilder, SettingsError> {
    Ok(reqwest::Client::builder()
        .tls_backend_preconfigured(tls::config(trust, identity)?)
        // The API sends none, and a redirect would send the body to an unknown place.
        .redirect(reqwest::redirect::Policy::none())
        .referer(false))
}

impl HttpClient {
    pub(crate) fn new(settings: &HttpSettings<'_>, bodies: Bodies) -> Result<Self, SettingsError> {
        let roots = tls::certificates(settings.root_certificates)?;
        let identity = settings
            .client_certificate
            .map(Identity::read)
            .transpose()?;
        // Without TLS no authorities are needed; a slim container has none to load. A proxy may
        // want TLS all the same.
        let needs_none = settings.plain && !matches!(settings.proxy, Proxy::Url(_));
        let trust = if needs_none {
            Trust::Only
        } else {
            Trust::System
        };
        let builder = builder(trust(roots), identity)?.connect_timeout(settings.connect_timeout);
        let builder = match settings.proxy {
            Proxy::Url(url) => {
                // The cause may show the address, and with it a password.
                let proxy = reqwest::Proxy::all(url.as_str()).map_err(|_| SettingsError::Proxy)?;
                builder.proxy(proxy)
            }
            Proxy::None => builder.no_proxy(),
            // A proxy from the environment would carry the token off this machine.
            Proxy::Environment if settings.loopback => builder.no_proxy(),
            Proxy::Environment => builder,
        };
        let http = builder.build().map_err(|error| {
            let problem = std::iter::successors(Some(&error as &dyn Error), |e| cause(*e)).last();
            SettingsError::Http(problem.map_or_else(String::new, ToString::to_string))
        })?;
        Ok(Self::over(http, bodies))
    }

    pub(crate) fn over(http: reqwest::Client, bodies: Bodies) -> Self {
        Self { http, bodies }
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
            if body.len().saturating_add(piece.len()) > self.bodies.max_response_bytes {
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

#[cfg(feature = "gzip")]
impl HttpClient {
    async fn exchange_gzip(
        &self,
        request: http::Request<Bytes>,
    ) -> Result<http::Response<Bytes>, TransportError> {
        let mut request = gzip::ask(request);
        if self.bodies.compress_requests {
            request = gzip::compress(request);
        }
        let answer = self.exchange(request).await?;
        gzip::decompress(answer, self.bodies.max_response_bytes)
    }
}

impl Transport for HttpClient {
    fn send(
        &self,
        request: http::Request<Bytes>,
    ) -> BoxFuture<'_, Result<http::Response<Bytes>, TransportError>> {
        #[cfg(feature = "gzip")]
        let exchange = self.exchange_gzip(request);
        #[cfg(not(feature = "gzip"))]
        let exchange = self.exchange(request);
        Box::pin(exchange)
    }
}

/// The fault behind a reqwest error.
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

/// Returns whether the TLS handshake failed over the service's certificate.
fn distrusts_certificate(error: &reqwest::Error) -> bool {
    std::iter::successors(error.source(), |error| cause(*error)).any(|error| {
        let error = error.downcast_ref::<rustls::Error>();
        matches!(error, Some(rustls::Error::InvalidCertificate(_)))
    })
}

/// The cause of an error, also inside an I/O error.
/// An I/O error hides its wrapped error from `source`.
fn cause<'a>(error: &'a (dyn Error + 'static)) -> Option<&'a (dyn Error + 'static)> {
    let wrapped = error
        .downcast_ref::<io::Error>()
        .and_then(io::Error::get_ref);
    match wrapped {
        Some(wrapped) => Some(wrapped),
        None => error.source(),
    }
}
