//! The headers of every answer.
//! `X-Request-Id` ties it to a line in a log.
//!
//! tower-http's layers for them, for panics and for the size of a body do not fit. They keep any id of
//! the client's however long. They answer a panic without knowing the caller, and so without its rate
//! limit. They refuse a large body in plain text before the caller's scope is checked.

use bytes::Bytes;
use http::{
    HeaderMap, HeaderName, HeaderValue, Response,
    header::{STRICT_TRANSPORT_SECURITY, X_CONTENT_TYPE_OPTIONS},
};
use uuid::Uuid;

const REQUEST_ID: HeaderName = HeaderName::from_static("x-request-id");

/// Returns the client's id when usable.
/// Else a new one replaces it in the request.
pub(crate) fn ensure_request_id(headers: &mut HeaderMap) -> HeaderValue {
    if let Some(id) = headers.get(REQUEST_ID)
        && usable(id.as_bytes())
    {
        return id.clone();
    }
    let id = fresh_request_id();
    headers.insert(REQUEST_ID, id.clone());
    id
}

/// A new id, for a request without a head.
pub(super) fn fresh_request_id() -> HeaderValue {
    let mut text = Uuid::encode_buffer();
    let text = Uuid::new_v4().hyphenated().encode_lower(&mut text);
    HeaderValue::from_str(text).unwrap_or(HeaderValue::from_static("unknown"))
}

/// Marks an answer with its request's id.
pub(crate) fn add_request_id(headers: &mut HeaderMap, id: HeaderValue) {
    headers.insert(REQUEST_ID, id);
}

/// Tells browsers to use only HTTPS with this host for a year.
const HTTPS_ALONE: HeaderValue = HeaderValue::from_static("max-age=31536000");

/// Adds the headers of every answer.
/// Over TLS of our own also [`HTTPS_ALONE`]. Behind a proxy the proxy decides on it.
pub(super) fn finish(response: &mut Response<Bytes>, id: HeaderValue, tls: bool) {
    let headers = response.headers_mut();
    headers.insert(X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff"));
    if tls {
        headers.insert(STRICT_TRANSPORT_SECURITY, HTTPS_ALONE);
    }
    add_request_id(headers, id);
}

/// Checks an id: 1 to 100 characters, all safe in a log line.
fn usable(id: &[u8]) -> bool {
    (1..=100).contains(&id.len())
        && id
            .iter()
            .all(|c| c.is_ascii_alphanumeric() || matches!(c, b'.' | b'_' | b'-'))
}
