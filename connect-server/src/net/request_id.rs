//! `X-Request-Id`: what ties an answer to a line in a log.

use http::{HeaderMap, HeaderName, HeaderValue};
use uuid::Uuid;

const NAME: HeaderName = HeaderName::from_static("x-request-id");

/// The client's id when it is usable, else a new one, which then replaces it in the request.
pub(crate) fn ensure(headers: &mut HeaderMap) -> HeaderValue {
    if let Some(id) = headers.get(NAME)
        && usable(id.as_bytes())
    {
        return id.clone();
    }
    let id = fresh();
    headers.insert(NAME, id.clone());
    id
}

/// A new id, for a request whose head never came.
pub(super) fn fresh() -> HeaderValue {
    let mut text = Uuid::encode_buffer();
    let text = Uuid::new_v4().hyphenated().encode_lower(&mut text);
    HeaderValue::from_str(text).unwrap_or(HeaderValue::from_static("unknown"))
}

/// Marks an answer with its request's id.
pub(crate) fn stamp(headers: &mut HeaderMap, id: HeaderValue) {
    headers.insert(NAME, id);
}

/// 1 to 100 characters that are safe in a log line.
fn usable(id: &[u8]) -> bool {
    (1..=100).contains(&id.len())
        && id
            .iter()
            .all(|c| c.is_ascii_alphanumeric() || matches!(c, b'.' | b'_' | b'-'))
}
