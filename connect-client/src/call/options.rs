//! The settings of one call, or of each request of a series.

use std::time::Duration;

use http::{HeaderMap, HeaderName, HeaderValue, header};

use crate::{IdempotencyKey, error::RequestError, pipeline::RetryPolicy};

/// The settings of one call, or of each request of a series, where they differ from the client's.
#[derive(Clone, Debug, Default)]
pub(crate) struct CallOptions {
    pub(crate) key: Option<IdempotencyKey>,
    pub(crate) headers: HeaderMap,
    pub(crate) retry: Option<RetryPolicy>,
    /// The longest that the call takes, whatever the policy says.
    pub(crate) timeout: Option<Duration>,
    /// An earlier call with the same key may have been applied.
    pub(crate) may_be_applied: bool,
    /// The first setting that cannot be. Nothing is sent then.
    pub(crate) refused: Option<RequestError>,
}

/// The headers that are the SDK's business.
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

/// Gives a type the settings of its requests as methods: [`Call`](crate::Call), and whatever sends a series of
/// them. `$what` is what a setting is about, in the words of the documentation, and `$options` the
/// way to the [`CallOptions`].
macro_rules! settings {
    ($what:literal, $($options:ident).+) => {
        #[doc = concat!("Limits ", $what, " as a whole, its retries included, instead of the policy's")]
        /// [`budget`](crate::pipeline::RetryPolicy::budget).
        pub fn timeout(mut self, limit: std::time::Duration) -> Self {
            self.$($options).+.timeout = Some(limit);
            self
        }

        #[doc = concat!("Sends ", $what, " again as this policy says, instead of the client's.")]
        pub fn retry(mut self, policy: $crate::pipeline::RetryPolicy) -> Self {
            self.$($options).+.retry = Some(policy);
            self
        }

        #[doc = concat!("Sends a header along with ", $what, ", such as an `X-Request-Id` of your own. A")]
        /// second one of that name replaces the first.
        ///
        /// `Authorization`, `Idempotency-Key`, `Host` and those about the length of the body are the
        /// SDK's own. With one of them, or with what cannot stand in a header, nothing is sent, and
        /// the error is a [`RequestError`](crate::RequestError).
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
