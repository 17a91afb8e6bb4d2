//! The device API as one warp filter.

use connect_core::Connect;
use warp::{Filter, Rejection, reply::Response};

use super::{
    caller::CredentialKind,
    document::ServedDocument,
    incoming::incoming,
    routes::{self, DEVICE_DOCS_PATH, DEVICE_OPENAPI, DEVICE_OPENAPI_PATH},
    serve::ServedApi,
};

/// The device API, below `/device/v1`.
/// Registers, kiosks and Scan & Order write here, each with the key of its screen as bearer token. The
/// OpenAPI document is at `/device/v1/openapi.json`, the reference for people at `/device/v1/docs`. The
/// filter rejects every other path, so routes of your own can follow.
///
/// Serve it on the shop's own network only. A screen has the same rate limit as a token.
pub fn device_api(
    connect: Connect,
) -> impl Filter<Extract = (Response,), Error = Rejection> + Clone + Send + Sync + 'static {
    let served = ServedApi {
        connect,
        table: &routes::DEVICE,
        callers: CredentialKind::ScreenKey,
        document: ServedDocument::new(DEVICE_OPENAPI),
        document_paths: [DEVICE_OPENAPI_PATH, DEVICE_DOCS_PATH],
    };
    warp::path!("device" / "v1" / ..)
        .and(incoming())
        .then(move |address, incoming| served.clone().answer(address, incoming))
}
