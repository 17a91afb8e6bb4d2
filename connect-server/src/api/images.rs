//! Serves the copies of images to everyone: `GET /images/{name}`.

use connect_core::{Reason, wire::ErrorCode};
use http::{
    HeaderMap, HeaderValue, Method, StatusCode,
    header::{CACHE_CONTROL, CONTENT_TYPE, ETAG, IF_NONE_MATCH, X_CONTENT_TYPE_OPTIONS},
};
use warp::{Filter, Rejection, Reply as _, reject, reply::Response};

use super::endpoint::Reply;
use crate::{
    net::RequestNote,
    workers::images::{Copies, CopyError, CopyName},
};

/// The template of the path.
pub(crate) const PATH: &str = "/images/{name}";

/// The seconds to wait while the store of the copies fails.
const RETRY_AFTER: i64 = 5;

/// The caching of a copy: its content never changes.
const FOREVER: HeaderValue = HeaderValue::from_static("public, max-age=31536000, immutable");

/// Serves the copies of images at `/images/{name}`.
/// Rejects every other path, and names without a copy.
pub fn filter(
    copies: Copies,
) -> impl Filter<Extract = (Response,), Error = Rejection> + Clone + Send + Sync + 'static {
    warp::path!("images" / CopyName)
        .and(warp::method())
        .and(warp::header::headers_cloned())
        .and_then(move |name, method, headers| answer(copies.clone(), name, method, headers))
        .map(|mut response: Response| {
            let note = RequestNote::of(Some(PATH));
            response.extensions_mut().insert(note);
            response
        })
}

async fn answer(
    copies: Copies,
    name: CopyName,
    method: Method,
    request: HeaderMap,
) -> Result<Response, Rejection> {
    if !matches!(method, Method::GET | Method::HEAD) {
        let refused = Reply::method_not_allowed(&method, &[Method::GET, Method::HEAD]);
        return Ok(warp::Reply::into_response(refused));
    }
    let copy = match copies.get(&name).await {
        Ok(Some(copy)) => copy,
        Ok(None) => return Err(reject::not_found()),
        Err(error) => {
            tracing::error!(%name, %error, "an image could not be read");
            let refused = match error {
                CopyError::Store(_) => unavailable(),
                CopyError::Damaged => return Ok(StatusCode::INTERNAL_SERVER_ERROR.into_response()),
            };
            return Ok(warp::Reply::into_response(refused));
        }
    };
    let tag = format!("\"{name}\"");
    let mut response = match knows(&request, &tag) {
        true => StatusCode::NOT_MODIFIED.into_response(),
        false => Response::new(copy.into()),
    };
    let headers = response.headers_mut();
    let kind = name.kind().content_type();
    headers.insert(CONTENT_TYPE, HeaderValue::from_static(kind));
    headers.insert(CACHE_CONTROL, FOREVER);
    // A digest is always valid header text.
    headers.extend(HeaderValue::try_from(tag).map(|tag| (ETAG, tag)));
    headers.insert(X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff"));
    Ok(response)
}

/// A 503 while the store of the copies fails.
fn unavailable() -> Reply {
    let problem = "the image cannot be read now; ask again later";
    let reason = Reason::new(problem).detail(ErrorCode::ServerError);
    Reply::error(StatusCode::SERVICE_UNAVAILABLE, reason).retry_after(Some(RETRY_AFTER))
}

/// Returns whether the caller already has the copy with this tag.
/// Compressing proxies mark tags as weak, so the tag may be a part of the header. A header of invalid text
/// matches no tag.
fn knows(request: &HeaderMap, tag: &str) -> bool {
    let mut known = request.get_all(IF_NONE_MATCH).iter();
    known.any(|known| {
        let known = known.to_str().unwrap_or_default();
        known.trim() == "*" || known.contains(tag)
    })
}
