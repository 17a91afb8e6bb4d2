//! Serving the copies, to everybody: `GET /images/{name}`.

use http::{
    HeaderValue, Method, StatusCode,
    header::{CACHE_CONTROL, CONTENT_TYPE, ETAG, IF_NONE_MATCH, X_CONTENT_TYPE_OPTIONS},
};
use warp::{Filter, Rejection, Reply as _, reject, reply::Response};

use super::{Copies, CopyName};
use crate::endpoint::Reply;

/// A copy never changes under its name.
const FOREVER: HeaderValue = HeaderValue::from_static("public, max-age=31536000, immutable");

/// Serves the copies at `/images/{name}`. Rejects every other path, and names of which there is no
/// copy.
pub fn filter(
    copies: Copies,
) -> impl Filter<Extract = (Response,), Error = Rejection> + Clone + Send + Sync + 'static {
    warp::path!("images" / CopyName)
        .and(warp::method())
        .and(warp::header::optional(IF_NONE_MATCH.as_str()))
        .and_then(move |name, method, known| answer(copies.clone(), name, method, known))
}

async fn answer(
    copies: Copies,
    name: CopyName,
    method: Method,
    known: Option<String>,
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
            return Ok(StatusCode::INTERNAL_SERVER_ERROR.into_response());
        }
    };
    let tag = format!("\"{name}\"");
    // Proxies mark tags as weak when they compress.
    let is_known = known.is_some_and(|known| known.trim() == "*" || known.contains(&tag));
    let mut response = match is_known {
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
