//! Answers that no HTTP library writes for us: to bytes that are not what the port speaks.

use bytes::{BufMut, Bytes, BytesMut};
use http::header::{CONNECTION, CONTENT_LENGTH, DATE};
use http::{HeaderValue, Response};

use super::{App, NetFailure, Peer, request_id, service};

/// The app's answer to `failure` as the bytes of an HTTP/1.1 response, after which the
/// connection closes.
pub(super) fn bytes<A: App>(app: &A, failure: NetFailure, peer: &Peer) -> Bytes {
    let mut response = app.failure(failure, peer);
    service::finish(&mut response, request_id::fresh());
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
