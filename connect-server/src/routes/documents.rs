//! Endpoints that are open to everybody: the OpenAPI document, and the probes.

use connect_core::Connect;
use http::Method;
use warp::{Filter as _, filters::BoxedFilter, path::FullPath};

use super::probes::{self, Probe};
use crate::{
    endpoint::{Reply, add_rate},
    net::Peer,
};

/// The path of the OpenAPI document.
pub(crate) const OPENAPI_PATH: &str = "/v1/openapi.json";

/// The OpenAPI document.
pub(crate) const OPENAPI: &str = include_str!("../../openapi/openapi.json");

/// Answers every request, if need be with 404 or 405.
pub(crate) fn filters(connect: Connect, health: Probe) -> BoxedFilter<(warp::reply::Response,)> {
    let answer = move |method: Method, path: FullPath, peer: Option<Peer>| {
        let (connect, health) = (connect.clone(), health.clone());
        async move {
            let reply = match path.as_str() {
                "/healthz" | "/readyz" if !matches!(method, Method::GET | Method::HEAD) => {
                    Reply::method_not_allowed(&method, &[Method::GET, Method::HEAD])
                }
                "/healthz" => probes::alive(&health()),
                "/readyz" => probes::ready(&connect, &health()).await,
                path => Reply::no_route(path),
            };
            let mut response = warp::Reply::into_response(reply);
            if let Some(peer) = peer {
                let rate = connect.anonymous_rate(peer.address);
                add_rate(response.headers_mut(), rate);
            }
            response
        }
    };
    warp::method()
        .and(warp::path::full())
        .and(warp::ext::optional::<Peer>())
        .then(answer)
        .boxed()
}
