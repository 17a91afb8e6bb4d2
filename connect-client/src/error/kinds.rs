//! The kinds of error.

use super::{ApiError, debug_reads_like_display};
use crate::transport::TransportError;

/// The kinds of failure.
#[derive(thiserror::Error)]
#[non_exhaustive]
pub enum ErrorKind {
    /// The client's settings do not work.
    #[error(transparent)]
    Settings(#[from] SettingsError),
    /// The request cannot be written down.
    #[error(transparent)]
    Request(#[from] RequestError),
    /// The service answered with an error.
    #[error(transparent)]
    Api(#[from] ApiError),
    /// There was no whole response.
    #[error(transparent)]
    Transport(#[from] TransportError),
    /// The response is not what the service promises.
    #[error(transparent)]
    Decode(#[from] DecodeError),
}

debug_reads_like_display!(ErrorKind {
    Settings(error),
    Request(error),
    Api(error),
    Transport(error),
    Decode(error),
});

/// The reason why a client cannot be made.
#[derive(Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum SettingsError {
    /// This variable of the environment is not set, is empty, or is not text.
    #[error("environment: {0} is not set, is empty, or is not text")]
    Environment(&'static str),
    /// The base address is not one.
    #[error("base address: {0}")]
    BaseUrl(String),
    /// The base address is plain HTTP on another machine.
    #[error(
        "base address: plain http would show the token to the network; use https, or \
         allow_plain_http where the network is trusted"
    )]
    PlainHttp,
    /// The token is empty or has characters that no token has.
    #[error("token: must be visible ASCII characters, such as ck_live_ and 43 letters and digits")]
    Token,
    /// The user agent cannot stand in a header.
    #[error("user agent: must be visible ASCII characters and blanks")]
    UserAgent,
    /// A root certificate is not PEM.
    #[error("root certificate: {0}")]
    Certificate(String),
    /// A client certificate is not PEM, has no key, or has another one's. The text shows no part of
    /// it.
    #[error("client certificate: {0}")]
    ClientCertificate(&'static str),
    /// The address of the proxy is not one. The text leaves it out, as it may hold a password.
    #[error("proxy: must be an address such as http://proxy.example.com:3128")]
    Proxy,
    /// The HTTP client cannot be made. "No CA certificates were loaded" means that the system has
    /// none: install its `ca-certificates`.
    #[error("HTTP client: {0}")]
    Http(String),
    /// Settings that do not go together.
    #[error("{0} is the business of the HTTP client that was given")]
    Contradiction(&'static str),
}

debug_reads_like_display!(SettingsError {
    Environment(variable),
    BaseUrl(problem),
    PlainHttp,
    Token,
    UserAgent,
    Certificate(problem),
    ClientCertificate(problem),
    Proxy,
    Http(problem),
    Contradiction(setting),
});

/// A request cannot be written down.
#[derive(Clone, PartialEq, Eq, thiserror::Error)]
#[error("the request cannot be written: {0}")]
pub struct RequestError(pub(crate) String);

debug_reads_like_display!(struct RequestError(problem));

/// A response is not what the service promises.
#[derive(Clone, PartialEq, Eq, thiserror::Error)]
#[error("unexpected response: {problem}; it begins with {body:?}")]
#[non_exhaustive]
pub struct DecodeError {
    /// The part that does not fit, and its place.
    pub problem: String,
    /// The beginning of the response's body.
    pub body: String,
}

debug_reads_like_display!(struct DecodeError { problem, body });
