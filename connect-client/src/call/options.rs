//! The settings of one call, or of each request of a series.

use std::time::Duration;

use http::{HeaderMap, HeaderName, HeaderValue, header};

use crate::{IdempotencyKey, error::RequestError, pipeline::RetryPolicy};

/// The settings of one call or one series, overriding the client's.
#[derive(Clone, Debug, Default)]
pub(crate) struct CallOptions {
    pub(crate) key: Option<IdempotencyKey>,
    pub(crate) headers: HeaderMap,
    pub(crate) retry: Option<RetryPolicy>,
    /// The time limit of the call, overriding the policy's budget.
    pub(crate) timeout: Option<Duration>,
    /// Set when an earlier call with this key may have been applied.
    pub(crate) may_be_applied: bool,
    /// The first invalid setting. Nothing is sent then.
    pub(crate) refused: Option<RequestError>,
}

/// The headers reserved for the SDK.
const OWN: [HeaderName; 5] = [
    header::AUTHORIZATION,
    header::CONTENT_LENGTH,
    header::HOST,
    header::TRANSFER_ENCODING,
    HeaderName::from_static("idempotency-key"),
];

impl CallOptions {
    pub(crate) fn header<N, V>(&mut self, name: N, value: V)
    where
        HeaderName: TryFrom<N>,
        HeaderValue: TryFrom<V>,
    {
        let name = HeaderName::try_from(name).ok();
        let value = HeaderValue::try_from(value).ok();
        let refused = match (name, value) {
            (Some(name), _) if OWN.contains(&name) => format!("the header {name} is the SDK's own"),
            (Some(name), Some(value)) => {
                self.headers.insert(name, value);
                return;
            }
            // The value may be a secret.
            (Some(name), None) => format!("the value of the header {name} is not one"),
            (None, _) => "the name of a header is not one".to_owned(),
        };
        self.refused.get_or_insert(RequestError(refused));
    }
}

/// Adds the settings of requests as methods to a type.
/// The types are [`Call`](crate::Call) and the types sending a series of calls. The first argument
/// names the subject of a setting in the documentation, `$options` is the path to the [`CallOptions`].
macro_rules! settings {
    ($what:literal, $($options:ident).+) => {
        #[doc = concat!("Limits ", $what, " as a whole, including its retries. It replaces the policy's")]
        /// [`budget`](crate::pipeline::RetryPolicy::budget).
        pub fn timeout(mut self, limit: std::time::Duration) -> Self {
            self.$($options).+.timeout = Some(limit);
            self
        }

        #[doc = concat!("Sends ", $what, " again by this policy instead of the client's.")]
        pub fn retry(mut self, policy: $crate::pipeline::RetryPolicy) -> Self {
            self.$($options).+.retry = Some(policy);
            self
        }

        #[doc = concat!("Adds a header to ", $what, ", such as your own `X-Request-Id`.")]
        /// A second header of the same name replaces the first.
        ///
        /// `Authorization`, `Idempotency-Key`, `Host` and the headers for the length of the body are
        /// the SDK's own. With one of them, or with an invalid name or value, nothing is sent, and the
        /// error is a [`RequestError`](crate::RequestError).
        pub fn header<N, V>(mut self, name: N, value: V) -> Self
        where
            http::HeaderName: TryFrom<N>,
            http::HeaderValue: TryFrom<V>,
        {
            self.$($options).+.header(name, value);
            self
        }
    };
}
pub(crate) use settings;
