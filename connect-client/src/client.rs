//! The client.

use std::{fmt, sync::Arc};

use crate::{ClientBuilder, call::RateLimit, pipeline::Pipeline};

/// A client of the service, for one base address and one token.
///
/// Cheap to clone; clones share their connections. Make one and keep it.
#[derive(Clone)]
pub struct Client(Arc<Pipeline>);

impl Client {
    /// Begins a client. `base_url` is the service's base address with its version, such as
    /// `https://api.example.com/v1`, with or without a slash at the end. `token` is an API token. Ask the
    /// owner of the shop for both, or start `connect-server demo`, which shows its own.
    /// [`build`](ClientBuilder::build) tells when one of them cannot be.
    ///
    /// Plain `http` is taken for this machine only (`localhost`, `127.0.0.1`, `[::1]`), or after
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

    /// The rate limit as the latest response to this client or a clone told it; `None` before the
    /// first. [`Response::meta`](crate::call::Response) has that of one call.
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
