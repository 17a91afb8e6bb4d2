//! Workarounds for hyper, each with its reason.
//!
//! - hyper answers an unreadable head by itself, without a body. Such an answer would not be JSON and
//!   have no request id: [`bare_answer`] finds it, and [`Guarded`](super::guarded_socket::Guarded)
//!   writes the [`refusal`] in its place.
//! - hyper leaves the body on the answer to HEAD over HTTP/2, and the client reports a broken protocol:
//!   [`without_body`].
//! - hyper closes an HTTP/1.1 connection on an unread body. A reset then overtakes the 413, and the
//!   client sees a broken pipe: [`discard`].
//! - hyper resets an HTTP/2 stream when its body is dropped, and some clients then forget the answer:
//!   [`hold`].
//! - hyper's timer for heads also cuts idle connections, and costs an allocation and a timer each
//!   request. It is switched off ([`http`](super::shared::http)), and [`Activity`] keeps the time.
//! - hyper drops an HTTP/1.1 request when its client ends its side of the connection. The client may
//!   still wait for the answer, as `nc -N` and some proxies do. With this switched off, hyper does not
//!   notice a client's departure: [`Guarded`](super::guarded_socket::Guarded) checks at intervals. A
//!   client with its side ended and taking nothing is cut like an idle one.
//! - hyper has no limit for a client that reads nothing, and none for one still sending when the
//!   connection closes: [`Guarded`](super::guarded_socket::Guarded) has both.
//!
//! hyper's handling of ambiguous requests stays as it is. It refuses a carriage return alone, lines
//! continued in the next, and differing lengths. It ends a connection after a request with both a length
//! and chunks. It accepts a line feed alone as the end of a line of a head, as RFC 9112, 2.2 allows.
//! `tests/net/framing.rs` checks all this.

use std::{
    future::ready,
    sync::Arc,
    time::{Duration, SystemTime},
};

use bytes::Bytes;
use futures_util::TryStreamExt as _;
use http::{
    HeaderValue, Response,
    header::{CONNECTION, CONTENT_LENGTH, DATE},
};
use http_body::Body as _;
use http_body_util::{BodyStream, Limited};
use hyper::body::Incoming;
use tokio::time::timeout;

use super::{
    App, Limits, NetFailure, Peer,
    activity::{Activity, Stage},
    body::UnreadRest,
    headers,
};

/// Returns the failure behind a bare answer; `None` for other bytes.
/// A bare answer is written at once.
///
/// Our answers differ by their `x-request-id`. A body of an app cannot be mistaken for a bare answer
/// unless it looks like such a head and happens to start a write of its own.
pub(super) fn bare_answer(bytes: &[u8], limits: &Limits) -> Option<NetFailure> {
    let status = bytes.strip_prefix(b"HTTP/1.1 ")?.first_chunk()?;
    let failure = match status {
        b"400" => NetFailure::Malformed,
        b"414" => NetFailure::UriTooLong(limits.uri_bytes),
        b"431" => NetFailure::HeadersTooLarge(limits.header_bytes),
        _ => return None,
    };
    // The longest is about 140 bytes; answers of the app's with the same start are longer.
    let is_head = bytes.len() <= 200 && bytes.ends_with(b"\r\n\r\n");
    let is_ours = || String::from_utf8_lossy(bytes).contains("x-request-id: ");
    (is_head && !is_ours()).then_some(failure)
}

/// Returns the app's answer to `failure` as bytes of HTTP/1.1.
/// The connection closes after it.
pub(super) fn refusal<A: App>(app: &A, failure: NetFailure, peer: &Peer) -> Bytes {
    let mut response = app.failure(failure, peer);
    headers::finish(&mut response, headers::fresh_request_id(), peer.tls);
    let (mut head, body) = response.into_parts();
    head.headers.insert(CONTENT_LENGTH, body.len().into());
    let close = HeaderValue::from_static("close");
    head.headers.insert(CONNECTION, close);
    if let Ok(now) = httpdate::fmt_http_date(SystemTime::now()).try_into() {
        head.headers.insert(DATE, now);
    }
    let mut out = format!("HTTP/1.1 {}\r\n", head.status).into_bytes();
    for (name, value) in &head.headers {
        for part in [name.as_str().as_bytes(), b": ", value.as_bytes(), b"\r\n"] {
            out.extend_from_slice(part);
        }
    }
    out.extend_from_slice(b"\r\n");
    out.extend_from_slice(&body);
    out.into()
}

/// Takes the body off the answer to HEAD, and keeps its length.
pub(super) fn without_body(response: &mut Response<Bytes>) {
    let length = response.body().len();
    let announced = response.headers_mut().entry(CONTENT_LENGTH);
    announced.or_insert(length.into());
    response.body_mut().clear();
}

/// Reads and drops the unread rest of a body, within the limits.
/// Returns the part still unread then. `waits`: the client sends nothing before `100 Continue`.
pub(super) async fn discard(unread: UnreadRest, waits: bool, limits: &Limits) -> Option<Incoming> {
    let mut incoming = unread.incoming;
    // Reading from a waiting client would tell it to send an unwanted body.
    let has_ended = (unread.is_touched || !waits) && {
        let rest = BodyStream::new(Limited::new(&mut incoming, limits.discard_bytes));
        let reading = timeout(limits.discard, rest.try_for_each(|_| ready(Ok(()))));
        // Boxed: it is rare, and would make every request's future larger.
        matches!(Box::pin(reading).await, Ok(Ok(())))
    };
    // A stream reset by the client is at its end too.
    (!has_ended && !incoming.is_end_stream()).then_some(incoming)
}

/// Delays the reset of an HTTP/2 stream, without reading on.
/// All streams of a connection stay in memory with it, so this ends with the connection.
pub(super) async fn hold(rest: Incoming, time: Duration, activity: Arc<Activity>) {
    let _ = timeout(time, activity.after(Stage::Cut)).await;
    drop(rest);
}

#[cfg(test)]
mod tests {
    use super::*;

    /// An app's answer with such a beginning stays as it is.
    #[test]
    fn only_a_bare_head_is_replaced() {
        let limits = Limits::default();
        let bare = |status: &str, headers: &str| {
            format!("HTTP/1.1 {status} Words\r\ncontent-length: 0\r\n{headers}\r\n")
        };
        let filled = |length: usize| {
            let rest = length - bare("400", "a: \r\n").len();
            bare("400", &format!("a: {}\r\n", "b".repeat(rest)))
        };
        for (bytes, expected) in [
            (bare("400", ""), Some(NetFailure::Malformed)),
            (bare("414", ""), Some(NetFailure::UriTooLong(8192))),
            (bare("431", ""), Some(NetFailure::HeadersTooLarge(16_384))),
            (bare("404", ""), None),
            (bare("400", "x-request-id: a\r\n"), None),
            (bare("400", "") + "body", None),
            (filled(200), Some(NetFailure::Malformed)),
            (filled(201), None),
        ] {
            assert_eq!(bare_answer(bytes.as_bytes(), &limits), expected, "{bytes}");
        }
    }
}
