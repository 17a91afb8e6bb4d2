//! The API as one warp filter, for any warp server.

use std::net::IpAddr;

use connect_core::Connect;
use warp::{Filter, Rejection, reply::Response};

use super::{
    document::{Form, ServedDocument},
    endpoint::Reply,
    gate,
    incoming::{Incoming, IncomingBody, ResponseContext, incoming, respond},
    routes::{self, DOCS_PATH, OPENAPI, OPENAPI_PATH},
};
use crate::{net::RequestNote, workers::images::PublicUrl};

/// The API of the specification, below `/v1`.
/// It includes tokens, limits, errors, the OpenAPI document at `/v1/openapi.json` and the reference for
/// people at `/v1/docs`. The filter rejects every other path, so routes of your own can follow.
///
/// Callers without a valid token are limited by their address, from [`warp::filters::addr::remote`]. Behind a
/// proxy, put a [`Peer`](crate::net::Peer) into the extensions of each request.
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
    serve(connect, ServedDocument::new(OPENAPI))
}

/// [`api`] with its public address, before `/v1`, in the OpenAPI document.
pub fn api_at(
    connect: Connect,
    public: &PublicUrl,
) -> impl Filter<Extract = (Response,), Error = Rejection> + Clone + Send + Sync + 'static {
    serve(connect, ServedDocument::at(public, OPENAPI))
}

fn serve(
    connect: Connect,
    document: ServedDocument,
) -> impl Filter<Extract = (Response,), Error = Rejection> + Clone + Send + Sync + 'static {
    warp::path("v1")
        .and(incoming())
        .then(move |address, incoming| answer(connect.clone(), document.clone(), address, incoming))
}

async fn answer(
    connect: Connect,
    document: ServedDocument,
    address: IpAddr,
    mut incoming: Incoming<impl IncomingBody>,
) -> Response {
    let asked = ResponseContext::of(&mut incoming);
    let form = match incoming.path.as_str() {
        OPENAPI_PATH => Some((OPENAPI_PATH, Form::Json)),
        DOCS_PATH => Some((DOCS_PATH, Form::Page)),
        _ => None,
    };
    let mut note = RequestNote::default();
    let (reply, rate) = if let Some((path, form)) = form {
        note.route = Some(path);
        match connect.count_anonymous(address) {
            Ok(rate) => {
                let (method, query) = (&asked.method, &incoming.query);
                let reply = document.answer(form, method, query, asked.accepted).await;
                (reply, rate)
            }
            Err(denied) => {
                let rate = denied.rate;
                (gate::denied(denied, None, "token"), rate)
            }
        }
    } else {
        // Only the log shows the route: callers without a token must not learn of it.
        let found = gate::find(&routes::API, &incoming);
        note.route = found.template();
        let token = gate::bearer(&incoming.headers);
        let unsent = token.err();
        match connect.authenticate(address, token.ok()).await {
            Ok(caller) => {
                let rate = caller.rate();
                gate::note(&mut note, &caller);
                let reply = match gate::pass(&connect, caller, found, incoming).await {
                    Ok((passed, route)) => route.answer(passed).await.unwrap_or_else(Reply::from),
                    Err(reply) => reply,
                };
                (reply, rate)
            }
            Err(denied) => {
                let rate = denied.rate;
                (gate::denied(denied, unsent, "token"), rate)
            }
        }
    };
    respond(reply, asked, Some(rate), note).await
}
