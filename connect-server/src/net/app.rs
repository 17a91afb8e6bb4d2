//! The seam to what answers requests.

use std::{future::Future, sync::Arc};

use bytes::Bytes;
use http::{Request, Response};

use super::{Body, NetFailure, Peer};

/// A service that answers requests.
///
/// The request carries a valid `X-Request-Id` header, the client's own or a new one; the same id
/// is put on the answer afterwards, together with `X-Content-Type-Options: nosniff`. For a HEAD
/// request the app answers as it would answer GET: the body is taken off later and its length
/// kept.
///
/// A request with a body carries an `Arc<`[`Held`](super::Held)`>`, which counts what is read of it.
/// An app that makes more of it, by decompression, counts that too.
///
/// A future returned by [`call`](App::call) is dropped when the client goes away. Work that must
/// not stop half way belongs in a task of its own.
pub trait App: Send + Sync + 'static {
    /// Answers one request. A panic in here becomes [`NetFailure::Panicked`].
    fn call(
        &self,
        request: Request<Body>,
        peer: Peer,
    ) -> impl Future<Output = Response<Bytes>> + Send;

    /// The answer to a request that did not reach [`call`](App::call), or whose call panicked.
    /// Must not block and must not panic.
    fn failure(&self, failure: NetFailure, peer: &Peer) -> Response<Bytes>;
}

impl<A: App> App for Arc<A> {
    fn call(
        &self,
        request: Request<Body>,
        peer: Peer,
    ) -> impl Future<Output = Response<Bytes>> + Send {
        (**self).call(request, peer)
    }

    fn failure(&self, failure: NetFailure, peer: &Peer) -> Response<Bytes> {
        (**self).failure(failure, peer)
    }
}
