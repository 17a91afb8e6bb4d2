//! The API as a tower service, for other servers such as axum.

use std::{
    convert::Infallible,
    error::Error,
    pin::Pin,
    task::{Context, Poll},
};

use bytes::Bytes;
use connect_core::Connect;
use http::{Request, Response};
use http_body::Body;
use http_body_util::Full;
use tower_service::Service;

use super::{
    incoming::{self, Incoming},
    serve::ServedApi,
};

/// The API below `/v1` as a tower service, like [`api`](super::api).
///
/// Paths are matched in full, so mount it with `/v1` left in them:
///
/// ```
/// use std::sync::Arc;
/// use axum::{Router, routing::get};
/// use connect_core::{Connect, storage::memory::MemoryStorage};
/// use connect_server::ApiService;
///
/// let connect = Connect::builder(Arc::new(MemoryStorage::new())).build();
/// let site: Router = Router::new()
///     .route("/hours", get(|| async { "Open every day from 8 to 18." }))
///     .route_service("/v1/{*path}", ApiService::new(connect));
/// ```
///
/// Put a [`Peer`](crate::net::Peer) into the extensions of each request. Without one, all callers
/// without a valid token share one rate limit.
#[derive(Clone)]
pub struct ApiService(ServedApi);

impl ApiService {
    /// The API of this core.
    pub fn new(connect: Connect) -> Self {
        Self(ServedApi::of_tokens(connect))
    }
}

impl<B> Service<Request<B>> for ApiService
where
    B: Body<Data = Bytes> + Send + 'static,
    B::Error: Into<Box<dyn Error + Send + Sync>>,
{
    type Response = Response<Full<Bytes>>;
    type Error = Infallible;
    type Future = Pin<Box<dyn Future<Output = Result<Self::Response, Infallible>> + Send>>;

    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<Result<(), Infallible>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, request: Request<B>) -> Self::Future {
        let api = self.0.clone();
        Box::pin(async move {
            let address = incoming::address(request.extensions().get().copied(), None);
            let response = api.answer_alone(address, Incoming::of(request)).await;
            Ok(response.map(Full::new))
        })
    }
}
