//! The client.

use std::{fmt, sync::Arc};

use crate::{ClientBuilder, call::RateLimit, pipeline::Pipeline};

/// A client of the service, for one base address and one token.
///
/// Clones are cheap and share their connections. Make one client and keep it.
#[derive(Clone)]
pub struct Client(Arc<Pipeline>);

impl Client {
    /// Begins a client.
    ///
    /// `base_url` is the service's base address with its version, such as `https://api.example.com/v1`,
    /// with or without a slash at the end. `token` is an API token. Ask the owner of the shop for both,
    /// or start `connect-server demo`, which shows its own. [`build`](ClientBuilder::build) returns an
    /// error when one of them is invalid.
    ///
    /// Plain `http` is accepted for this machine only (`localhost`, `127.0.0.1`, `[::1]`), or after
    /// [`allow_plain_http`](ClientBuilder::allow_plain_http).
    pub fn builder(base_url: impl AsRef<str>, token: impl Into<String>) -> ClientBuilder {
        ClientBuilder::new(base_url.as_ref(), token.into())
    }

    pub(crate) fn over(pipeline: Pipeline) -> Self {
        Self(Arc::new(pipeline))
    }

    pub(crate) fn pipeline(&self) -> &Pipeline {
        &self.0
    }

    /// Returns the rate limit in the latest response to this client.
    /// Responses to its clones count as well. `None` before the first response. For the rate limit after
    /// one call, see [`Response::meta`](crate::call::Response).
    pub fn rate_limit(&self) -> Option<RateLimit> {
        *self.0.last_rate_limit()
    }
}

impl fmt::Debug for Client {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Client")
            .field("base", &self.0.base.join("", ""))
            .finish_non_exhaustive()
    }
}
