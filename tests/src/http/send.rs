//! Sending a request.

use std::{convert::Infallible, net::SocketAddr};

use bytes::Bytes;
use http_body_util::{BodyExt, Full, StreamBody, combinators::BoxBody};
use hyper::{
    body::Frame,
    client::conn::{http1, http2},
};
use hyper_util::rt::{TokioExecutor, TokioIo};
use tokio::net::TcpStream;

use super::{Answer, Payload, Request};

/// Sends one request on a new connection, and returns the whole response.
///
/// # Errors
/// There is no connection, or no complete response on it.
pub async fn send(to: SocketAddr, request: Request) -> Result<Answer, String> {
    let failed = |e: &dyn std::fmt::Display| format!("{} {}: {e}", request.method, request.target);
    let stream = TcpStream::connect(to).await.map_err(|e| failed(&e))?;
    let handshake = http1::handshake(TokioIo::new(stream)).await;
    let (mut sender, connection) = handshake.map_err(|e| failed(&e))?;
    let driver = tokio::spawn(connection);
    let mut sent = prepare(&request, request.target.clone()).map_err(|e| failed(&e))?;
    let host = http::HeaderValue::from_str(&to.to_string()).map_err(|e| failed(&e))?;
    // The test may name another.
    let asked = sent.headers_mut().entry(http::header::HOST);
    asked.or_insert(host);
    let received = sender.send_request(sent).await.map_err(|e| failed(&e))?;
    let answer = receive(received, request.clone())
        .await
        .map_err(|e| failed(&e));
    driver.abort();
    answer
}

/// The same as [`send`], over HTTP/2.
///
/// # Errors
/// There is no connection, or no complete response on it.
pub async fn send_over_http2(to: SocketAddr, request: Request) -> Result<Answer, String> {
    let failed = |e: &dyn std::fmt::Display| format!("{} {}: {e}", request.method, request.target);
    let stream = TcpStream::connect(to).await.map_err(|e| failed(&e))?;
    let handshake = http2::handshake(TokioExecutor::new(), TokioIo::new(stream)).await;
    let (mut sender, connection) = handshake.map_err(|e| failed(&e))?;
    let driver = tokio::spawn(connection);
    let target = format!("http://{to}{}", request.target);
    let sent = prepare(&request, target).map_err(|e| failed(&e))?;
    let received = sender.send_request(sent).await.map_err(|e| failed(&e))?;
    let answer = receive(received, request.clone())
        .await
        .map_err(|e| failed(&e));
    driver.abort();
    answer
}

type Body = BoxBody<Bytes, Infallible>;

fn prepare(request: &Request, target: String) -> Result<http::Request<Body>, http::Error> {
    let method = request.method.clone();
    let mut sent = http::Request::builder()
        .method(method)
        .uri(target)
        .body(body(&request.body))?;
    *sent.headers_mut() = request.headers.clone();
    Ok(sent)
}

async fn receive(
    received: http::Response<hyper::body::Incoming>,
    request: Request,
) -> Result<Answer, hyper::Error> {
    let (head, body) = received.into_parts();
    let body = body.collect().await?.to_bytes();
    Ok(Answer {
        status: head.status,
        headers: head.headers,
        body,
        request,
    })
}

fn body(payload: &Payload) -> Body {
    match payload {
        Payload::Whole(bytes) => Full::new(bytes.clone()).boxed(),
        Payload::Chunked(pieces) => {
            let frames = pieces
                .clone()
                .into_iter()
                .map(|piece| Ok(Frame::data(piece)));
            StreamBody::new(futures_util::stream::iter(frames)).boxed()
        }
    }
}
