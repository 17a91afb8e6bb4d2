//! The kinds of error.

use super::{ApiError, debug_reads_like_display};
use crate::transport::TransportError;

/// The kinds of failure.
#[derive(thiserror::Error)]
#[non_exhaustive]
pub enum ErrorKind {
    /// The client's settings are invalid.
    #[error(transparent)]
    Settings(#[from] SettingsError),
    /// The request cannot be written.
    #[error(transparent)]
    Request(#[from] RequestError),
    /// The service answered with an error.
    #[error(transparent)]
    Api(#[from] ApiError),
    /// No complete response arrived.
    #[error(transparent)]
    Transport(#[from] TransportError),
    /// The response does not have the documented form.
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

/// The reason for a failed build of a client.
#[derive(Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum SettingsError {
    /// This environment variable is unset, empty or not text.
    #[error("environment: {0} is not set, is empty, or is not text")]
    Environment(&'static str),
    /// The base address is invalid.
    #[error("base address: {0}")]
    BaseUrl(String),
    /// The base address is plain HTTP on another machine.
    #[error(
        "base address: plain http would show the token to the network; use https, or \
         allow_plain_http where the network is trusted"
    )]
    PlainHttp,
    /// The token is empty or has invalid characters.
    #[error("token: must be visible ASCII characters, such as ck_live_ and 43 letters and digits")]
    Token,
    /// The user agent is no valid header value.
    #[error("user agent: must be visible ASCII characters and blanks")]
    UserAgent,
    /// A root certificate is not PEM.
    #[error("root certificate: {0}")]
    Certificate(String),
    /// The client certificate is not PEM, or lacks its matching key.
    /// The text shows no part of it.
    #[error("client certificate: {0}")]
    ClientCertificate(&'static str),
    /// The address of the proxy is invalid.
    /// The text leaves it out, as it may contain a password.
    #[error("proxy: must be an address such as http://proxy.example.com:3128")]
    Proxy,
    /// The HTTP client cannot be made.
    /// "No CA certificates were loaded" means: the system has none. Install its `ca-certificates`.
    #[error("HTTP client: {0}")]
    Http(String),
    /// A connection setting conflicts with the given HTTP client or transport.
    #[error("{0} has to be set in the HTTP client that was given")]
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

/// A request could not be written.
#[derive(Clone, PartialEq, Eq, thiserror::Error)]
#[error("the request cannot be written: {0}")]
pub struct RequestError(pub(crate) String);

debug_reads_like_display!(struct RequestError(problem));

/// A response did not have the documented form.
#[derive(Clone, PartialEq, Eq, thiserror::Error)]
#[error("unexpected response: {problem}; it begins with {body:?}")]
#[non_exhaustive]
pub struct DecodeError {
    /// The unexpected part, and its place.
    pub problem: String,
    /// The beginning of the response's body.
    pub body: String,
}

debug_reads_like_display!(struct DecodeError { problem, body });
