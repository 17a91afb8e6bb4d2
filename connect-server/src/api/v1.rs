//! The API as one warp filter, for any warp server.

use connect_core::Connect;
use warp::{Filter, Rejection, reply::Response};

use super::{
    caller::CredentialKind,
    document::ServedDocument,
    incoming::incoming,
    routes::{self, DOCS_PATH, OPENAPI, OPENAPI_PATH},
    serve::ServedApi,
};
use crate::workers::images::PublicUrl;

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
    let served = ServedApi {
        connect,
        table: &routes::API,
        callers: CredentialKind::Token,
        document,
        document_paths: [OPENAPI_PATH, DOCS_PATH],
    };
    warp::path("v1")
        .and(incoming())
        .then(move |address, incoming| served.clone().answer(address, incoming))
}
