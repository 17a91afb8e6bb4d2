//! One request: checks, the app behind a net for panics, and what every answer carries.

use std::net::IpAddr;
use std::panic::AssertUnwindSafe;

use bytes::Bytes;
use futures_util::FutureExt;
use http::header::{CONNECTION, CONTENT_LENGTH, X_CONTENT_TYPE_OPTIONS};
use http::{HeaderValue, Method, Request, Response, Version};
use http_body::Body as _;
use http_body_util::Full;
use hyper::body::Incoming;

use super::activity::Activity;
use super::body::Leftover;
use super::shared::Shared;
use super::{App, Body, NetFailure, discard, head, request_id};

/// Answers one request that came over the connection from `remote`.
pub(super) async fn answer<A: App>(
    shared: &Shared<A>,
    activity: &Activity,
    remote: IpAddr,
    request: Request<Incoming>,
) -> Response<Full<Bytes>> {
    let http2 = request.version() == Version::HTTP_2;
    let _in_flight = activity.begin(http2);
    let head_only = request.method() == Method::HEAD;
    let (mut parts, incoming) = request.into_parts();
    let id = request_id::ensure(&mut parts.headers);

    // HTTP/2 resets the one stream instead; a body that is at its end leaves nothing.
    let leftover = (!http2 && !incoming.is_end_stream()).then(Leftover::default);
    let waits = leftover.is_some() && head::expects_continue(&parts);
    let body = Body::new(incoming, shared.limits.body, leftover.clone());

    let mut response = call(shared, remote, Request::from_parts(parts, body)).await;
    finish(&mut response, id);
    if let Some(unread) = leftover.and_then(|leftover| leftover.take()) {
        // A client that waits for `100 Continue` must not be told to send what nobody wants.
        let sent = unread.touched || !waits;
        if !sent || !discard::to_the_end(unread.incoming, &shared.limits).await {
            activity.linger();
            response
                .headers_mut()
                .insert(CONNECTION, HeaderValue::from_static("close"));
        }
    }
    if head_only {
        return without_body(response);
    }
    response.map(Full::new)
}

async fn call<A: App>(
    shared: &Shared<A>,
    remote: IpAddr,
    request: Request<Body>,
) -> Response<Bytes> {
    let (peer, checked) = head::check(
        &request,
        remote,
        shared.tls.is_some(),
        &shared.plain,
        &shared.limits,
    );
    if let Err(failure) = checked {
        return shared.app.failure(failure, &peer);
    }
    let call = async { shared.app.call(request, peer).await };
    match AssertUnwindSafe(call).catch_unwind().await {
        Ok(response) => response,
        Err(_) => {
            tracing::error!("a request panicked");
            shared.app.failure(NetFailure::Panicked, &peer)
        }
    }
}

/// What every answer carries.
pub(super) fn finish(response: &mut Response<Bytes>, id: HeaderValue) {
    let headers = response.headers_mut();
    headers.insert(X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff"));
    request_id::stamp(headers, id);
}

/// hyper takes the body off a HEAD answer on HTTP/1.1 only; on HTTP/2 the client would see a
/// broken protocol.
fn without_body(mut response: Response<Bytes>) -> Response<Full<Bytes>> {
    let length = response.body().len();
    if !response.headers().contains_key(CONTENT_LENGTH) {
        response
            .headers_mut()
            .insert(CONTENT_LENGTH, HeaderValue::from(length));
    }
    response.map(|_| Full::new(Bytes::new()))
}
