//! A request, taken whole or from warp's filters, and its response.

use std::{
    error::Error,
    net::{IpAddr, Ipv4Addr, SocketAddr},
    sync::Arc,
};

use bytes::{Buf, Bytes};
use connect_core::RateStatus;
use futures_util::TryStreamExt;
use http::{HeaderMap, HeaderName, HeaderValue, Method, Request, Response, uri::PathAndQuery};
use http_body::{Body, Frame};
use http_body_util::StreamBody;
use tracing::field::debug;
use warp::{Filter, Rejection, path::FullPath};

use super::{
    encoding::{Encoding, accepted},
    endpoint::{Reply, add_rate},
};
use crate::net::{Held, Peer, RequestNote, headers};

/// A request.
pub(super) struct Incoming<B> {
    pub(super) method: Method,
    /// The path and the query.
    pub(super) target: PathAndQuery,
    pub(super) headers: HeaderMap,
    pub(super) body: B,
    /// The bytes counted for the body.
    /// `None` without a body, and in servers without such a count.
    pub(super) held: Option<Arc<Held>>,
}

/// The body of a request, from any server.
pub(super) trait IncomingBody:
    Body<Data: Buf + Send, Error: Into<Box<dyn Error + Send + Sync>>> + Send
{
}

impl<B> IncomingBody for B where
    B: Body<Data: Buf + Send, Error: Into<Box<dyn Error + Send + Sync>>> + Send
{
}

impl<B> Incoming<B> {
    /// Takes a whole request, without copying its headers.
    pub(super) fn of(request: Request<B>) -> Self {
        let (parts, body) = request.into_parts();
        let target = parts.uri.into_parts().path_and_query;
        Self {
            method: parts.method,
            target: target.unwrap_or(PathAndQuery::from_static("/")),
            headers: parts.headers,
            body,
            held: parts.extensions.get().cloned(),
        }
    }

    pub(super) fn path(&self) -> &str {
        self.target.path()
    }

    /// The query; empty without one.
    pub(super) fn query(&self) -> &str {
        self.target.query().unwrap_or_default()
    }
}

/// Extracts a request and its address, for counting invalid tokens.
/// A request without a usable id gets one.
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
        .map(
            |address, method, path, query: String, headers, body, held| {
                let mut incoming = Incoming {
                    method,
                    target: target(&path, &query),
                    headers,
                    body: StreamBody::new(TryStreamExt::map_ok(body, Frame::data)),
                    held,
                };
                headers::ensure_request_id(&mut incoming.headers);
                (address, incoming)
            },
        )
        .untuple_one()
}

/// Joins the parts of a target that warp has taken apart.
fn target(path: &FullPath, query: &str) -> PathAndQuery {
    let joined = match query {
        "" => path.as_str().to_owned(),
        query => [path.as_str(), "?", query].concat(),
    };
    // Both were valid together before.
    joined.try_into().unwrap_or(PathAndQuery::from_static("/"))
}

/// Returns the address to count a request for.
pub(super) fn address(peer: Option<Peer>, remote: Option<SocketAddr>) -> IpAddr {
    let of_connection = || remote.map(|remote| remote.ip().to_canonical());
    // Without a socket, as in a test, all callers share one count.
    peer.map(|peer| peer.address)
        .or_else(of_connection)
        .unwrap_or(IpAddr::V4(Ipv4Addr::UNSPECIFIED))
}

/// The parts of a request needed later for its response.
pub(super) struct ResponseContext {
    pub(super) method: Method,
    request_id: Option<HeaderValue>,
    /// The encoding wanted by the client.
    pub(super) accepted: Option<Encoding>,
}

impl ResponseContext {
    /// Keeps these parts.
    pub(super) fn of<B>(incoming: &Incoming<B>) -> Self {
        Self {
            method: incoming.method.clone(),
            request_id: incoming.headers.get(headers::REQUEST_ID).cloned(),
            accepted: accepted(&incoming.headers),
        }
    }
}

/// Turns a reply into the response of its request.
/// It adds the encoding and the common headers except the id, and logs a server error.
pub(super) async fn finish(
    reply: Reply,
    asked: &ResponseContext,
    rate: Option<RateStatus>,
) -> Response<Bytes> {
    if let Some(cause) = reply.cause() {
        // By the id the client's report finds this line.
        let request_id = asked.request_id.as_ref().map(debug);
        tracing::error!(request_id, method = %asked.method, %cause, "a request failed");
    }
    let mut response = reply.encoded(asked.accepted).await.into_bare_response();
    add_rate(response.headers_mut(), rate);
    response
}

/// Turns a reply into a response of warp.
/// It has the id of the request, and the note for its log.
pub(super) async fn respond(
    reply: Reply,
    asked: ResponseContext,
    rate: Option<RateStatus>,
    note: RequestNote,
) -> warp::reply::Response {
    let mut response = finish(reply, &asked, rate).await.map(Into::into);
    response.extensions_mut().insert(note);
    let id = asked.request_id.map(|id| (headers::REQUEST_ID, id));
    response.headers_mut().extend(id);
    response
}

/// The value of a header; `None` if missing or repeated.
pub(super) fn only<'a>(headers: &'a HeaderMap, name: &HeaderName) -> Option<&'a HeaderValue> {
    let mut values = headers.get_all(name).iter();
    let first = values.next()?;
    values.next().is_none().then_some(first)
}
