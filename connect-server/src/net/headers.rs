//! The headers of every answer.
//! `X-Request-Id` ties it to a line in a log.

use bytes::Bytes;
use http::{
    HeaderMap, HeaderName, HeaderValue, Response,
    header::{STRICT_TRANSPORT_SECURITY, X_CONTENT_TYPE_OPTIONS},
};
use uuid::Uuid;

/// The header with the id of a request.
pub(crate) const REQUEST_ID: HeaderName = HeaderName::from_static("x-request-id");

/// Returns the client's id when usable.
/// Else a new one replaces it in the request.
pub(crate) fn ensure_request_id(headers: &mut HeaderMap) -> HeaderValue {
    let id = headers.get(REQUEST_ID).filter(|id| usable(id.as_bytes()));
    id.cloned().unwrap_or_else(|| {
        let id = fresh_request_id();
        headers.insert(REQUEST_ID, id.clone());
        id
    })
}

/// A new id, for a request without a head.
pub(super) fn fresh_request_id() -> HeaderValue {
    let mut text = Uuid::encode_buffer();
    let text = Uuid::new_v4().hyphenated().encode_lower(&mut text);
    HeaderValue::from_str(text).unwrap_or(HeaderValue::from_static("unknown"))
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
    headers.insert(REQUEST_ID, id);
}

/// Checks an id: 1 to 100 characters, all safe in a log line.
fn usable(id: &[u8]) -> bool {
    (1..=100).contains(&id.len())
        && id
            .iter()
            .all(|c| c.is_ascii_alphanumeric() || matches!(c, b'.' | b'_' | b'-'))
}
