//! The parts of a request from warp's filters, and its response.

use std::{
    net::{IpAddr, Ipv4Addr, SocketAddr},
    sync::Arc,
};

use bytes::Buf;
use connect_core::RateStatus;
use futures_util::Stream;
use http::{HeaderMap, HeaderName, HeaderValue, Method, header::CACHE_CONTROL};
use warp::{Filter, Rejection, path::FullPath, reply::Response};

use super::{
    encoding::{Encoding, accepted},
    endpoint::{Reply, add_rate},
};
use crate::net::{Held, Peer, RequestNote, headers};

/// A request.
pub(super) struct Incoming<S> {
    pub(super) method: Method,
    pub(super) path: FullPath,
    pub(super) query: String,
    pub(super) headers: HeaderMap,
    pub(super) body: S,
    /// The bytes counted for the body.
    /// `None` without a body, and in servers without such a count.
    pub(super) held: Option<Arc<Held>>,
}

/// The body of a request as warp gives it.
pub(super) trait IncomingBody:
    Stream<Item = Result<Self::Piece, warp::Error>> + Send
{
    /// A piece of it.
    type Piece: Buf + Send;
}

impl<B: Buf + Send, S: Stream<Item = Result<B, warp::Error>> + Send> IncomingBody for S {
    type Piece = B;
}

/// Extracts a request and its address, for counting invalid tokens.
pub(super) fn incoming()
-> impl Filter<Extract = (IpAddr, Incoming<impl IncomingBody>), Error = Rejection> + Clone + Send + Sync
{
    let peer = warp::ext::optional::<Peer>()
        .and(warp::addr::remote())
        .map(address);
    let query = warp::query::raw().or(warp::any().map(String::new)).unify();
    peer.and(warp::method())
        .and(warp::path::full())
        .and(query)
        .and(warp::header::headers_cloned())
        .and(warp::body::stream())
        .and(warp::ext::optional())
        .map(|address, method, path, query, headers, body, held| {
            let incoming = Incoming {
                method,
                path,
                query,
                headers,
                body,
                held,
            };
            (address, incoming)
        })
        .untuple_one()
}

fn address(peer: Option<Peer>, remote: Option<SocketAddr>) -> IpAddr {
    let of_connection = || remote.map(|remote| remote.ip().to_canonical());
    // Without a socket, as in a test, all callers share one count.
    peer.map(|peer| peer.address)
        .or_else(of_connection)
        .unwrap_or(IpAddr::V4(Ipv4Addr::UNSPECIFIED))
}

/// The parts of a request needed later for its response.
pub(super) struct ResponseContext {
    pub(super) method: Method,
    request_id: HeaderValue,
    /// The encoding wanted by the client.
    pub(super) accepted: Option<Encoding>,
}

impl ResponseContext {
    /// Keeps these parts. A request without a usable id gets one.
    pub(super) fn of<S>(incoming: &mut Incoming<S>) -> Self {
        Self {
            method: incoming.method.clone(),
            request_id: headers::ensure_request_id(&mut incoming.headers),
            accepted: accepted(&incoming.headers),
        }
    }
}

/// Turns a reply into the response of its request.
/// It adds the common headers, the encoding and the note for the request log, and logs a server error.
pub(super) async fn respond(
    reply: Reply,
    asked: ResponseContext,
    rate: Option<RateStatus>,
    note: RequestNote,
) -> Response {
    let ResponseContext {
        method,
        request_id,
        accepted,
    } = asked;
    if let Some(cause) = reply.cause() {
        // By the id the client's report finds this line.
        tracing::error!(?request_id, %method, %cause, "a request failed");
    }
    let mut response = warp::Reply::into_response(reply.encoded(accepted).await);
    if let Some(rate) = rate {
        add_rate(response.headers_mut(), rate);
    }
    response
        .headers_mut()
        .entry(CACHE_CONTROL)
        .or_insert(HeaderValue::from_static("no-store"));
    let headers = response.headers_mut();
    headers.insert(headers::REQUEST_ID, request_id);
    response.extensions_mut().insert(note);
    response
}

/// The value of a header; `None` if missing or repeated.
pub(super) fn only<'a>(headers: &'a HeaderMap, name: &HeaderName) -> Option<&'a HeaderValue> {
    let mut values = headers.get_all(name).iter();
    let first = values.next()?;
    values.next().is_none().then_some(first)
}
