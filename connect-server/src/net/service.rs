//! One request: checks, the call of the app, the common headers.
//! Panics of the app are caught.

use std::{convert::Infallible, future::Future, panic::AssertUnwindSafe, sync::Arc};

use futures_util::FutureExt as _;
use http::{HeaderValue, Method, Request, Response, StatusCode, Version, header::CONNECTION};
use http_body::Body as _;
use hyper::body::Incoming;

use super::{
    App, Body, Ended, NetFailure, RequestNote,
    answer::AnswerBody,
    budget::Held,
    head, headers,
    request_log::RequestLine,
    shared::Connection,
    workarounds::{discard, hold, without_body},
};

/// Answers one request of a connection.
///
/// All work without waiting is done before the future is made. The size of the future counts at every
/// request: hyper moves it, and a value handed from one future to the next is in both.
pub(super) fn answer<A: App>(
    connection: &Arc<Connection<A>>,
    request: Request<Incoming>,
) -> impl Future<Output = Result<Response<AnswerBody>, Infallible>> + Send + use<A> {
    let (shared, activity) = connection.parts();
    let is_http2 = request.version() == Version::HTTP_2;
    let is_head = request.method() == Method::HEAD;
    // Before the id is added: the limits are on the client's own headers.
    let (peer, checked) = head::check(&request, connection.peer, &shared.plain, &shared.limits);
    let (mut parts, incoming) = request.into_parts();
    let id = headers::ensure_request_id(&mut parts.headers);
    // A body at its end has no bytes to count, and leaves nothing.
    let (body, arriving) = if incoming.is_end_stream() {
        (Body::EMPTY, None)
    } else {
        let held = Arc::new(Held::none_of(&shared.load.bodies));
        parts.extensions.insert(held.clone());
        let (body, unread) = Body::new(incoming, shared.limits.upload, held.clone());
        (body, Some((held, unread, head::expects_continue(&parts))))
    };
    let request = Request::from_parts(parts, body);
    // Reference counts are shared memory too.
    // A connection's own count is written by no other connection.
    let (counted, connection) = (connection.clone(), connection.clone());
    let line = RequestLine::begin(
        id.clone(),
        request.method().clone(),
        peer.address,
        move |ended: &Ended<'_>| counted.shared.app.ended(ended),
    );
    let admitted = checked.map(|()| request);
    // Counted before it waits for its turn: the reading meanwhile depends on it.
    let in_flight = activity.begin(is_http2);
    shared.load.relieve();

    async move {
        let (shared, activity) = connection.parts();
        let remote = connection.peer.address;
        if is_http2 {
            activity.held.room().await;
        }
        let outcome = match admitted {
            Err(failure) => Err(failure),
            Ok(request) => {
                let call = AssertUnwindSafe(shared.app.call(request, peer));
                call.catch_unwind().await.map_err(|_| {
                    tracing::error!(%remote, "a request panicked");
                    NetFailure::Panicked
                })
            }
        };
        let (mut response, note) = outcome.unwrap_or_else(|failure| {
            tracing::debug!(%remote, ?failure, "answered without the app");
            (shared.app.failure(failure, &peer), RequestNote::default())
        });
        line.end(response.status(), &note);
        if response.status() == StatusCode::TOO_MANY_REQUESTS && !shared.is_proxy(remote) {
            activity.state().refused();
        }
        headers::finish(&mut response, id, connection.peer.tls);
        if let Some((_held, mut unread, waits)) = arriving
            && let Ok(unread) = unread.try_recv()
            && let Some(rest) = discard(unread, waits, &shared.limits).await
        {
            if is_http2 {
                // Dropping it resets the stream, and some clients then forget the answer.
                tokio::spawn(hold(rest, shared.limits.discard, activity.clone()));
            } else {
                activity.state().lingers = true;
                let close = HeaderValue::from_static("close");
                response.headers_mut().insert(CONNECTION, close);
            }
        }
        if is_head {
            without_body(&mut response);
        }
        let piece = is_http2.then_some(shared.limits.download.bytes);
        let answer = response.map(|body| AnswerBody::new(body, piece, in_flight));
        shared.load.relieve();
        Ok(answer)
    }
}
