//! Workarounds for hyper, each with its reason.
//!
//! - hyper answers an unreadable head by itself, without a body. Such an answer would not be JSON and
//!   have no request id: [`bare_answer`] finds it, and [`Guarded`](super::guarded_socket::Guarded)
//!   writes the [`refusal`] in its place.
//! - hyper answers the two largest lengths of a body with 431, as if the head were too large:
//!   [`has_absurd_length`] finds them.
//! - hyper leaves the body on the answer to HEAD over HTTP/2, and the client reports a broken protocol:
//!   [`without_body`].
//! - hyper closes an HTTP/1.1 connection on an unread body. A reset then overtakes the 413, and the
//!   client sees a broken pipe: [`discard`].
//! - hyper resets an HTTP/2 stream when its body is dropped, and some clients then forget the answer:
//!   [`hold`].
//! - hyper's timer for heads also cuts idle connections, and costs an allocation and a timer each
//!   request. It is switched off ([`http`](super::shared::http)), and
//!   [`Activity`](super::activity::Activity) keeps the time.
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

use std::{sync::Arc, time::Duration};

use bytes::{BufMut, Bytes, BytesMut};
use http::{
    HeaderValue, Response,
    header::{CONNECTION, CONTENT_LENGTH, DATE},
};
use http_body::Body as _;
use http_body_util::BodyExt as _;
use hyper::body::Incoming;
use tokio::time::timeout;

use super::{App, Limits, NetFailure, Peer, activity::Activity, body::UnreadRest, headers};

/// Returns the failure behind a bare answer; `None` for other bytes.
/// A bare answer is written at once.
///
/// Our answers differ by their `x-request-id`. A body of an app cannot be mistaken for a bare answer
/// unless it is exactly such a head and happens to start a write of its own.
pub(super) fn bare_answer(
    bytes: &[u8],
    limits: &Limits,
    absurd_length: bool,
) -> Option<NetFailure> {
    // The longest is about 140 bytes; answers of the app's with the same start are longer.
    if bytes.len() > 200 || !bytes.starts_with(b"HTTP/1.1 4") {
        return None;
    }
    let head = std::str::from_utf8(bytes).ok()?.strip_suffix("\r\n\r\n")?;
    let mut lines = head.split("\r\n");
    let failure = match lines.next()?.get(9..12)? {
        "400" => NetFailure::Malformed,
        "414" => NetFailure::UriTooLong(limits.uri_bytes),
        "431" if absurd_length => NetFailure::Malformed,
        "431" => NetFailure::HeadersTooLarge(limits.header_bytes),
        _ => return None,
    };
    let ours = |line: &str| {
        !["connection: close", "content-length: 0"].contains(&line) && !line.starts_with("date: ")
    };
    if lines.any(ours) { None } else { Some(failure) }
}

/// Returns whether these bytes of a head may hold an absurd length.
/// The two lengths are 2^64 - 1 and 2^64 - 2.
pub(super) fn has_absurd_length(bytes: &[u8]) -> bool {
    const BOTH: &[u8] = b"1844674407370955161";
    bytes.windows(BOTH.len()).any(|window| window == BOTH)
}

/// Returns the app's answer to `failure` as bytes of HTTP/1.1.
/// The connection closes after it.
pub(super) fn refusal<A: App>(app: &A, failure: NetFailure, peer: &Peer) -> Bytes {
    let mut response = app.failure(failure, peer);
    headers::finish(&mut response, headers::fresh_request_id(), peer.tls);
    let length = HeaderValue::from(response.body().len());
    let headers = response.headers_mut();
    headers.insert(CONTENT_LENGTH, length);
    headers.insert(CONNECTION, HeaderValue::from_static("close"));
    if let Ok(now) = HeaderValue::from_str(&httpdate::fmt_http_date(std::time::SystemTime::now())) {
        headers.insert(DATE, now);
    }
    print(&response)
}

fn print(response: &Response<Bytes>) -> Bytes {
    let mut out = BytesMut::with_capacity(512 + response.body().len());
    out.put_slice(b"HTTP/1.1 ");
    out.put_slice(response.status().as_str().as_bytes());
    out.put_u8(b' ');
    out.put_slice(
        response
            .status()
            .canonical_reason()
            .unwrap_or_default()
            .as_bytes(),
    );
    out.put_slice(b"\r\n");
    for (name, value) in response.headers() {
        out.put_slice(name.as_str().as_bytes());
        out.put_slice(b": ");
        out.put_slice(value.as_bytes());
        out.put_slice(b"\r\n");
    }
    out.put_slice(b"\r\n");
    out.put_slice(response.body());
    out.freeze()
}

/// Takes the body off the answer to HEAD, and keeps its length.
pub(super) fn without_body(mut response: Response<Bytes>) -> Response<Bytes> {
    let length = response.body().len();
    if !response.headers().contains_key(CONTENT_LENGTH) {
        response
            .headers_mut()
            .insert(CONTENT_LENGTH, HeaderValue::from(length));
    }
    response.map(|_| Bytes::new())
}

/// Reads and drops the unread rest of a body, within the limits.
/// Returns the part still unread then. `waits`: the client sends nothing before `100 Continue`.
pub(super) async fn discard(unread: UnreadRest, waits: bool, limits: &Limits) -> Option<Incoming> {
    let UnreadRest {
        mut incoming,
        touched,
    } = unread;
    // Reading from a waiting client would tell it to send an unwanted body.
    let comes = touched || !waits;
    // Boxed: it is rare, and would make every request's future larger.
    let ended = comes && Box::pin(to_the_end(&mut incoming, limits)).await;
    // A stream reset by the client is at its end too.
    (!ended && !incoming.is_end_stream()).then_some(incoming)
}

/// Returns whether the end was reached within the limits.
async fn to_the_end(incoming: &mut Incoming, limits: &Limits) -> bool {
    let reading = async {
        let mut left = limits.discard_bytes;
        loop {
            match incoming.frame().await {
                None => return true,
                Some(Err(_)) => return false,
                Some(Ok(frame)) => {
                    let read = frame.data_ref().map_or(0, |data| data.len());
                    let Some(rest) = left.checked_sub(read) else {
                        return false;
                    };
                    left = rest;
                }
            }
        }
    };
    timeout(limits.discard, reading).await.unwrap_or(false)
}

/// Delays the reset of an HTTP/2 stream, without reading on.
/// All streams of a connection stay in memory with it, so this ends with the connection.
pub(super) async fn hold(rest: Incoming, time: Duration, activity: Arc<Activity>) {
    let _ = timeout(time, activity.ended()).await;
    drop(rest);
}
