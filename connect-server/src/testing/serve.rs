//! The listener of a test's shop, behind the faults.
//! The API and the devices' API share one address.

use std::{io, net::SocketAddr, sync::Arc};

use bytes::Bytes;
use connect_core::{Connect, Reason, wire::ErrorCode};
use http::{HeaderValue, Request, Response, StatusCode, header::RETRY_AFTER};
use http_body_util::{BodyExt as _, Full};
use hyper::{body::Incoming, server::conn::http1, service::service_fn};
use hyper_util::rt::TokioIo;
use tokio::{net::TcpListener, time::sleep};
use tower_service::Service as _;
use warp::{Filter as _, filters::BoxedFilter};

use super::{
    connections,
    faults::{Fault, Faults},
};
use crate::{
    api::{api, endpoint::Reply},
    device_api,
    net::Peer,
};

/// The parts shared by all connections.
struct ShopServer {
    filter: BoxedFilter<(warp::reply::Response,)>,
    connect: Connect,
    faults: Arc<Faults>,
}

/// Answers connections until dropped. All connections end with it.
///
/// # Panics
/// As [`connections::accept`] does.
pub(super) async fn accept(listener: TcpListener, connect: Connect, faults: Arc<Faults>) {
    let devices = device_api(connect.clone());
    let filter = api(connect.clone()).or(devices).unify().boxed();
    let shared = Arc::new(ShopServer {
        filter,
        connect,
        faults,
    });
    let connection = |stream, remote: SocketAddr| {
        let shared = shared.clone();
        let peer = Peer {
            address: remote.ip(),
            tls: false,
        };
        let answer = service_fn(move |request| answer(shared.clone(), peer, request));
        let connection = http1::Builder::new().serve_connection(TokioIo::new(stream), answer);
        // A cut connection ends with an error, as does one with a departed client.
        async move { _ = connection.await }
    };
    connections::accept(listener, connection).await;
}

async fn answer(
    shared: Arc<ShopServer>,
    peer: Peer,
    mut request: Request<Incoming>,
) -> io::Result<Response<Full<Bytes>>> {
    let fault = shared.faults.meet(request.method(), request.uri().path());
    match fault {
        Some(Fault::Cut) => return Err(io::ErrorKind::ConnectionAborted.into()),
        Some(Fault::Status(status)) => {
            // A client still writing may miss an early answer.
            let _ = request.into_body().collect().await;
            return Ok(shared.refusal(status, peer));
        }
        Some(Fault::Delay(wait)) => sleep(wait).await,
        Some(Fault::LostAnswer) | None => {}
    }
    request.extensions_mut().insert(peer);
    let Ok(response) = warp::service(shared.filter.clone()).call(request).await;
    let (head, body) = response.into_parts();
    let body = body.collect().await.map(|body| body.to_bytes());
    if fault == Some(Fault::LostAnswer) {
        return Err(io::ErrorKind::ConnectionAborted.into());
    }
    let body = Full::new(body.unwrap_or_default());
    Ok(Response::from_parts(head, body))
}

impl ShopServer {
    /// Returns the error with an ordered status, in the usual shape.
    /// Answers known only from proxies have no body.
    fn refusal(&self, status: StatusCode, peer: Peer) -> Response<Full<Bytes>> {
        let code = match status.as_u16() {
            400 | 422 => ErrorCode::ValidationFailed,
            401 => ErrorCode::Unauthorized,
            403 => ErrorCode::ForbiddenScope,
            404 => ErrorCode::NotFound,
            405 => ErrorCode::MethodNotAllowed,
            409 => ErrorCode::Conflict,
            413 => ErrorCode::PayloadTooLarge,
            429 => ErrorCode::RateLimited,
            408 | 500 | 503 => ErrorCode::ServerError,
            _ => {
                let mut bare = Response::new(Full::default());
                *bare.status_mut() = status;
                return bare;
            }
        };
        let reason = Reason::of("request", "is refused, as the test ordered").detail(code);
        let rate = self.connect.anonymous_rate(peer.address);
        let mut response = Reply::error(status, reason).into_response(rate);
        if status == StatusCode::TOO_MANY_REQUESTS {
            let headers = response.headers_mut();
            headers.insert(RETRY_AFTER, HeaderValue::from_static("0"));
        }
        response.map(Full::new)
    }
}
