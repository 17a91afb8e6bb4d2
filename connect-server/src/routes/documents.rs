//! What is open to everybody: the OpenAPI document, and the way to the probes outside `/v1`.

use bytes::Bytes;
use connect_core::{
    Connect, Failure, FailureKind,
    wire::query::{NoQuery, Query as _},
};
use http::{Method, StatusCode};
use warp::{Filter as _, filters::BoxedFilter};

use super::probes::{self, Probe};
use crate::endpoint::Reply;

/// Where the OpenAPI document is.
pub(super) const OPENAPI_PATH: &str = "/v1/openapi.json";

/// The OpenAPI document.
pub(super) const OPENAPI: &str = include_str!("../../openapi/openapi.json");

/// Answers every request, if need be with 404 or 405.
pub(crate) fn filters(connect: Connect, health: Probe) -> BoxedFilter<(Reply,)> {
    let answer = move |method: Method, path: warp::path::FullPath, query: String| {
        let (connect, health) = (connect.clone(), health.clone());
        async move {
            let path = path.as_str();
            if !matches!(path, OPENAPI_PATH | "/healthz" | "/readyz") {
                let message = format!("there is nothing at {path}; see {OPENAPI_PATH}");
                return Failure::new(FailureKind::NotFound, message).into();
            }
            if !matches!(method, Method::GET | Method::HEAD) {
                return Reply::method_not_allowed(&method, &[Method::GET, Method::HEAD]);
            }
            if path == OPENAPI_PATH
                && let Err(invalid) = NoQuery::parse(&query)
            {
                return Failure::malformed(&invalid).into();
            }
            match path {
                OPENAPI_PATH => Reply::json(StatusCode::OK, Bytes::from_static(OPENAPI.as_bytes())),
                "/healthz" => probes::alive(&health()),
                _ => probes::ready(&connect, &health()).await,
            }
        }
    };
    let query = warp::query::raw().or(warp::any().map(String::new)).unify();
    warp::method()
        .and(warp::path::full())
        .and(query)
        .then(answer)
        .boxed()
}
