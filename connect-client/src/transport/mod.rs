//! The transport: takes one request, returns one complete response.

#[cfg(feature = "gzip")]
mod gzip;
mod http_client;
mod tls;

use std::fmt;

use bytes::Bytes;
use futures_util::future::BoxFuture;

pub use http_client::http_client_builder;
pub(crate) use http_client::{Bodies, HttpClient, HttpSettings};

use crate::error::debug_reads_like_display;

/// The proxy for requests.
pub(crate) enum Proxy {
    /// The environment's proxy, except for an address on this machine.
    Environment,
    /// None.
    None,
    /// This one.
    Url(String),
}

/// Sends one request once.
/// The SDK does so over HTTP. A test, or a program with its own transport, sets another with
/// [`ClientBuilder::transport`](crate::ClientBuilder::transport).
///
/// The request is complete: absolute address, `Authorization` (marked sensitive, never to be logged),
/// body. The SDK handles retries, timeouts and idempotency; at a timeout it drops the future.
pub trait Transport: Send + Sync + 'static {
    /// Sends the request and reads the complete response, with any status.
    /// Redirects are not followed.
    fn send(
        &self,
        request: http::Request<Bytes>,
    ) -> BoxFuture<'_, Result<http::Response<Bytes>, TransportError>>;
}

/// The error for a missing or incomplete response.
pub struct TransportError {
    fault: Fault,
    source: Option<Box<dyn std::error::Error + Send + Sync>>,
}

/// The failures between client and service.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Fault {
    /// No connection was made: unknown host, refused, unreachable.
    Connect,
    /// The attempt timed out. A write may have been applied.
    Timeout,
    /// The connection broke before the end of the response.
    /// A write may have been applied.
    Broken,
    /// The service's certificate is not trusted. Retries do not help.
    Tls,
    /// The response is larger than the client's limit.
    /// A write was probably applied.
    TooLarge,
    /// The request cannot be sent.
    Unsendable,
    /// The request was not sent, for lack of time.
    /// The client's [limit of concurrent requests](crate::ClientBuilder::max_in_flight) was reached
    /// until too little time was left for an attempt, or the call was given no time at all.
    Busy,
}

impl Fault {
    /// Returns whether the same request may succeed later.
    pub fn may_pass(self) -> bool {
        matches!(
            self,
            Self::Connect | Self::Timeout | Self::Broken | Self::Busy
        )
    }

    /// Returns whether the service may have received the request.
    /// If so, it may have applied a write.
    pub fn may_have_arrived(self) -> bool {
        !matches!(
            self,
            Self::Connect | Self::Tls | Self::Unsendable | Self::Busy
        )
    }
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Connect => "could not connect",
            Self::Timeout => "no answer in time",
            Self::Broken => "the connection broke",
            Self::Tls => "the certificate of the service is not trusted",
            Self::TooLarge => "the response is too large",
            Self::Unsendable => "the request cannot be sent",
            Self::Busy => "not sent, as its turn did not come in the time of the call",
        })
    }
}

impl TransportError {
    /// A fault without a further cause.
    pub fn new(fault: Fault) -> Self {
        Self {
            fault,
            source: None,
        }
    }

    /// A fault with its cause.
    /// The cause's text must not contain the token.
    pub fn because(
        fault: Fault,
        source: impl Into<Box<dyn std::error::Error + Send + Sync>>,
    ) -> Self {
        Self {
            fault,
            source: Some(source.into()),
        }
    }

    /// Returns the failure.
    pub fn fault(&self) -> Fault {
        self.fault
    }
}

impl fmt::Display for TransportError {
    /// The fault and its innermost cause, usually the informative one ("Connection refused").
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.fault.fmt(f)?;
        let first = std::error::Error::source(self);
        match std::iter::successors(first, |cause| cause.source()).last() {
            Some(cause) => write!(f, ": {cause}"),
            None => Ok(()),
        }
    }
}

debug_reads_like_display!(struct TransportError { fault, source });

impl std::error::Error for TransportError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        self.source.as_deref().map(|source| source as _)
    }
}
