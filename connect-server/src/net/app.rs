//! The seam to what answers requests.

use std::{future::Future, sync::Arc, time::Duration};

use bytes::Bytes;
use http::{Method, Request, Response, StatusCode};

use super::{Body, NetFailure, Peer};

/// A service that answers requests.
///
/// The request carries a valid `X-Request-Id` header, the client's own or a new one; the same id
/// is put on the answer afterwards, together with `X-Content-Type-Options: nosniff`, and over TLS with
/// `Strict-Transport-Security`. For a HEAD request the app answers as it would answer GET: the body is
/// taken off later and its length kept.
///
/// A request with a body carries an `Arc<`[`Held`](super::Held)`>`, which counts what is read of it.
/// An app that makes more of it, by decompression, counts that too.
///
/// A future returned by [`call`](App::call) is dropped when the client goes away: over HTTP/1.1 at the
/// latest after [`Limits::idle`](super::Limits::idle), since one that has ended its side may still wait for
/// the answer. Work that must not stop half way belongs in a task of its own.
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

    /// Takes note of a request that has ended: once for each, also for one whose client went away.
    /// Must not block and must not panic. Does nothing unless it is made to.
    fn ended(&self, _request: &Ended<'_>) {}
}

/// A request that has ended.
#[derive(Clone, Copy, Debug)]
pub struct Ended<'r> {
    /// Its method, which may be one of the client's own.
    pub method: &'r Method,
    /// The template of its path, if it led anywhere.
    pub route: Option<&'static str>,
    /// The status of the answer; `None` when the client went away before there was one.
    pub status: Option<StatusCode>,
    /// The time from its head to its answer.
    pub took: Duration,
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

    fn ended(&self, request: &Ended<'_>) {
        (**self).ended(request);
    }
}
