//! The API as a tower service, for other servers such as axum.

use std::{
    convert::Infallible,
    pin::Pin,
    task::{Context, Poll},
};

use bytes::Bytes;
use connect_core::Connect;
use http::Request;
use http_body::{Body, Frame};
use sync_wrapper::SyncWrapper;
use tower_service::Service;
use warp::{Filter as _, filters::BoxedFilter, reply::Response};

use super::serve::api;

/// The API below `/v1` as a tower service, like [`api`].
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
pub struct ApiService(BoxedFilter<(Response,)>);

impl ApiService {
    /// The API of this core.
    pub fn new(connect: Connect) -> Self {
        Self(api(connect).boxed())
    }
}

impl<B> Service<Request<B>> for ApiService
where
    B: Body<Data = Bytes> + Send + 'static,
    B::Error: Into<Box<dyn std::error::Error + Send + Sync>>,
{
    type Response = Response;
    type Error = Infallible;
    type Future = Pin<Box<dyn Future<Output = Result<Response, Infallible>> + Send>>;

    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<Result<(), Infallible>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, request: Request<B>) -> Self::Future {
        let request = request.map(|body| Exclusive(SyncWrapper::new(Box::pin(body))));
        Box::pin(warp::service(self.0.clone()).call(request))
    }
}

/// A `Sync` body for warp. Axum's bodies are not `Sync`.
/// Without a shared reference to the body its size is unknown; the head has the length.
struct Exclusive<B>(SyncWrapper<Pin<Box<B>>>);

impl<B: Body<Data = Bytes>> Body for Exclusive<B> {
    type Data = Bytes;
    type Error = B::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, B::Error>>> {
        self.0.get_mut().as_mut().poll_frame(context)
    }
}
