//! The interface between the network and the app.

use std::{future::Future, time::Duration};

use bytes::Bytes;
use http::{Method, Request, Response, StatusCode};

use super::{Body, NetFailure, Peer, RequestNote};

/// A service for answering requests.
///
/// The request carries a valid `X-Request-Id` header, the client's own or a new one. The same id is put
/// on the answer afterwards, together with `X-Content-Type-Options: nosniff`, and over TLS with
/// `Strict-Transport-Security`. The app answers a HEAD request as it would GET: the body is taken off
/// later and its length kept.
///
/// A request with a body carries an `Arc<`[`Held`](super::Held)`>` to count the bytes read of it. An app
/// producing more bytes from it, by decompression, counts them too.
///
/// The future of [`call`](App::call) is dropped when the client goes away. Over HTTP/1.1 this takes at
/// most [`Limits::idle`](super::Limits::idle), since a client with its sending side closed may still
/// wait for the answer. Work to be finished in any case belongs in a task of its own.
pub trait App: Send + Sync + 'static {
    /// Answers one request, with a note for its log line.
    /// A panic of the future becomes [`NetFailure::Panicked`].
    fn call(
        &self,
        request: Request<Body>,
        peer: Peer,
    ) -> impl Future<Output = (Response<Bytes>, RequestNote)> + Send;

    /// Answers a request outside of [`call`](App::call).
    /// The request did not reach it, or the call panicked. Must not block and must not panic.
    fn failure(&self, failure: NetFailure, peer: &Peer) -> Response<Bytes>;

    /// Takes note of a request's end.
    /// Called once for each request, also when its client went away. Must not block and must not panic.
    /// Does nothing by default.
    fn ended(&self, _request: &Ended<'_>) {}
}

/// A finished request.
#[derive(Clone, Copy, Debug)]
pub struct Ended<'r> {
    /// Its method, perhaps one of the client's invention.
    pub method: &'r Method,
    /// The template of its path, if it matched a route.
    pub route: Option<&'static str>,
    /// The status of the answer; `None` when the client left before it.
    pub status: Option<StatusCode>,
    /// The time from its head to its answer.
    pub took: Duration,
}
