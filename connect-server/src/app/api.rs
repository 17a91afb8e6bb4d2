//! The API as one warp filter, to be mounted in any warp server.

use std::net::{IpAddr, Ipv4Addr, SocketAddr};

use bytes::{Buf, Bytes};
use connect_core::{
    Connect, Error,
    wire::query::{NoQuery, Query as _},
};
use futures_util::Stream;
use http::{Method, StatusCode};
use warp::{Filter, Rejection, path::FullPath, reply::Response};

use super::gate::{self, Incoming};
use crate::{
    endpoint::{Reply, add_rate},
    net::{Peer, headers},
    routes::{OPENAPI, OPENAPI_PATH},
};

/// Everything below `/v1`, as the specification has it: tokens, limits, errors, and the OpenAPI
/// document at `/v1/openapi.json`. Rejects every other path, so that routes of one's own can
/// follow.
///
/// The addresses of callers without a valid token are limited by
/// [`warp::filters::addr::remote`]; behind a proxy put a [`Peer`] into the extensions of each
/// request.
///
/// ```
/// use std::sync::Arc;
/// use connect_core::Connect;
/// use connect_core::storage::memory::MemoryStorage;
/// use warp::Filter;
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() {
/// let storage = Arc::new(MemoryStorage::new());
/// let connect = Connect::builder(storage).build();
/// let own = warp::path("menu").map(|| "Soup, bread, herring");
/// let site = connect_server::api(connect).or(own);
///
/// let menu = warp::test::request().path("/menu").reply(&site).await;
/// assert_eq!(menu.status(), 200);
/// let refused = warp::test::request().path("/v1/locations").reply(&site).await;
/// assert_eq!(refused.status(), 401);
/// # }
/// ```
pub fn api(
    connect: Connect,
) -> impl Filter<Extract = (Response,), Error = Rejection> + Clone + Send + Sync + 'static {
    let peer = warp::ext::optional::<Peer>()
        .and(warp::addr::remote())
        .map(address);
    let query = warp::query::raw().or(warp::any().map(String::new)).unify();
    warp::path("v1")
        .and(warp::method())
        .and(warp::path::full())
        .and(query)
        .and(warp::header::headers_cloned())
        .and(peer)
        .and(warp::body::stream())
        .then(
            move |method, path: FullPath, query, headers, address, body| {
                let incoming = Incoming {
                    method,
                    path,
                    query,
                    headers,
                    body,
                };
                answer(connect.clone(), address, incoming)
            },
        )
}

/// The address whose invalid tokens are counted.
fn address(peer: Option<Peer>, remote: Option<SocketAddr>) -> IpAddr {
    let of_connection = || remote.map(|remote| remote.ip().to_canonical());
    // Without a socket, as in a test, all callers share one count.
    peer.map(|peer| peer.address)
        .or_else(of_connection)
        .unwrap_or(IpAddr::V4(Ipv4Addr::UNSPECIFIED))
}

async fn answer<S, B>(connect: Connect, address: IpAddr, mut incoming: Incoming<S>) -> Response
where
    S: Stream<Item = Result<B, warp::Error>> + Send,
    B: Buf + Send,
{
    let id = headers::ensure_request_id(&mut incoming.headers);
    let method = incoming.method.clone();
    let is_open = incoming.path.as_str() == OPENAPI_PATH;
    let (reply, rate) = if is_open {
        let reply = document(&method, &incoming.query);
        (reply, connect.anonymous_rate(address))
    } else {
        let token = gate::bearer(&incoming.headers);
        match connect.authenticate(address, token).await {
            Ok(caller) => {
                let rate = caller.rate();
                let reply = match gate::pass(&connect, caller, incoming).await {
                    Ok((passed, route)) => route.answer(passed).await.unwrap_or_else(Reply::from),
                    Err(reply) => reply,
                };
                (reply, rate)
            }
            Err(denied) => {
                let reply = Reply::from(denied.error).retry_after(denied.retry_after);
                (reply, denied.rate)
            }
        }
    };
    if let Some(cause) = reply.cause() {
        // By the id the client's report finds this line.
        tracing::error!(request_id = ?id, %method, %cause, "a request failed");
    }
    let mut response = warp::Reply::into_response(reply);
    add_rate(response.headers_mut(), rate);
    headers::add_request_id(response.headers_mut(), id);
    response
}

/// The OpenAPI document, which is open to everybody.
fn document(method: &Method, query: &str) -> Reply {
    if !matches!(*method, Method::GET | Method::HEAD) {
        return Reply::method_not_allowed(method, &[Method::GET, Method::HEAD]);
    }
    match NoQuery::parse(query) {
        Ok(_) => Reply::json(StatusCode::OK, Bytes::from_static(OPENAPI.as_bytes())),
        Err(invalid) => Error::Malformed(invalid.into()).into(),
    }
}
